"""Work beside the keys: it runs while the user goes on, and what a person can mend is told."""

from collections.abc import Awaitable, Callable

from textual.css.query import NoMatches
from textual.dom import DOMNode
from textual.worker import Worker

from inforadar.domain.errors import RadarError


def beside(
    node: DOMNode,
    work: Callable[[], Awaitable[None]],
    tell: Callable[[RadarError], object],
    *,
    group: str,
    is_exclusive: bool = True,
) -> None:
    """Do something for a widget or a screen; exclusive work takes the place of what its group is doing."""

    async def run() -> None:
        try:
            await work()
        except RadarError as error:
            tell(error)
        except NoMatches:
            return  # the screen was taken down meanwhile: there is nobody to show it to

    _: Worker[None] = node.run_worker(run, group=group, exclusive=is_exclusive)
