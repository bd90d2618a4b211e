"""Addresses of search pages as people copy them become queries, and nothing of them is dropped in silence."""

from urllib.parse import parse_qsl, urlsplit

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from inforadar.bootstrap import known_sources
from inforadar.sources.search_urls import SITES, WORDS, NotASearch, read_search_url

SOURCES = known_sources()

UNDERSTOOD = [
    (
        "https://www.linkedin.com/jobs/search/?keywords=python&location=Madrid&f_WT=2%2C3",
        "linkedin",
        {"keywords": "python", "location": "Madrid", "f_WT": ["2", "3"]},
    ),
    (
        "https://es.linkedin.com/jobs/search-results/?keywords=go&geoId=105646813&f_TPR=r86400",
        "linkedin",
        {"keywords": "go", "geoId": "105646813", "f_TPR": "r86400"},
    ),
    ("https://www.linkedin.com/jobs/python-jobs-madrid?keywords=python", "linkedin", {"keywords": "python"}),
    ("https://hh.ru/search/vacancy?text=python&area=1&area=2", "hh", {"text": "python", "area": ["1", "2"]}),
    ("https://hh.ru/search/vacancy/advanced?text=NAME%3Ago", "hh", {"text": "NAME:go"}),
    ("https://spb.hh.ru/search/vacancy?text=go&area=2", "hh", {"text": "go", "area": "2"}),
    ("https://hh.kz/search/vacancy?text=go&area=40", "hh", {"text": "go", "area": "40", "host": "hh.kz"}),
    ("https://rabota.by/search/vacancy?text=go&area=1002", "hh", {"text": "go", "area": "1002", "host": "rabota.by"}),
    ("https://hh.ru/employer/1455", "hh", {"employer_id": "1455"}),
    (
        "https://www.infojobs.net/jobsearch/search-results/list.xhtml?keyword=python&provinceIds=33,9&sinceDate=_7_DAYS",
        "infojobs",
        {"q": "python", "provinceIds": ["33", "9"]},
    ),
    ("https://habr.com/ru/hubs/python/articles/", "habr", {"hub": "python"}),
    ("https://habr.com/ru/hub/python/", "habr", {"hub": "python"}),
    ("https://habr.com/ru/hubs/python/articles/rated25/", "habr", {"hub": "python", "score": "25"}),
    ("https://habr.com/ru/flows/admin/", "habr", {"flow": "admin"}),
    (
        "https://habr.com/en/flows/develop/news/?fl=ru,en",
        "habr",
        {"flow": "develop", "news": "true", "fl": ["ru", "en"], "hl": "en"},
    ),
    ("https://habr.com/ru/companies/yandex/articles/", "habr", {"company": "yandex"}),
    ("https://habr.com/ru/users/boomburum/publications/articles/", "habr", {"user": "boomburum"}),
    ("https://habr.com/ru/search/?q=postgres+wal&target_type=posts", "habr", {"query": "postgres wal"}),
    ("https://habr.com/ru/articles/", "habr", {}),
    (
        "https://www.ebay.co.uk/sch/i.html?_nkw=1921+morgan&_sacat=39464&_udlo=10&_udhi=50&LH_BIN=1",
        "ebay",
        {
            "q": "1921 morgan",
            "category_ids": "39464",
            "marketplace": "EBAY_GB",
            "filter": "buyingOptions:{FIXED_PRICE},price:[10..50],priceCurrency:GBP",
        },
    ),
    (
        "https://www.ebay.com/sch/39464/i.html?_nkw=morgan&Year=1921%7C1922",
        "ebay",
        {
            "q": "morgan",
            "category_ids": "39464",
            "filter": "buyingOptions:{FIXED_PRICE|AUCTION}",
            "aspect_filter": "categoryId:39464,Year:{1921|1922}",
        },
    ),
    (
        "https://www.ebay.com/sch/i.html?_nkw=morgan&_sacat=39464&LH_Sold=1&LH_Complete=1",
        "ebay",
        {"q": "morgan", "category_ids": "39464", "sold": True},
    ),
    ("https://boards.greenhouse.io/acme/jobs/4012", "greenhouse", {"board": "acme"}),
    ("https://job-boards.greenhouse.io/acme?keyword=python", "greenhouse", {"board": "acme", "text": "python"}),
    ("https://boards.greenhouse.io/embed/job_board?for=acme", "greenhouse", {"board": "acme"}),
    ("https://boards-api.greenhouse.io/v1/boards/acme/jobs", "greenhouse", {"board": "acme"}),
    (
        "https://jobs.lever.co/acme?location=Madrid&team=Data",
        "lever",
        {"board": "acme", "location": "Madrid", "department": "Data"},
    ),
    ("https://jobs.ashbyhq.com/acme/0d3a", "ashby", {"board": "acme"}),
    ("https://careers.smartrecruiters.com/AcmeInc", "smartrecruiters", {"board": "AcmeInc"}),
    ("https://apply.workable.com/acme/j/0A1B2C/", "workable", {"board": "acme"}),
    ("https://apply.workable.com/api/v1/widget/accounts/acme", "workable", {"board": "acme"}),
    ("https://acme.workable.com/", "workable", {"board": "acme"}),
    ("https://acme.recruitee.com/o/data-engineer", "recruitee", {"board": "acme"}),
]


