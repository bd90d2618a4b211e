"""Reads tables by their schema and collects every mistake with its line, instead of stopping at the first."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Any, Literal

from inforadar.config.lines import Path, line_of
from inforadar.config.schema import Setting, SettingKind
from inforadar.config.values import SecretPlace, Unfit, convert, env_value
from inforadar.domain.errors import Mistake, RadarError
from inforadar.observe.printable import printable
from inforadar.observe.secrets import Secret

IfMissing = Literal["mistake", "warning", "nothing"]
ENTRIES: Mapping[str, SettingKind] = {"texts": "text", "secrets": "secret"}
SEE_SETTINGS = "docs/settings.md lists them all"


@dataclass(slots=True, kw_only=True)
class Reading:
    """One pass over a configuration: what the outside offers, and what was found wrong so far."""

    lines: Mapping[Path, int]
    env: Mapping[str, str]
    read_file: Callable[[str], str]
    labels: dict[Path, str] = field(default_factory=dict)
    mistakes: list[Mistake] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    has_literal_secret: bool = False

    def complain(self, path: Path, problem: str, remedy: str) -> None:
        """Note a mistake at a key."""
        mistake = Mistake(where=self.where(path), problem=problem, remedy=remedy, line=line_of(self.lines, path))
        self.mistakes.append(mistake)

    def warn(self, path: Path, sentence: str) -> None:
        """Note something that works but is hardly meant."""
        line = line_of(self.lines, path)
        self.warnings.append(f"line {line}, {self.where(path)}: {sentence}" if line else sentence)

    def label(self, path: Path, name: Any) -> None:
        """Call the table at `path` by its name from now on, if that is one."""
        if isinstance(name, str) and name.strip():
            self.labels[path] = f'"{printable(name.strip())}"'

    def where(self, path: Path) -> str:
        """A key in words: `sources.hh.token`, `watch "python-madrid", query 2, limit`."""
        words: list[str] = []
        for depth, part in enumerate(path, start=1):
            if isinstance(part, int):
                words[-1] += " " + self.labels.get(path[:depth], str(part + 1))
            elif words and not any(isinstance(earlier, int) for earlier in path[:depth]):
                words[-1] += f".{part}"
            else:
                words.append(part)
        return ", ".join(words)

    def section(self, raw: Mapping[str, Any], settings: Collection[Setting], path: Path) -> dict[str, Any]:
        """The table at `path` with its defaults; a missing one is all defaults."""
        for part in path:
            raw = raw.get(str(part), {}) if isinstance(raw, Mapping) else {}
            if not isinstance(raw, Mapping):
                self.complain(path, "is not a table", f"Write it as [{'.'.join(map(str, path))}]")
                raw = {}
        return self.table(raw, settings, path)

    def table(
        self,
        raw: Mapping[str, Any],
        settings: Collection[Setting],
        path: Path,
        also: Collection[str] = (),
    ) -> dict[str, Any]:
        """The values of one table by name; what is wrong or missing is its default. `also`: keys read elsewhere."""
        known = {setting.name: setting for setting in settings}
        self.check_names(raw, [*known, *also], path)
        return {name: self._value(raw, setting, (*path, name)) for name, setting in known.items()}

    def check_names(self, names: Collection[str], known: Collection[str], path: Path) -> None:
        """Complain of every name that is not known, with the nearest one that is."""
        for name in names:
            if name not in known:
                self.complain((*path, name), "is not a setting here", did_you_mean(name, known))

    def from_env(self, variables: Mapping[str, str], settings: Collection[Setting]) -> dict[str, Any]:
        """The values of those settings whose environment variables are set."""
        known = {setting.name: setting for setting in settings}
        found: dict[str, Any] = {}
        for variable, name in variables.items():
            text = self.env.get(variable, "").strip()
            try:
                found |= {name: env_value(text, known[name])} if text else {}
            except Unfit as unfit:
                self.complain((variable,), unfit.problem, f"Set it otherwise or not at all; {SEE_SETTINGS}")
        return found

    def resolve(self, place: SecretPlace | None, path: Path, *, if_missing: IfMissing) -> Secret | None:
        """The secret behind a setting, None where it is not to be had."""
        if place is None:
            return None
        self.has_literal_secret |= place.how == "value"
        try:
            value = self._looked_up(place)
        except Unfit as unfit:
            if if_missing == "mistake":
                self.complain(path, unfit.problem, unfit.remedy)
            elif if_missing == "warning":
                self.warn(path, f"{unfit.problem}. {unfit.remedy}")
            return None
        return Secret(value)

    def _value(self, raw: Mapping[str, Any], setting: Setting, path: Path) -> Any:
        if setting.name not in raw:
            if setting.is_required:
                self.complain(path, "is missing", _required_remedy(setting))
            return self._default(setting)
        value = raw[setting.name]
        if setting.kind in ENTRIES and isinstance(value, list):
            one = replace(setting, kind=ENTRIES[setting.kind])
            entries = [self._converted(entry, one, (*path, at)) for at, entry in enumerate(value)]
            return tuple(entry for entry in entries if entry is not None)
        converted = self._converted(value, setting, path)
        return self._default(setting) if converted is None else converted

    def _converted(self, raw: Any, setting: Setting, path: Path) -> Any:
        try:
            return convert(raw, setting)
        except Unfit as unfit:
            self.complain(path, unfit.problem, unfit.remedy)
            return None

    @staticmethod
    def _default(setting: Setting) -> Any:
        return None if setting.default is None else convert(setting.default, setting)

    def _looked_up(self, place: SecretPlace) -> str:
        if place.how == "value":
            return place.name
        if place.how == "env":
            value = self.env.get(place.name, "").strip()
            if not value:
                raise Unfit(f"the environment variable {place.name} is not set", f"Set it: export {place.name}=...")
            return value
        try:
            value = self.read_file(place.name).strip()
        except RadarError as error:
            raise Unfit(str(error), "Name a file that holds the secret and nothing else") from error
        if not value:
            raise Unfit(f"the file {place.name} is empty", "Write the secret into it")
        return value


def did_you_mean(name: str, known: Collection[str]) -> str:
    """The remedy for a name that is not known."""
    near = (
        get_close_matches(name, [*known], n=1, cutoff=0.6)
        or get_close_matches(name.lower(), [*known], n=1)
        or [one for one in known if name.lower() in one.split("_")]
    )
    return f"Did you mean `{near[0]}`?" if near else f"Remove it; {SEE_SETTINGS}"


def _required_remedy(setting: Setting) -> str:
    example = " or ".join(f'"{choice}"' for choice in setting.choices) or '"..."'
    return f"Add {setting.name} = {example}"
