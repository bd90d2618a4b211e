"""The sources of this program that hand out pages, as the contract suite tries them."""

from collections.abc import Mapping
from typing import Any

from inforadar.contract import SourceCase
from inforadar.domain.ports import Clock, Transport
from inforadar.sources.authorization import Authorized
from inforadar.sources.ebay import Ebay, ebay_client
from inforadar.sources.habr import Habr
from inforadar.sources.habr_html import HabrHtml
from inforadar.sources.hh import Hh
from inforadar.sources.infojobs import InfoJobs
from inforadar.sources.linkedin import LinkedIn
from inforadar.sources.rest import Rest
from inforadar.sources.rest_plan import plan_of

COIN = {"title": "1921 Morgan Dollar silver coin"}


class RestOnTrial(Rest):
    """A JSON API that is asked at the site of its trial, wherever its query says it is."""

    def serving(self, params: Mapping[str, Any], memory: Mapping[str, Any]) -> Rest:
        served = super().serving(params, memory)
        served.base_url = None
        return served


def rest(path: str, **params: Any) -> SourceCase:
    """Any JSON API, given only configuration."""
    told = {"url": f"https://rest.test/api/{path}", "id": "key.id", "title": "attributes.name", "date": "posted"}
    told |= {"link": "links[0].href", "fields": {"company": "owner.name", "place": "attributes.city"}, **params}
    told = {name: value for name, value in told.items() if value is not None}
    name, is_dated = f"rest-{path}{'-stable' if told.get('stable') else ''}", "date" in told
    return SourceCase(
        name=name if is_dated else f"{name}-undated",
        make=lambda: RestOnTrial(plan=plan_of(told)),
        site="rest",
        params=told,
        is_dated=is_dated,
        id_of=lambda key: key.rpartition("#")[2],
    )


def with_tokens(wire: Transport, clock: Clock) -> Transport:
    """A wire on which eBay's tokens are fetched when they are needed."""
    return Authorized(transport=wire, client=ebay_client("app", "secret"), clock=clock)


CASES = (
    SourceCase(name="hh", make=Hh, site="hh"),
    SourceCase(name="linkedin", make=LinkedIn, site="linkedin"),
    SourceCase(name="habr", make=Habr, site="habr", entry={"kind": "article", "lang": "ru"}),
    SourceCase(name="habr-html", make=HabrHtml, site="habr", entry={"kind": "article", "lang": "ru"}),
    SourceCase(name="infojobs", make=lambda: InfoJobs(client_id="app", client_secret="secret"), site="infojobs"),
    rest("page", page="page", list="data.items", total="data.total", size_param="size", page_size=15),
    rest("plain", page="page", list="items", page_param="p", first_page=0, page_size=10),
    rest("offset", page="offset", list="results", total="count", size_param="limit", page_size=12),
    rest("cursor", page="cursor", list="items", next="next", size_param="limit", date="posted_s", date_format="unix"),
    rest("cursor", page="cursor", list="items", next="next", size_param="limit", stable=True),
    rest("marker", page="cursor", list="items", next="next", size_param="limit"),
    rest("marker", page="cursor", list="items", next="next", size_param="limit", date=None),
    rest("link", page="link", size_param="limit"),
    rest("link", page="link", size_param="limit", stable=True),
    rest("numbered", page="link", size_param="limit"),
    rest("shuffled", page="page", list="data.items", total="data.total", size_param="size", order="none"),
    rest("offset", page="offset", list="results", size_param="limit", date=None),
    SourceCase(name="ebay", make=Ebay, site="ebay", params={"q": "coin"}, entry=COIN, dress=with_tokens),
)
