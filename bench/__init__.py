"""Measurements, each beside a floor or a rival in the same run: `python -m bench [PART...]`."""
