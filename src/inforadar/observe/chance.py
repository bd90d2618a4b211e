"""Chance: jitter and draws come from here, so that a seed fixes them."""

import random

SEED_VARIABLE = "RADAR_SEED"


def chance(seed: str | int | None = None) -> random.Random:
    """A source of chance: the same for the same seed (7 and "7" alike), unforeseeable without one."""
    return random.Random(str(seed)) if seed not in (None, "") else random.Random()
