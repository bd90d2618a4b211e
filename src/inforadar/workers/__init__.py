"""Workers: they claim jobs, run the steps they are given, and settle what came of it."""
