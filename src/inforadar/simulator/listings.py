"""Coins for sale, made up by given chance. What an `Entry` says of work is read so here: `salary.low` is the price in
cents, `salary.mode` how it is sold, `company` the seller, `experience` nothing."""

from datetime import datetime
from random import Random

from inforadar.simulator import vocabulary
from inforadar.simulator.entry import Entry, Salary

COINS = (
    ("Morgan Dollar", range(1878, 1905), ("", "CC", "O", "S"), 4_500),
    ("Peace Dollar", range(1921, 1936), ("", "D", "S"), 3_800),
    ("Walking Liberty Half Dollar", range(1916, 1948), ("", "D", "S"), 1_900),
    ("2 Euro Commemorative", range(2004, 2024), ("",), 620),
    ("Indian Head Cent", range(1880, 1910), ("",), 350),
)
GRADES = ("", "VF", "XF", "AU", "BU", "MS63", "MS64 PCGS", "MS65 NGC")
REMARKS = ("silver coin", "nice toning", "from an old collection", "ungraded", "cleaned", "free shipping")
FIXED, AUCTION = "FIXED_PRICE", "AUCTION"


def make_listing(source: str, entry_id: str, at: datetime, chance: Random) -> Entry:
    """A coin for sale: dearer the better it is kept, most of them at a fixed price."""
    series, years, mints, cents = chance.choice(COINS)
    grade = chance.choice(GRADES)
    mint = chance.choice(mints)
    named = f"{chance.choice(years)}{f'-{mint}' if mint else ''} {series} {grade}"
    price = int(cents * (1 + 0.4 * GRADES.index(grade)) * chance.uniform(0.7, 1.6))
    return Entry(
        source=source,
        id=entry_id,
        kind="listing",
        published_at=at,
        created_at=at,
        title=" ".join(f"{named} {chance.choice(REMARKS)}".split()),
        snippet=("", ""),
        lang="en",
        words=frozenset(),
        place=vocabulary.PLACES[0],
        company=chance.choice(vocabulary.COMPANIES),
        tags=(),
        salary=Salary(
            low=price, high=None, currency="USD", gross=False, mode=AUCTION if chance.random() < 0.2 else FIXED
        ),
        popularity=chance.randint(20, 400),
    )
