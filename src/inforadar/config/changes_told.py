"""A change of a text in words, for whoever has to make it by hand."""

from difflib import SequenceMatcher


def change_in_words(old: str, new: str) -> str:
    """Which lines become what, line by line; what is taken out is named by its numbers alone."""
    before, after = old.splitlines(), new.splitlines()
    told: list[str] = []
    for what, first, last, begin, end in SequenceMatcher(a=before, b=after, autojunk=False).get_opcodes():
        if what == "equal":
            continue
        told.append(_place(what, first, last))
        told += [f"  {line}" for line in after[begin:end]]
    return "\n".join(told)


def _place(what: str, first: int, last: int) -> str:
    lines = f"line {last}" if last - first == 1 else f"lines {first + 1} to {last}"
    if what == "insert":
        return f"below line {last}:" if last else "at the top:"
    return f"take out {lines}" if what == "delete" else f"in place of {lines}:"
