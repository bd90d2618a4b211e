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

    async def do() -> None:
        try:
            await work()
        except RadarError as error:
            tell(error)

    async def run() -> None:
        try:
            await do()
        except NoMatches:
            if _is_there(node):  # an error of ours
                raise

    _: Worker[None] = node.run_worker(run, group=group, exclusive=is_exclusive)


def _is_there(node: DOMNode) -> bool:
    """Whether there is anybody to show something to: not where the program ends, or the screen is being taken down.

    The parts of a screen go before it does, so that work which comes back in between finds it without them.
    """
    return node.app.is_running and node.is_attached and node.is_running and bool(node.display)
