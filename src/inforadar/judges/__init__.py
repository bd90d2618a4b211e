"""Judges: who scores how well an item fits a watch; one file each."""
