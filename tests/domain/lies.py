"""A feed whose pages lie: for as long as it is told to, in one way or in all of them, as often as chance has it."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import timedelta
from random import Random

from domain.feeds import Feed, draft
from inforadar.domain.paging import Page, Position


@dataclass
class Liar(Feed):
    """A feed that lies in the way `lie` with a `probability`, "any": in all ways.

    `stuck`: at an offset, once, the page of another one is shown; `told_total`: a wrong total.
    `tells_more`: whether pages say if more follow. `foreigners`: how many entries there are that nobody asked for.
    """

    lie: str = ""
    probability: float = 0.0
    chance: Random = field(default_factory=lambda: Random(0))
    stuck: dict[int, int] = field(default_factory=dict)
    told_total: int | None = None
    tells_more: bool = True
    foreigners: int = 200
    _previous: Page | None = None
    _cached: dict[Position, Page] = field(default_factory=dict)

    @classmethod
    def of(cls, feed: Feed) -> "Liar":
        """An honest feed that may lie from now on."""
        return cls(paging=feed.paging, ranks=dict(feed.ranks))

    def serve(self, position: Position) -> Page:
        shown_at = self.stuck.pop(position.offset, position.offset)
        page = super().serve(replace(position, offset=shown_at))
        page = replace(page, total=self.told_total or page.total)
        page = page if self.tells_more else replace(page, is_last=None)
        self._cached.setdefault(position, page)
        if lie := self._next_lie():
            page = LIES[lie](self, page, position)
        self._previous = page
        return page

    def _next_lie(self) -> str:
        if not self.lie or self.chance.random() >= self.probability:
            return ""
        return self.chance.choice(list(LIES)) if self.lie == "any" else self.lie

    def repeated(self, page: Page, _: Position) -> Page:
        """The answer to the request before."""
        return self._previous or page

    def stale(self, page: Page, position: Position) -> Page:
        """What a cache kept of this place."""
        return self._cached.get(position, page)

    def elsewhere(self, page: Page, position: Position) -> Page:
        """Another part of the list."""
        keys = self.keys()
        first = self.chance.randrange(len(keys) + 1)
        return replace(page, drafts=tuple(draft(key, self.ranks[key]) for key in keys[first : first + position.size]))

    def foreign(self, page: Page, _: Position) -> Page:
        """The page of another question: entries that nobody asked for."""
        drafts = [
            draft(f"foreign{self.chance.randrange(self.foreigners)}", one.rank + self._far_off()) for one in page.drafts
        ]
        return replace(page, drafts=tuple(drafts))

    def misdated(self, page: Page, _: Position) -> Page:
        """Some dates far from the truth."""
        return replace(page, drafts=tuple(replace(one, rank=one.rank + self._far_off()) for one in page.drafts))

    def shuffled(self, page: Page, _: Position) -> Page:
        """The entries in no order."""
        return replace(page, drafts=tuple(self.chance.sample(page.drafts, len(page.drafts))))

    def wrong_total(self, page: Page, _: Position) -> Page:
        """Another length of the list, and the opposite of whether more follows."""
        total = None if page.total is None else self.chance.choice((0, page.total // 2, page.total * 2))
        return replace(page, total=total, is_last=None if page.is_last is None else not page.is_last)

    def _far_off(self) -> timedelta:
        return timedelta(days=self.chance.choice((-400, 0, 0, 0, 400)))


def empty(_: Feed, page: Page, __: Position) -> Page:
    """Nothing, where the rest of the answer says that there is something."""
    return replace(page, drafts=())


def blank(_: Feed, page: Page, __: Position) -> Page:
    """An answer that says in every way that the list is empty."""
    return Page(drafts=(), total=None if page.total is None else 0, is_last=None if page.is_last is None else True)


def truncated(_: Feed, page: Page, __: Position) -> Page:
    """The upper half of the page."""
    return replace(page, drafts=page.drafts[: len(page.drafts) // 2])


def duplicated(_: Feed, page: Page, __: Position) -> Page:
    """The first entry twice, and the last one not at all."""
    return replace(page, drafts=(*page.drafts[:1], *page.drafts[:-1]))


def unreadable(_: Feed, page: Page, __: Position) -> Page:
    """An entry that cannot be read."""
    return replace(page, drafts=page.drafts[1:], unreadable=1) if page.drafts else page


LIES: dict[str, Callable[[Liar, Page, Position], Page]] = {
    "repeated": Liar.repeated,
    "empty": empty,
    "blank": blank,
    "shuffled": Liar.shuffled,
    "truncated": truncated,
    "stale": Liar.stale,
    "elsewhere": Liar.elsewhere,
    "foreign": Liar.foreign,
    "misdated": Liar.misdated,
    "wrong_total": Liar.wrong_total,
    "duplicated": duplicated,
    "unreadable": unreadable,
}
