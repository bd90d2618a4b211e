"""What a configuration says of prices, and what is wrong with it."""

import pytest

from inforadar.bootstrap import known_sources
from inforadar.config import MetalsSettings, parse
from inforadar.domain.coin import Coin
from inforadar.domain.errors import ConfigError
from inforadar.domain.watch import ValuationTerms

QUERY = """
  [[watch.query]]
  source = "ebay"
  params = { q = "1921 morgan dollar" }
"""
WATCH = '[[watch]]\nname = "morgan"\nkind = "price"\n'


def config(inside="", *, top="", watch=WATCH, query=QUERY):
    text = f'{top}\n[sources.ebay]\nclient_id = "i"\nclient_secret = "s"\n{watch}{inside}{query}'
    return parse(text, known_sources(), {}, lambda _: "")


def mistakes(*arguments, **given):
    with pytest.raises(ConfigError) as caught:
        config(*arguments, **given)
    return str(caught.value)


def test_a_coin_is_read_with_all_its_fields():
    (watch,) = config(
        '[watch.coin]\ntitle = "Morgan dollar"\nyear = 1921\nmintmark = "D"\ndenomination = "dollar"\n'
        'series = "Morgan"\ngrade = "MS63"\nmetal = "silver"\nfine_oz = 0.77344\n'
    ).watches
    assert watch.coin == Coin(
        title="Morgan dollar",
        year=1921,
        mintmark="D",
        denomination="dollar",
        series="Morgan",
        grade="MS63",
        metal="silver",
        fine_oz=0.77344,
    )


def test_without_tables_nothing_is_stated_and_the_terms_are_the_usual_ones():
    found = config()
    assert (found.watches[0].coin, found.watches[0].valuation) == (None, ValuationTerms())
    assert (found.rates, found.metals) == ({}, None)


def test_terms_rates_and_metals_are_read():
    found = config(
        '[watch.valuation]\ncurrency = "eur"\nmin_points = 3\nhalf_life_days = 30\nalert_percent = 2.5\n',
        top='[rates]\nEUR = 1.08\ngbp = 1.27\n[metals]\nbase_url = "http://127.0.0.1:9"\n',
    )
    assert found.watches[0].valuation == ValuationTerms(
        currency="EUR", min_points=3, half_life_days=30.0, alert_percent=2.5
    )
    assert found.rates == {"EUR": 1.08, "GBP": 1.27}
    assert found.metals == MetalsSettings(base_url="http://127.0.0.1:9", rate_limit_per_minute=10)


@pytest.mark.parametrize(
    ("inside", "top", "told"),
    [
        ("[watch.coin]\nyaer = 1921\n", "", "Did you mean `year`?"),
        ('[watch.coin]\nyear = "1921"\n', "", "Write a whole number"),
        ('[watch.coin]\nmetal = "silver"\n', "", "State metal and fine_oz together"),
        ("[watch.coin]\nfine_oz = 0.7\n", "", "State metal and fine_oz together"),
        ('[watch.coin]\nmetal = "wood"\n', "", "Write one of"),
        ("coin = 1\n", "", "Write it as [watch.coin]"),
        ('[watch.valuation]\ncurrency = "euros"\n', "", "Write its three letters"),
        ("[watch.valuation]\nmin_points = 0\n", "", "Write 1 to 10000"),
        ("", "[rates]\nEURO = 1.08\n", "is not a currency"),
        ("", "[rates]\nEUR = 0\n", "is not a rate"),
        ("", '[rates]\nEUR = "1.08"\n', "is not a rate"),
        ("", "[rates]\nUSD = 2\n", "rates are told in USD"),
        ("", "rates = 3\n", "Write [rates]"),
    ],
)
def test_a_mistake_is_told_with_its_remedy(inside, top, told):
    assert told in mistakes(inside, top=top)


def test_a_coin_belongs_to_a_price_watch():
    watch = '[[watch]]\nname = "jobs"\nkind = "vacancy"\n'
    query = '[[watch.query]]\nsource = "hh"\n'
    assert 'the watch is of kind "vacancy"' in mistakes("[watch.coin]\nyear = 1921\n", watch=watch, query=query)


def test_a_metal_without_a_place_to_ask_for_it_is_warned_of():
    found = config('[watch.coin]\nmetal = "silver"\nfine_oz = 0.77344\n')
    assert any("there is no [metals] table" in warning for warning in found.warnings)


REST = """
  [[watch.query]]
  source = "rest"
  params = { url = "https://shop.test/x", id = "id", title = "t"%s }
"""


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ("", "`fields` has no `price`"),
        (', fields = { price = "p" }', "`fields` has no `currency`, and the watch states none"),
    ],
)
def test_a_query_that_can_bring_no_price_is_told_with_its_line(params, said):
    told = mistakes(query=REST % params)
    assert said in told
    assert "line " in told


def test_a_currency_of_the_query_or_of_the_watch_is_enough():
    priced = ', fields = { price = "p" }'
    assert config('[watch.valuation]\ncurrency = "EUR"\n', query=REST % priced).watches
    assert config(query=REST % priced.replace(" }", ', currency = "c" }')).watches


def test_other_kinds_of_watches_need_no_prices():
    assert config(watch=WATCH.replace("price", "article"), query=REST % "").watches


def test_a_feed_tells_no_prices():
    told = mistakes(query='  [[watch.query]]\n  source = "feed"\n  params = { url = "https://shop.test/rss" }\n')
    assert '"feed" tells no prices' in told
    assert '"rest" with a `price`' in told
