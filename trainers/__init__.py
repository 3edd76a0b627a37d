"""Learning: training of LLM agents on text worlds."""
