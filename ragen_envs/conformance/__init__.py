"""The checks behind `ragen_envs.testing.check_text_env`, one generator of violations each."""
