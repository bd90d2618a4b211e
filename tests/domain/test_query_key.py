"""The identity of a query."""

import random
import re
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inforadar.domain.ports import ParamRule
from inforadar.domain.query_key import normalise, query_key

RULES = {
    "text": ParamRule(ignores_case=True),
    "area": ParamRule(is_list=True),
    "order_by": ParamRule(default="publication_time"),
    "skills": ParamRule(is_list=True, ignores_case=True, default=["Any"]),
}

texts = st.text("aAbé ЁйСßﬁ１²\u00a0\u0301\u0345İǅΣς\t٣", max_size=8)
scalars = st.one_of(texts, st.integers(), st.booleans(), st.floats(allow_nan=False), st.none(), st.dates())
values = st.one_of(scalars, st.lists(scalars, max_size=4), st.dictionaries(texts, scalars, max_size=3))
params = st.dictionaries(st.sampled_from(["text", "area", "order_by", "skills", "other", "x"]), values, max_size=6)


def key(given_params):
    return query_key("hh", given_params, RULES)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"text": "python", "area": "1"}, {"area": "1", "text": "python"}),
        ({"text": "  senior \t python "}, {"text": "senior python"}),
        ({"text": "senior\u00a0python"}, {"text": "senior python"}),
        ({"text": "Python"}, {"text": "PYTHON"}),
        ({"text": "Straße"}, {"text": "STRASSE"}),
        ({"text": "ｐｙｔｈｏｎ"}, {"text": "python"}),
        ({"area": ["1", "2"]}, {"area": ["2", "1", "2"]}),
        ({"area": 1}, {"area": "1"}),
        ({"area": "1"}, {"area": ["1"]}),
        ({"area": [1, "2"]}, {"area": ("2", 1.0)}),
        ({"text": "a", "order_by": "publication_time"}, {"text": "a"}),
        ({"text": "a", "skills": "any"}, {"text": "a"}),
        ({"text": "a", "other": ""}, {"text": "a"}),
        ({"text": "a", "other": None, "x": [" ", None], "area": []}, {"text": "a"}),
        ({"other": True}, {"other": "true"}),
        ({"other": date(2026, 1, 5)}, {"other": "2026-01-05"}),
        ({"other": {"b": 1, "a": "2"}}, {"other": {"a": 2, "b": "1", "c": ""}}),
    ],
)
def test_two_spellings_of_one_question_have_one_key(one, other):
    assert key(one) == key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"text": "python"}, {"text": "pythons"}),
        ({"other": "Python"}, {"other": "python"}),
        ({"other": ["1", "2"]}, {"other": ["2", "1"]}),
        ({"other": ["1", "1"]}, {"other": ["1"]}),
        ({"text": "a b"}, {"text": "ab"}),
        ({"text": "a"}, {"other": "a"}),
        ({"area": ["1", "2"]}, {"area": "1"}),
        ({"area": ["1,2"]}, {"area": ["1", "2"]}),
        ({"other": 0}, {}),
        ({"other": False}, {}),
        ({"other": "01"}, {"other": "1"}),
        ({"order_by": "relevance"}, {}),
    ],
)
def test_another_question_has_another_key(one, other):
    assert key(one) != key(other)


def test_another_source_has_another_key():
    assert query_key("hh", {"text": "a"}, {}).split("-")[1] != query_key("habr", {"text": "a"}, {}).split("-")[1]


def test_the_key_is_short_readable_and_the_same_in_every_process():
    assert key({"text": "Python", "area": 1}) == "hh-abbf2f452ca1"
    assert re.fullmatch(r"hh-[0-9a-f]{12}", key({}))


def test_normalised_parameters_are_plain_text_and_lists():
    raw = {
        "text": " Senior  Python ",
        "area": 113,
        "order_by": "publication_time",
        "other": [2, "x"],
        "x": "",
    }
    assert normalise(raw, RULES) == {"text": "senior python", "area": ["113"], "other": ["2", "x"]}


@given(params)
def test_normalising_twice_changes_nothing(raw):
    once = normalise(raw, RULES)
    assert normalise(once, RULES) == once


@given(params, st.randoms(use_true_random=False))
def test_order_white_space_and_repetition_never_matter(raw, chance: random.Random):
    names = list(raw)
    chance.shuffle(names)
    other = {name: _rewritten(raw[name], chance, RULES.get(name, ParamRule())) for name in names}
    assert key(other) == key(raw)


def _rewritten(value, chance, rule):
    if isinstance(value, str):
        return f" {value}\n"
    if isinstance(value, list) and rule.is_list:
        value = value + value[:1]
        chance.shuffle(value)
    return value


@given(params, st.sampled_from(["text", "other"]), st.text("abcxyz", min_size=1), st.text("abcxyz", min_size=1))
def test_a_changed_parameter_is_a_new_query(raw, name, one, other):
    is_same = key({**raw, name: one}) == key({**raw, name: other})
    assert is_same == (one == other)
