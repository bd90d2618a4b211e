"""The seeded scorer: what the model thinks of an item, as a pure function that tests can ask too."""

import re
from dataclasses import dataclass
from hashlib import blake2b

from inforadar.simulator.vocabulary import TECHNOLOGIES

WORD = re.compile(r"[^\W_][\w+#.]*", re.UNICODE)
SHORTEST_WORD = 2
HITS_FOR_ALL = 6
SHARE_OF_HITS = 0.85
RELEVANT_FROM = 0.5
UNTOLD_WORDS = (
    "a an and are as at be by for from in is it of on or that the this to with you your we our not any all will "
    "и в во на с со по для к о от до из или не без за что как это мы вы "
    "de la el los las un una y o en con por para del al se es su"
)
UNTOLD = frozenset(UNTOLD_WORDS.split())
SKILLS = tuple(dict.fromkeys(skill for _, skills in TECHNOLOGIES for skill in skills))


@dataclass(frozen=True, slots=True, kw_only=True)
class Opinion:
    """What the model thinks of one item for one profile."""

    score: float
    hits: tuple[str, ...]
    skills: tuple[str, ...]

    @property
    def is_relevant(self) -> bool:
        """Whether the model would call it relevant."""
        return self.score >= RELEVANT_FROM

    @property
    def reason(self) -> str:
        """One sentence on why."""
        if not self.hits:
            return "Nothing in the text matches the profile."
        return f"The text matches the profile in {', '.join(self.hits)}."


def opinion_on(seed: int, profile: str, item: str) -> Opinion:
    """The model's opinion: by the profile's words in the item, and for a small part by chance of the seed."""
    wanted, held = told_words(profile), frozenset(told_words(item))
    hits = tuple(word for word in wanted if word in held)
    share = min(1.0, len(hits) / max(1, min(HITS_FOR_ALL, len(wanted))))
    score = round(SHARE_OF_HITS * share + (1 - SHARE_OF_HITS) * chance_of(seed, item), 4)
    return Opinion(score=score, hits=hits, skills=skills_in(item))


def chance_of(seed: int, item: str) -> float:
    """A number from 0 to 1 that depends on the seed and the item's words alone."""
    text = " ".join(item.split()).casefold()
    digest = blake2b(f"{seed}/{text}".encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, "big") / 2**64


def told_words(text: str) -> tuple[str, ...]:
    """The words of a text that tell something, each once, in order."""
    words = (word.casefold().rstrip(".") for word in WORD.findall(text))
    return tuple(dict.fromkeys(word for word in words if len(word) >= SHORTEST_WORD and word not in UNTOLD))


def skills_in(text: str) -> tuple[str, ...]:
    """The skills of the vocabulary that a text names."""
    return tuple(
        skill for skill in SKILLS if re.search(rf"(?<![\w.]){re.escape(skill)}(?![\w+#])", text, re.IGNORECASE)
    )
