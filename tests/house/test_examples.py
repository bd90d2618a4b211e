"""Every piece of configuration in the documentation is one that the program takes."""

import re
from pathlib import Path

import pytest

from inforadar.bootstrap import known_sources
from inforadar.config import parse

ROOT = Path(__file__).parents[2]
# its blocks need the package they are about: test_writing_a_source installs it
ELSEWHERE = "writing-a-source.md"
PAGES = [ROOT / "README.md", *(page for page in sorted((ROOT / "docs").rglob("*.md")) if page.name != ELSEWHERE)]
BLOCK = re.compile(r"^```toml\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EXAMPLES = [
    pytest.param(block, id=f"{page.relative_to(ROOT)}-{number}")
    for page in PAGES
    for number, block in enumerate(BLOCK.findall(page.read_text(encoding="utf-8")), 1)
]
WATCH = """
[[watch]]
name = "any"
kind = "article"
  [[watch.query]]
  source = "habr"
"""


@pytest.mark.parametrize("example", EXAMPLES)
def test_every_example_is_taken_as_it_stands(example):
    whole = example if "[[watch]]" in example else example + WATCH
    env = dict.fromkeys(re.findall(r'env = "(\w+)"', example), "a secret")
    parse(whole, known_sources(), env, lambda _name: "a secret")


def test_there_are_examples():
    assert len(EXAMPLES) >= 4
