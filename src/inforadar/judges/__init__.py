"""Judges: who scores how well an item fits a profile, by words alone or by a language model."""
