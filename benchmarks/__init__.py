"""Evidence: suites, evaluation, statistics and the tables that are made from them."""