@pytest.mark.parametrize(("address", "source", "params"), UNDERSTOOD)
def test_an_address_becomes_a_query_that_its_source_takes(address, source, params):
    asked = read_search_url(address)
    assert (asked.source, asked.params) == (source, params)
    assert SOURCES[source].check(asked.params) == ()


@pytest.mark.parametrize(
    ("address", "lost", "told"),
    [
        (
            "https://www.linkedin.com/jobs/search/?keywords=go&f_ZZ=1&currentJobId=7&sortBy=R",
            {"f_ZZ"},
            {"currentJobId", "sortBy"},
        ),
        (
            "https://hh.ru/search/vacancy?text=go&search_period=3&novel=1&hhtmFrom=x&page=2",
            {"search_period", "novel"},
            {"hhtmFrom", "page"},
        ),
        ("https://almaty.hh.kz/search/vacancy?text=go", {"host"}, set()),
        (
            "https://www.infojobs.net/jobsearch/search-results/list.xhtml?keyword=go&teleworkingIds=2&page=1",
            {"teleworkingIds"},
            {"page"},
        ),
        ("https://habr.com/ru/articles/top/weekly/page2/?novel=1", {"path", "novel"}, {"path"}),
        (
            "https://www.ebay.com/sch/i.html?_nkw=a&LH_Novel=1&_sop=12&_trksid=p1&LH_ItemCondition=3",
            {"LH_Novel", "LH_ItemCondition"},
            {"_sop", "_trksid"},
        ),
        ("https://www.ebay.com/sch/i.html?_nkw=a&Year=1921", {"Year"}, set()),
        ("https://jobs.ashbyhq.com/acme?departmentId=1&utm_source=x", {"departmentId"}, {"utm_source"}),
    ],
)
def test_what_narrowed_the_page_and_cannot_be_asked_is_named_as_lost(address, lost, told):
    left_out = read_search_url(address).left_out
    assert {one.name for one in left_out if one.is_lost} == lost
    assert {one.name for one in left_out if not one.is_lost} == told
    assert all(one.why for one in left_out)


@pytest.mark.parametrize(
    "address",
    [
        "https://hh.ru/vacancy/123",
        "https://www.linkedin.com/jobs/view/python-at-acme-123",
        "https://www.linkedin.com/jobs/",
        "https://www.linkedin.com/in/somebody",
        "https://habr.com/ru/articles/123456/",
        "https://habr.com/ru/search/?q=x&target_type=users",
        "https://www.ebay.com/itm/123456789012",
        "https://www.infojobs.net/madrid/programador/of-i0123456789abcdef",
        "https://www.infojobs.net/empresas",
        "https://jobs.eu.lever.co/acme",
        "https://boards.greenhouse.io/",
    ],
)
def test_a_page_that_is_no_search_is_refused_with_what_to_do(address):
    with pytest.raises(NotASearch, match=r"\w+"):
        read_search_url(address)


@pytest.mark.parametrize(
    "address", ["https://example.org/blog", "https://habr.com/ru/rss/articles/", "https://jobs.workable.com/search"]
)
def test_an_address_of_no_known_source_may_be_a_feed(address):
    assert read_search_url(address) is None


def test_bare_words_stand_for_a_parameter_of_every_source():
    assert set(WORDS) == set(SOURCES)
    assert all(name in SOURCES[source].param_rules for source, name in WORDS.items())


NAMES = st.text(
    st.characters(min_codepoint=33, max_codepoint=126, exclude_characters="&=#+%;"), min_size=1, max_size=12
)
PAGES = [address.partition("?")[0] for address, source, _ in UNDERSTOOD if source in SITES]


@settings(max_examples=200, deadline=None)
@given(page=st.sampled_from(PAGES), pairs=st.lists(st.tuples(NAMES, NAMES), max_size=6))
@example(page="https://www.ebay.com/sch/39464/i.html", pairs=[("A", "0\\0")])
def test_every_parameter_of_any_address_is_taken_or_named(page, pairs):
    address = f"{page}?{'&'.join(f'{name}={value}' for name, value in [('keywords', 'x'), ('q', 'x'), *pairs])}"
    try:
        asked = read_search_url(address)
    except NotASearch:
        return
    named = {one.name for one in asked.left_out}
    # joined and not as Python writes them, which would double every backslash
    taken = "\n".join(
        str(one) for value in asked.params.values() for one in (value if isinstance(value, list) else [value])
    )
    for name, value in parse_qsl(urlsplit(address).query):
        is_taken = name in asked.params or value in taken
        assert is_taken or name in named or _means_nothing(name), name


def _means_nothing(name):
    """Switches that are read but only count when they are on."""
    return name in (
        "keyword",
        "q",
        "fl",
        "hl",
        "_nkw",
        "_sacat",
        "epid",
        "_udlo",
        "_udhi",
        "onlyForeignCountry",
        "for",
    ) or name.startswith("LH_")
