"""What buttons carry: short, read back as written, and of no use to anyone else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inforadar.sinks.callbacks import LETTERS, Button, decode, encode, is_genuine

TOKEN = "123:abc"
BUTTONS = st.builds(
    Button,
    verb=st.sampled_from(sorted(LETTERS)),
    match_id=st.integers(0, 10**18 - 1),
    act_id=st.none() | st.integers(1, 10**18 - 1),
)


@given(BUTTONS, st.text(), st.text(), st.text())
def test_a_button_is_read_back_as_written_and_fits(button, source, key, token):
    data = encode(button, source=source, key=key, token=token)
    sealed = decode(data)
    assert len(data.encode()) <= 64
    assert sealed.button == button
    assert is_genuine(sealed, source=source, key=key, token=token)


@pytest.mark.parametrize(
    "other",
    [
        {"source": "linkedin"},
        {"key": "8"},
        {"token": "124:abc"},
        {"source": "h", "key": "h7"},
    ],
)
def test_a_button_of_another_match_or_bot_is_not_genuine(other):
    made = {"source": "hh", "key": "7", "token": TOKEN}
    sealed = decode(encode(Button(verb="applied", match_id=1), **made))
    assert not is_genuine(sealed, **(made | other))


@pytest.mark.parametrize("change", [("a1.", "n1."), ("a1.", "a2."), (".0.", ".5.")])
def test_a_changed_button_is_not_genuine(change):
    data = encode(Button(verb="applied", match_id=1), source="hh", key="7", token=TOKEN)
    forged = decode(data.replace(*change))
    assert not is_genuine(forged, source="hh", key="7", token=TOKEN)


@given(st.text(max_size=80))
def test_what_is_no_button_of_ours_is_told_apart(data):
    assert decode(data) is None or data[0] in "anlut"


@pytest.mark.parametrize("data", ["", "tasks-settings", "a1", "a-1.0.abcdefghijkl", "a1.0.short", "z1.0.abcdefghijkl",
                                  "a١.0.abcdefghijkl", "a" + "9" * 19 + ".0.abcdefghijkl"])  # fmt: skip
def test_damaged_data_is_no_button(data):
    assert decode(data) is None
