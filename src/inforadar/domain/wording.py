"""How numbers stand in sentences."""


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """A number with its noun: 1 page, 2 pages, 3 queries."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"
