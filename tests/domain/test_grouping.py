"""Which postings are one job: realistic pairs in three languages, and what holds for any of them."""

from datetime import UTC, datetime, timedelta
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inforadar.domain.company import company_key
from inforadar.domain.grouping import RULE, Sibling, also_names, group_key, told_before
from inforadar.domain.place import may_name, place_key

NOW = datetime(2026, 1, 5, 12, tzinfo=UTC)

SAME = [
    (("Acme", "Python developer", "Madrid"), ("Acme", "Python developer", "Madrid")),
    (("Acme", "Python developer", "Madrid"), ("ACME, S.L.", "PYTHON DEVELOPER", "Madrid, Community of Madrid, Spain")),
    (("Acme S. L. U.", "Python developer", "Madrid"), ("Acme", "Python Developer (m/f/d)", "Madrid, Madrid")),
    (("Telefónica, S.A.", "Analista de datos", "Barcelona"), ("TELEFONICA", "Analista de Datos (H/M)", "Barcelona")),
    (("Indra", "Desarrollador/a Python", "Sevilla"), ("Indra", "Desarrollador Python", "Seville, Andalusia, Spain")),
    (("Indra", "Programador(a) Java", "A Coruña"), ("Indra", "Programador Java", "La Coruña, Galicia")),
    (
        ("Zara", "Ingeniero/a de software", "Madrid"),
        ("Zara", "Ingeniero de software", "Greater Madrid Metropolitan Area"),
    ),
    (("ООО «Яндекс»", "Python-разработчик", "Москва"), ("Yandex", "Python разработчик", "Moscow, Moscow City, Russia")),
    (("Яндекс, ООО", "Бэкенд-разработчик", "г. Москва"), ("Яндекс", "Бэкенд разработчик", "Москва")),
    (("ПАО Сбербанк", "Аналитик данных", "Казань"), ("Sberbank", "Аналитик данных", "Kazan, Tatarstan, Russia")),
    (("Тинькофф", "Go-разработчик", "Санкт-Петербург"), ("Tinkoff", "Go разработчик", "Saint Petersburg, Russia")),
    (("МТС", "Системный аналитик", "СПб"), ("MTS", "Системный аналитик", "Санкт-Петербург")),
    (("1С", "Программист 1С", "Ростов-на-Дону"), ("1C", "Программист 1C", "Rostov-on-Don")),
    (("Оzon Tech", "С++ developer", "Remote"), ("OzonTech", "C++ developer", "Удалённо")),
    (("Booking.com B.V.", "Senior Data Engineer", "Amsterdam"), ("Booking.com", "Sr. Data Engineer", "Amsterdam, NL")),
    (("Acme", "Senior Python Developer", "Berlin"), ("Acme GmbH", "Python Developer (Senior)", "Berlin, Germany")),
    (("Acme", "Back-end developer", "London"), ("Acme Ltd.", "Backend Developer", "London, England, United Kingdom")),
    (("Acme", "Full Stack Engineer", "Spain (Remote)"), ("Acme", "Full-stack engineer", "España")),
    (("Acme", "Python developer", "Remote - Spain"), ("Acme", "Python developer", "Испания")),
    (("Johnson & Johnson", "QA engineer", "Prague"), ("Johnson and Johnson, Inc.", "QA Engineer", "Praha")),
    (("Acme", "Python developer - Madrid", "Madrid"), ("Acme", "Python developer", "Madrid")),
    (("Acme", "Курьер (Москва)", "Москва"), ("Acme", "Курьер", "Moscow")),
    (("Acme", "Ведущий разработчик", "Минск"), ("Acme", "Разработчик (ведущий)", "Minsk, Belarus")),
    (("Acme", "СТО", "Tbilisi"), ("Acme", "CTO", "Тбилиси")),
    (("Acme", "Node.js developer", None), ("Acme", "NodeJS Developer", "")),
    (("Acme", "Python developer", "On-site"), ("Acme", "Python developer", "Presencial")),
    (("Acme", "Python developer", "В офисе"), ("Acme", "Python developer", "Onsite")),
    (("Acme", "Python developer", "Híbrido"), ("Acme", "Python developer", "Гибрид")),
    (("Acme", "Python developer", "Teletrabajo"), ("Acme", "Python developer", "Удалённая работа")),
    (("Acme", "Python developer", "Madrid (Híbrido)"), ("Acme", "Python developer", "Madrid, On-site")),
    (("Infosys Private Limited", "QA engineer", "Pune"), ("Infosys Pvt. Ltd.", "QA engineer", "Pune")),
    (("Infosys Private Limited", "QA engineer", "Pune"), ("Infosys", "QA engineer", "Pune")),
    (("ИП Иванов", "Повар", "Казань"), ("Иванов, ИП", "Повар", "Казань")),
    (("ТОО Колеса", "Go developer", "Алматы"), ("Kolesa", "Go developer", "Almaty")),
    (("АО «Тандер»", "Кассир", "Казань"), ("Tander", "Кассир", "Kazan")),
    (("OOO Romashka", "Повар", "Казань"), ("ООО «Ромашка»", "Повар", "Казань")),
    (("Enel S.p.A.", "Engineer", "Roma"), ("Enel", "Engineer", "Rome, Italy")),
    (("Acme", "Python developer (w/m/d)", "Berlin"), ("Acme", "Python developer m/w/x", "Berlin")),
    (("Acme", "Camarero H/M", "Madrid"), ("Acme", "Camarero (M/H)", "Madrid")),
    (("Acme", "Verpleegkundige (m/v)", "Amsterdam"), ("Acme", "Verpleegkundige (v/m/x)", "Amsterdam")),
    (("Acme", "Développeur Python H/F", "Paris"), ("Acme", "Développeur Python (F/H)", "Paris")),
]
DIFFERENT = [
    (("Acme", "Python developer", "Madrid"), ("Acme", "Python developer", "Barcelona")),
    (("Acme", "Python developer", "Madrid"), ("Apex", "Python developer", "Madrid")),
    (("Acme", "Python developer", "Madrid"), ("Acme", "Java developer", "Madrid")),
    (("Acme", "Python developer", "Madrid"), ("Acme", "Python developer", None)),
    (("Acme", "Senior Python developer", "Madrid"), ("Acme", "Junior Python developer", "Madrid")),
    (("Acme", "Senior Python developer", "Madrid"), ("Acme", "Python developer", "Madrid")),
    (("Acme", "C developer", "Berlin"), ("Acme", "C++ developer", "Berlin")),
    (("Acme", "C# developer", "Berlin"), ("Acme", "C developer", "Berlin")),
    (("Acme", "Java developer", "Berlin"), ("Acme", "JavaScript developer", "Berlin")),
    (("Acme", "Frontend developer", "Berlin"), ("Acme", "Backend developer", "Berlin")),
    (("Яндекс", "Аналитик", "Москва"), ("Яндекс", "Аналитик", "Санкт-Петербург")),
    (("Яндекс", "Старший аналитик", "Москва"), ("Яндекс", "Ведущий аналитик", "Москва")),
    (("Яндекс", "Разработчик Go", "Москва"), ("Яндекс Маркет", "Разработчик Go", "Москва")),
    (("Indra", "Desarrollador Python", "Madrid"), ("Indra", "Desarrollador Java", "Madrid")),
    (("Indra", "Desarrollador Python", "Valencia"), ("Indra", "Desarrollador Python", "Palencia")),
    (("Data Product", "Data manager", "Paris"), ("Data Product", "Manager data", "Paris")),
    (("Acme", "Python developer", "Madrid"), ("Acme", "Python developer", "Remote")),
    (("Acme", "Python developer, night shift", "Madrid"), ("Acme", "Python developer", "Madrid")),
    (("Acme", "Python developer", "Presencial"), ("Acme", "Python developer", "Remote")),
    (("Acme", "Python developer", "On-site"), ("Acme", "Python developer", "Remoto")),
    (("Acme", "Python developer", "Офис"), ("Acme", "Python developer", "Удалённо")),
    (("Acme", "Python developer", "Hybrid"), ("Acme", "Python developer", "Remote")),
    (("Acme", "Python developer", "Hybrid"), ("Acme", "Python developer", "On-site")),
    (("Acme", "Python developer", "On-site"), ("Acme", "Python developer", None)),
    (("Acme", "H/W Engineer", "Berlin"), ("Acme", "Engineer", "Berlin")),
    (("Acme", "Senior H/W Engineer", "Berlin"), ("Acme", "Senior F/W Engineer", "Berlin")),
    (("Acme", "Systems Engineer (F/W)", "Berlin"), ("Acme", "Systems Engineer", "Berlin")),
    (("Acme", "M/V Captain", "Berlin"), ("Acme", "Captain", "Berlin")),
    (("Acme", "Engineer A/B", "Berlin"), ("Acme", "Engineer", "Berlin")),
    (("Private Bank", "Analyst", "London"), ("Bank", "Analyst", "London")),
    (("AS Roma", "Analyst", "Rome"), ("Roma", "Analyst", "Rome")),
    (("SE Capital", "Analyst", "London"), ("Capital", "Analyst", "London")),
    (("IP Group", "Analyst", "London"), ("Group", "Analyst", "London")),
    (("Too Good To Go", "Analyst", "London"), ("Good To Go", "Analyst", "London")),
    (("AB InBev", "Analyst", "London"), ("InBev", "Analyst", "London")),
    (("Spa Madrid", "Masajista", "Madrid"), ("Madrid", "Masajista", "Madrid")),
    (("Hotel Spa", "Masajista", "Madrid"), ("Hotel", "Masajista", "Madrid")),
    (("Sa Nostra", "Analyst", "Palma"), ("Nostra", "Analyst", "Palma")),
    (("Inc (Madrid)", "Analyst", "Madrid"), ("Inc (Paris)", "Analyst", "Madrid")),
    (("Co Wash", "Analyst", "Madrid"), ("Wash", "Analyst", "Madrid")),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_these_are_one_job(one, other):
    assert group_key(*one) == group_key(*other) is not None


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_these_are_two_jobs(one, other):
    assert group_key(*one) != group_key(*other)


@pytest.mark.parametrize(
    "company", [None, "", "  ", "Confidencial", "Empresa confidencial", "Confidential", "Анонимный работодатель"]
)
def test_a_job_of_nobody_is_in_no_group(company):
    assert group_key(company, "Python developer", "Madrid") is None


def test_a_job_without_a_title_that_can_be_read_is_in_no_group():
    assert group_key("Acme", "★★★", "Madrid") is None


@pytest.mark.parametrize("name", ["SA", "ООО", "AG", "Co"])
def test_a_name_that_is_only_a_legal_form_stays_a_name(name):
    assert company_key(name)


def test_a_place_of_several_towns_is_not_one_of_them():
    assert place_key("Madrid / Barcelona") not in (place_key("Madrid"), place_key("Barcelona"))


names = st.sampled_from([part for pair in SAME + DIFFERENT for posting in pair for part in posting if part])
texts = names | st.text(max_size=30)
postings = st.tuples(st.none() | texts, texts, st.none() | texts)


@given(st.lists(postings, min_size=2, max_size=12), st.randoms())
def test_being_one_job_is_an_equivalence_and_the_order_of_arrival_does_not_matter(arrived, chance):
    def partition(order):
        groups = {}
        for posting in order:
            key = group_key(*posting)
            groups.setdefault(posting if key is None else key, set()).add(posting)
        return {frozenset(group) for group in groups.values()}

    shuffled = arrived[:]
    chance.shuffle(shuffled)
    assert partition(arrived) == partition(shuffled)
    assert sum(map(len, partition(arrived))) == len(set(arrived))


@given(postings)
def test_white_space_around_a_field_makes_no_difference(posting):
    company, title, place = posting
    padded = (company and f" {company} ", f"  {title} ", place and f"{place}  ")
    assert group_key(*padded) == group_key(company, title, place)


@given(names, st.sampled_from(["S.L.", "SA", "ООО", "GmbH", "Inc.", "Ltd"]))
def test_a_legal_form_behind_a_name_makes_no_difference(name, form):
    assert company_key(f"{name}, {form}") in (company_key(name), company_key(f"{name} {form}"))
    assert not company_key(name) or company_key(f"Zebra {name} {form}") == company_key(f"Zebra {name}")


@given(names, st.sampled_from(sorted({"AS", "SE", "Co", "IP", "Too", "AB", "Spa", "Sa", "LP", "Private", "AG", "Inc"})))
def test_a_word_in_front_of_a_name_is_part_of_it_though_it_is_a_legal_form_behind_one(name, word):
    assert company_key(f"{word} {name}") != company_key(name) or not company_key(name)


PINNED = [
    ("ACME, S.L.", "Senior Python-developer (m/f/d)", "Madrid, Community of Madrid, Spain"),
    ("ООО «Яндекс»", "Ведущий back-end разработчик / Москва", "г. Москва"),
    ("Indra", "Desarrollador/a C++ Sr.", "La Coruña, Galicia"),
    ("Müller & Söhne GmbH", "Verkäufer*in H/W", "Remote"),
    ("Sociedad Anonima Xerox [Spain]", "M/V inspector, full stack", "Greater Seville Metropolitan Area"),
    ("Confidential", "Cook", "Paris"),
    ("SpA Resort", "C# lead (hybrid)", None),
]
"""Postings whose keys stand for the rule: they stay as they are."""

LETTERS = st.lists(st.sampled_from("abcdfhimnvwxk"), min_size=2, max_size=3, unique=True)


@given(LETTERS, st.booleans())
def test_letters_between_strokes_go_only_if_they_are_marks_of_gender(letters, is_in_brackets):
    """A man's letter, a woman's one in the same language, and at most others for everybody else."""
    written = "/".join(letters)
    title = f"Data Engineer ({written})" if is_in_brackets else f"Data Engineer {written}"
    pairs = ("mf", "mw", "hf", "hm", "mv", "mk")
    is_marks = any(set(pair) <= set(letters) and set(letters) <= {*pair, *"dxni"} for pair in pairs)
    assert (group_key("Acme", title, None) == group_key("Acme", "Data Engineer", None)) == is_marks


FORMATS = {
    "remote": ("Remote", "100% remoto", "Teletrabajo", "Удалённо", "Worldwide"),
    "hybrid": ("Hybrid", "Híbrido", "Гибрид"),
    "on site": ("On-site", "Onsite", "Presencial", "Офис"),
}


@given(*[st.sampled_from([(name, text) for name, texts in FORMATS.items() for text in texts])] * 2)
def test_ways_to_work_are_alike_in_all_languages_and_no_two_of_them_are_one(one, other):
    assert (place_key(one[1]) == place_key(other[1])) == (one[0] == other[0])
    assert place_key(f"Madrid ({one[1]})") == place_key("Madrid")


@given(st.sampled_from("аеорсух"), st.integers(0, 20))
def test_a_letter_that_only_looks_alike_makes_no_difference(letter, at):
    latin = dict(zip("аеорсух", "aeopcyx", strict=True))[letter]
    title = "Python expert, co-pay area 5"
    swapped = "".join(letter if one == latin and number >= at else one for number, one in enumerate(title))
    assert group_key("Acme", swapped, "Madrid") == group_key("Acme", title, "Madrid")


def sibling(**given):
    return Sibling(**({"source": "linkedin", "url": "u", "match_id": 7, "watch": "w", "status": "ANALYZED"} | given))


@pytest.mark.parametrize(
    ("told", "reason"),
    [
        (sibling(status="APPLIED"), "the same job was decided before (match 7)"),
        (sibling(status="NOT_INTERESTED"), "the same job was decided before (match 7)"),
        (sibling(status="SENT_TO_USER", sent_at=NOW - timedelta(days=29)), "the same job was sent before (match 7)"),
        (sibling(status="IN_ARCHIVE", sent_at=NOW - timedelta(days=1)), "the same job was sent before (match 7)"),
        (sibling(status="SENT_TO_USER", sent_at=NOW - timedelta(days=31)), None),
        (sibling(status="NOT_SUITABLE"), None),
        (sibling(status="APPLIED", watch="another"), None),
        (sibling(match_id=None, watch=None, status=None), None),
    ],
)
def test_a_watch_hears_of_a_job_once_in_thirty_days_and_never_after_a_decision(told, reason):
    assert told_before([told], "w", NOW) == reason


def test_other_postings_are_named_by_source_and_those_of_the_same_source_as_again():
    others = [sibling(), sibling(source="hh"), sibling()]
    assert also_names("hh", others) == ("hh again", "linkedin")
    assert also_names("habr", []) == ()


def test_whoever_changes_what_a_key_says_raises_the_number_of_the_rule():
    keys = [group_key(*posting) or "" for posting in PINNED]
    said = sha256(" ".join(keys).encode()).hexdigest()[:12]
    assert (RULE, said) == (2, "8bdad617ca8f"), "raise RULE, so that stored items are grouped anew, and note both here"


TOWNS = ("moscow", "saint petersburg", "madrid", "new york", "remote", "on site", "rostov on don", "a coruna")
WORDS_OF_TITLES = (
    *("python", "go", "1с", "c++", "мск", "москва", "moskva", "spb", "спб#", "санкт", "петербург", "capital", "remote"),
    *("remoto", "san", "petersburgo", "нью", "york", "city", "nueva", "ростов", "на", "дону", "la", "coruña", "office"),
    *("g", "area", "madrid", "удаленно", "onsite", "on", "site"),
)


@given(words=st.lists(st.sampled_from(WORDS_OF_TITLES), max_size=4), town=st.sampled_from(TOWNS))
def test_the_quick_look_for_a_town_overlooks_none(words, town):
    named = any(place_key(" ".join(words[-length:])) == town for length in range(1, len(words) + 1))
    assert may_name(words, town) or not named
