"""Folding: the quick way for common letters gives what the way for all letters gives."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from inforadar.domain.folding import visible, without_accents

COMMON = [*map(chr, range(ord(" "), ord("~") + 1)), *map(chr, range(ord("А"), ord("я") + 1)), *"Ёё–—«»"]
RARE_MARK = "\u0301"


@given(text=st.text(alphabet=COMMON, max_size=40))
def test_common_letters_are_folded_as_all_others_are(text):
    assert visible(text) == unicodedata.normalize("NFKC", text) == text
    # an accent makes a text uncommon, and is taken away
    assert without_accents(text + "e" + RARE_MARK) == without_accents(text + "e")


def test_a_letter_of_its_own_keeps_its_mark_and_an_accent_goes():
    assert unicodedata.normalize("NFC", without_accents("Йод, ёлка — «чай»")) == "Йод, елка - «чай»"
    assert unicodedata.normalize("NFC", without_accents("España, está")) == "España, esta"
