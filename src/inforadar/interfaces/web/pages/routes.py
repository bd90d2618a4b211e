"""Every page, and what pages load."""

from inforadar.interfaces.web.pages import (
    adding,
    assets,
    decisions,
    inbox,
    item,
    live,
    places,
    prices,
    runs,
    signing_in,
    skills,
    standing,
    watches,
    work,
)

PAGES = (
    signing_in.router,
    assets.router,
    inbox.router,
    decisions.router,
    live.router,
    places.router,
    item.router,
    standing.router,
    runs.router,
    work.router,
    watches.router,
    adding.router,
    prices.router,
    skills.router,
)
