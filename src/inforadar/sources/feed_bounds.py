"""The bounds of feedparser: what a hostile document makes it do takes neither long nor much memory.

It looks for an e-mail address in the name of an author by a pattern that takes the square of its length, compares each
tag of an entry with all before it, joins the `xml:base` of each element to that of the one around it, and holds all
that any element said until the end. So its own steps are wrapped here: they count what they are given, keep no address
that grows, and forget of a finished entry what nobody reads.
"""

from typing import Any
from xml.sax import SAXException

from inforadar.domain.errors import Unreadable

LONGEST_NAME, MOST_CATEGORIES = 500, 200
MOST_TAGS, DEEPEST, MOST_FIELDS, MOST_NAMESPACES = 120_000, 100, 500, 200
MOST_PIECES, MOST_PIECES_OF_ONE = 1_000_000, 100_000
LONGEST_ADDRESS = 2000
READ_OF_AN_ENTRY = frozenset(
    ("id", "link", "title", "published_parsed", "updated_parsed", "summary", "subtitle", "content", "author", "tags")
)


def bound(parser: Any) -> None:
    """Wrap the steps of feedparser's parser, a class, once."""
    _bound_squares(parser)
    _bound_tags(parser)
    _bound_pieces(parser)
    _bound_entries(parser)


def _bound_squares(parser: Any) -> None:
    find_address, add_tag = parser._sync_author_detail, parser._add_tag

    def find_address_in_a_name(self: Any, key: str = "author") -> None:
        if len(self._get_context().get(key) or "") <= LONGEST_NAME:
            find_address(self, key)

    def add_one_of_few_tags(self: Any, term: Any, scheme: Any, label: Any) -> None:
        if len(self._get_context().get("tags") or ()) < MOST_CATEGORIES:
            add_tag(self, term, scheme, label)

    parser._sync_author_detail = find_address_in_a_name
    parser._add_tag = add_one_of_few_tags


def _bound_tags(parser: Any) -> None:
    start, end = parser.unknown_starttag, parser.unknown_endtag
    parser.tags_read = 0

    def start_one_of_few(self: Any, tag: Any, attributes: Any) -> None:
        _count_tag(self)
        around = self.baseuri
        start(self, tag, attributes)
        if self.depth > DEEPEST or len(self.baseuri) > LONGEST_ADDRESS:
            self.baseuri = self.basestack[-1] = around

    def end_one_of_few(self: Any, tag: Any) -> None:
        _count_tag(self)
        end(self, tag)

    parser.unknown_starttag = start_one_of_few
    parser.unknown_endtag = end_one_of_few


def _count_tag(parser: Any) -> None:
    parser.tags_read += 1
    if parser.depth > DEEPEST and hasattr(parser, "startElementNS"):
        # in truth tags nobody closed: the other parser takes over, which reads what is not well-formed
        raise SAXException(f"elements more than {DEEPEST} deep")
    _refuse(parser.tags_read > MOST_TAGS, f"more than {MOST_TAGS} tags")
    _refuse(len(parser._get_context()) > MOST_FIELDS, f"an entry of more than {MOST_FIELDS} fields")
    _refuse(len(parser.namespaces_in_use) > MOST_NAMESPACES, f"more than {MOST_NAMESPACES} namespaces")


def _bound_pieces(parser: Any) -> None:
    """Text comes in pieces, each reference to a character being one."""
    parser.pieces_read = 0
    for name in ("handle_data", "handle_charref", "handle_entityref"):
        setattr(parser, name, _counting(getattr(parser, name)))


def _counting(step: Any) -> Any:
    def take_one_of_few(self: Any, text: Any, *options: Any, **named: Any) -> None:
        self.pieces_read += 1
        of_one = len(self.elementstack[-1][2]) if self.elementstack else 0
        is_endless = self.pieces_read > MOST_PIECES or of_one > MOST_PIECES_OF_ONE
        _refuse(is_endless, "a text of more references than any text has")
        step(self, text, *options, **named)

    return take_one_of_few


def _bound_entries(parser: Any) -> None:
    start = parser._start_item

    def start_and_forget(self: Any, attributes: Any) -> None:
        start(self, attributes)
        for finished in self.entries[-2:-1]:
            self.property_depth_map.pop(finished, None)
            for name in finished.keys() - READ_OF_AN_ENTRY:
                del finished[name]

    parser._start_item = parser._start_entry = start_and_forget


def _refuse(is_so: bool, what: str) -> None:
    if is_so:
        raise Unreadable(f"the feed has {what}")
