"""Numbers as hostile and careless servers write them, and how many examples a property is tried with."""

import os

from hypothesis import strategies as st

# RADAR_TEST_EXAMPLES=20 tries every property of the parsers twenty times as often as a usual run does.
TIMES = int(os.environ.get("RADAR_TEST_EXAMPLES", "1"))

ODD_NUMBERS = st.one_of(
    st.sampled_from(["1e999999999", "-1e999999999", "1e-999999999", "9e999998", "NaN", "sNaN", "-sNaN123", "Infinity"]),
    st.sampled_from(["1_000", "１２", "٣", " 7 ", "0x10", "1,5", "--1", "+", ".", "9" * 400, "0." + "1" * 400]),
    st.from_regex(r"\A[+-]?[0-9]{1,20}(\.[0-9]{1,9})?([eE][+-]?[0-9]{1,12})?\Z"),
    st.integers(min_value=-(10**300), max_value=10**300),
    st.floats(allow_nan=False, allow_infinity=False),
)


def examples(usual: int) -> int:
    """How many examples to try where a usual run tries so many."""
    return usual * TIMES
