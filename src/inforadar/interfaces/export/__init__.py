"""Data out: matches as tables, JSON and feeds, written piece by piece however many there are."""
