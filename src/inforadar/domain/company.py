"""Companies: when two names mean the same one, and what is counted of each."""

import re
from functools import lru_cache

from inforadar.domain.folding import in_latin

_IN_FRONT = frozenset(("ooo", "oao", "zao", "npao"))
"""The forms that stand before a name too, and that no name begins with."""
_LEGAL_FORMS = _IN_FRONT | frozenset(
    (
        # English
        *("llc", "ltd", "limited", "inc", "incorporated", "corp", "corporation", "co", "company", "plc", "llp", "lp"),
        *("pvt", "pty", "pte"),
        # Spanish, Portuguese, Italian, French
        *("sl", "slu", "sa", "sau", "sll", "slp", "scoop", "sociedad", "limitada", "anonima", "lda", "ltda"),
        *("srl", "srls", "sas", "sasu", "sarl", "eurl"),
        # German, Dutch, northern, Polish, Czech
        *("gmbh", "ag", "se", "kg", "kgaa", "ug", "ohg", "ev", "bv", "nv", "oy", "oyj", "ab", "aps", "as", "asa"),
        *("spzoo", "sro", "kft", "zrt", "doo", "eood", "ood", "ou"),
    )
)
_NOBODY = frozenset(
    {
        *("confidential", "confidentialcompany", "companyconfidential", "confidencial", "empresaconfidencial"),
        *("anonymous", "anonymousemployer", "anonimnyyrabotodatel", "anonimnayakompaniya", "konfidentsialno"),
        *(
            "konfidentsialnayakompaniya",
            "importanteempresa",
            "empresalider",
            "undisclosed",
            "stealth",
            "stealthstartup",
        ),
    }
)
# Forms that are words of other languages, or of names, once letters are made alike: ТОО and "too", SpA and "spa".
_SURE_FORMS = re.compile(
    r"(?<![^\W_])(?:(?i:ООО|ОАО|ЗАО|АО|ПАО|НПАО|ИП|ТОО|ТОВ|ФГУП|ГУП|МУП|АНО|ЧУП|ЧТУП)|S\.\s?[pP]\.\s?A|SpA)(?![^\W_])"
)
_ASIDE = re.compile(r"[(\[][^()\[\]]*[)\]]")
_SILENT = re.compile(r"[.'’`´\"«»“”„]")
_WORD = re.compile(r"[^\W_]+")
_INITIALS = re.compile(r"(?<![^\W_])([^\W_])\s+(?=[^\W_](?![^\W_]))")


@lru_cache(maxsize=4096)  # few companies offer most of what there is
def company_key(name: str | None) -> str:
    """One spelling for the names of one company; empty for a name that tells nobody who it is.

    Letter case, punctuation, legal forms, what stands in brackets, letters that look alike and the script do not count.
    """
    latin = in_latin(_SURE_FORMS.sub("ooo", name or "")).replace("&", " and ").replace("x", "ks")
    words = _words(_ASIDE.sub(" ", latin))
    if _LEGAL_FORMS.issuperset(words):
        words = _words(latin)
    key = "".join(_without_legal_forms(words))
    return "" if key.replace("ks", "x") in _NOBODY or key in _NOBODY else key


def _words(name: str) -> list[str]:
    """The words of a name; `S. L.` and `Sp. z o.o.` are one word each, as `SL` is."""
    joined = _INITIALS.sub(r"\1", _SILENT.sub("", name).replace("sp z oo", "spzoo").replace("sp z o o", "spzoo"))
    return _WORD.findall(joined)


def _without_legal_forms(words: list[str]) -> list[str]:
    begin, end = 0, len(words)
    while end > 1 and (words[end - 1] in _LEGAL_FORMS or (words[end - 1] == "private" and end < len(words))):
        end -= 1
    while end - begin > 1 and words[begin] in _IN_FRONT:
        begin += 1
    return words[begin:end]
