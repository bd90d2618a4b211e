"""The dialog that narrows the view: watches, sources, topics and statuses, as many of each as wanted."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Footer

from inforadar.config import Config
from inforadar.domain.status import Status, status_words
from inforadar.interfaces.tui.narrowing import Narrowing
from inforadar.interfaces.tui.record import Record
from inforadar.interfaces.tui.row_field import RowField
from inforadar.observe.printable import printable

Choice = tuple[str, str]
KINDS = {"watches": "watch", "sources": "source", "topics": "topic", "statuses": "status"}


def offered_filters(config: Config, topics: Collection[str]) -> dict[str, Sequence[str]]:
    """What can be chosen: what the configuration names, and every status."""
    return {
        "watches": [watch.name for watch in config.watches],
        "sources": sorted({query.source for watch in config.watches for query in watch.queries}),
        "topics": sorted(topics),
        "statuses": [status.value for status in Status],
    }


class FilterDialog(ModalScreen[Narrowing | None]):
    """Gives back the narrowing that was chosen; None = it stays as it is."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "choose", "Choose", key_display="␣"),
        Binding("enter", "apply", "Show"),
        Binding("c", "clear", "None"),
        Binding("escape", "cancel", "Close"),
    ]
    DEFAULT_CSS = """
    FilterDialog { align: center middle; background: transparent; }
    FilterDialog Vertical {
        width: 56; max-width: 100%; height: 80%; border: round ansi_blue; background: ansi_default;
    }
    """

    def __init__(self, narrowing: Narrowing, offered: Mapping[str, Sequence[str]]) -> None:
        super().__init__()
        self._narrowing = narrowing
        self._choices: list[Choice] = [(kind, name) for kind, names in offered.items() for name in names]
        self._chosen = {(kind, name) for kind in KINDS for name in getattr(narrowing, kind)}

    def compose(self) -> ComposeResult:
        """One list of everything that can be chosen."""
        with Vertical() as frame:
            frame.border_title = "Show only"
            yield RowField()
            yield Footer(show_command_palette=False, compact=True)

    def on_mount(self) -> None:
        """Keys go to the list."""
        self.query_one(RowField).focus()
        self._show()

    def action_choose(self) -> None:
        """Choose what is under the cursor, or not any more."""
        field = self.query_one(RowField)
        self._chosen ^= {self._choices[field.cursor]}
        self._show()
        field.action_scroll_down()

    def action_apply(self) -> None:
        """Give back what is chosen."""
        self.dismiss(
            replace(
                self._narrowing,
                watches=self._names("watches"),
                sources=self._names("sources"),
                topics=self._names("topics"),
                statuses=self._names("statuses"),
            )
        )

    def action_cancel(self) -> None:
        """Leave everything as it is."""
        self.dismiss(None)

    def action_clear(self) -> None:
        """Choose nothing, which shows everything."""
        self._chosen.clear()
        self._show()

    def _show(self) -> None:
        self.query_one(RowField).show([self._row(one) for one in self._choices])

    def _row(self, choice: Choice) -> Record:
        kind, name = choice
        is_chosen = choice in self._chosen
        shown = status_words(name) if kind == "statuses" else name
        sign = "[x]" if is_chosen else "[ ]"
        return Record(text=f"{sign} {KINDS[kind]:<7} {printable(shown)}", tone="head" if is_chosen else "plain")

    def _names(self, kind: str) -> tuple[str, ...]:
        return tuple(name for one, name in self._choices if one == kind and (one, name) in self._chosen)
