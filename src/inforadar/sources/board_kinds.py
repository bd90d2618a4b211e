"""The two kinds of boards: those whose openings have pages of their own, and those that only show the whole board."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

from inforadar.domain.item import Draft
from inforadar.domain.paging import Page, Position
from inforadar.domain.ports import Answer, Detail, Request
from inforadar.sources.boards import POSTING, Board, as_id, asked_posting, detail_of, split_key
from inforadar.sources.reading import as_mapping, failure, read_json, read_page


class BoardWithPages(Board):
    """A board whose openings can be asked for one by one."""

    def detail_request(self, key: str, url: str) -> Request:  # noqa: ARG002 - the key is enough
        """The request for one opening."""
        return self.opening_request(*split_key(key))

    def read_detail(self, answer: Answer) -> Detail:
        """Not found is gone; every other refusal says nothing about the opening and is raised."""
        if answer.status in (404, 410):
            return Detail(availability="gone")
        if answer.status != 200:
            raise failure(answer)
        return self.detail(as_mapping(read_json(answer.body)))

    def detail(self, entry: Mapping[str, Any]) -> Detail:
        """What an opening's own page says."""
        return detail_of(self.draft(entry))

    @abstractmethod
    def opening_request(self, board: str, posting_id: str) -> Request:
        """The request for one opening of a board."""

    @abstractmethod
    def draft(self, entry: Mapping[str, Any]) -> Draft:
        """The draft of one entry; raises Unreadable without id or title."""


class BoardInOnePiece(Board):
    """A board that is always shown whole: who asks for one opening is shown all of them."""

    def list_request(self, board: str, position: Position) -> Request:  # noqa: ARG002 - there are no pages
        """The request for the whole board."""
        return self.board_request(board)

    def page(self, told: Any, position: Position) -> Page:  # noqa: ARG002 - there are no pages
        """All openings that the company lists."""
        entries = self.listed(told)
        return read_page(entries, lambda one: self.draft(as_mapping(one), told), is_last=True, key_of=self.key_of)

    def detail_request(self, key: str, url: str) -> Request:  # noqa: ARG002 - the key is enough
        """The request for the board again, which says which opening it is about."""
        board, posting_id = split_key(key)
        return self.board_request(board, (POSTING, posting_id))

    def read_detail(self, answer: Answer) -> Detail:
        """Not on the board is gone; a board that is empty or not there says nothing about its openings."""
        if answer.status != 200:
            raise failure(answer)
        told, asked = read_json(answer.body), asked_posting(answer)
        entries = [as_mapping(entry) for entry in self.listed(told)]
        found = next((entry for entry in entries if asked and as_id(entry.get(self.id_field)) == asked), None)
        if found is not None:
            return detail_of(self.draft(found, told))
        return Detail(availability="gone" if asked and entries else "no verdict")

    @abstractmethod
    def board_request(self, board: str, *marks: tuple[str, str]) -> Request:
        """The request for a board; `marks` are parameters that the site ignores."""

    @abstractmethod
    def listed(self, told: Any) -> list[Any]:
        """The entries of an answer that are for everybody; raises Unreadable where it holds none."""

    @abstractmethod
    def draft(self, entry: Mapping[str, Any], told: Any) -> Draft:
        """The draft of one entry of an answer; raises Unreadable without id or title."""
