"""The words judge: what fits and what does not in three languages, and what holds for any input."""

import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from inforadar.domain.verdict import LONGEST_REASON, LONGEST_SKILL, MOST_SKILLS, Question
from inforadar.judges.profile import read_profile
from inforadar.judges.stemming import stem
from inforadar.judges.words import WordsJudge, judge_by_words

PYTHON = "Senior Python developer, backend, PostgreSQL; remote or Madrid"
RUSSIAN = "Ищу работу: Python-разработчик, бэкенд, PostgreSQL, Kafka; удалённо или Москва. Без 1С и битрикса"
SPANISH = "Desarrollador Java con Spring y microservicios, remoto o Barcelona, sin guardias"
DATABASES = "PostgreSQL internals, replication, query planner"
ANALYST = "Data analyst, SQL, Tableau, no sales"
DEVOPS = "DevOps engineer: Kubernetes, Terraform, AWS. No on-call"
COINS = "Morgan dollar 1921, silver"

FITS = [
    (PYTHON, Question(profile="", title="Senior Python Developer")),
    (PYTHON, Question(profile="", title="Python developer (Django)", text="We use PostgreSQL and Redis.")),
    (PYTHON, Question(profile="", title="Backend Engineer", skills=("Python", "PostgreSQL", "Docker"))),
    (PYTHON, Question(profile="", title="Программист Python", text="Удалённая работа, бэкенд на FastAPI")),
    (PYTHON, Question(profile="", title="Desarrollador/a Python", text="Teletrabajo. Bases de datos PostgreSQL")),
    (PYTHON, Question(profile="", title="Back-end developer", skills=("Питон", "Постгрес"))),
    (PYTHON, Question(profile="", title="Software Engineer", text="Our backend is Python on PostgreSQL, in Madrid")),
    (PYTHON, Question(profile="", title="Рythоn developer", text="look-alike letters in the title, backend")),
    (RUSSIAN, Question(profile="", title="Разработчик Python (backend)", text="Стек: PostgreSQL, Kafka, Docker")),
    (RUSSIAN, Question(profile="", title="Senior Python Engineer", skills=("Kafka", "PostgreSQL"))),
    (RUSSIAN, Question(profile="", title="Бэкенд-разработчик", skills=("Python", "FastAPI"), place="Москва")),
    (SPANISH, Question(profile="", title="Desarrolladores Java Spring", text="Microservicios. 100 % remoto")),
    (SPANISH, Question(profile="", title="Java Developer", text="Spring Boot, microservices", place="Barcelona")),
    (SPANISH, Question(profile="", title="Java-разработчик", skills=("Java", "Spring"), text="Удаленка")),
    (DATABASES, Question(profile="", title="Как устроена репликация в PostgreSQL")),
    (DATABASES, Question(profile="", title="PostgreSQL query planner: costs explained")),
    (DATABASES, Question(profile="", title="Что нового", skills=("postgresql", "planner"), text="replication")),
    (ANALYST, Question(profile="", title="Data Analysts wanted", text="SQL, Tableau")),
    (ANALYST, Question(profile="", title="Аналитик данных", skills=("SQL", "Tableau"))),
    (DEVOPS, Question(profile="", title="DevOps-инженер", text="k8s, Terraform, AWS")),
    (COINS, Question(profile="", title="1921 Morgan Silver Dollar MS63 PCGS")),
    ("C++ developer", Question(profile="", title="Разработчик С++ (Qt)")),
    ("C# .NET", Question(profile="", title="C# developer, ASP.NET Core")),
    ("Python", Question(profile="", title="Python-разработчик")),
]
DOES_NOT_FIT = [
    (PYTHON, Question(profile="", title="Бухгалтер", text="1С, отчётность, Москва")),
    (PYTHON, Question(profile="", title="Senior Sales Manager", place="Madrid", text="Remote work, great team")),
    (PYTHON, Question(profile="", title="Senior Java developer", text="Spring, remote")),
    (PYTHON, Question(profile="", title="Enfermera, Madrid", text="Hospital privado busca enfermera")),
    (PYTHON, Question(profile="", title="Camarero", text="Se busca camarero con experiencia en Madrid")),
    (PYTHON, Question(profile="", title="Office manager", text="knowledge of Python is a plus")),
    (RUSSIAN, Question(profile="", title="Программист 1С", text="1С:Предприятие, удаленно")),
    (RUSSIAN, Question(profile="", title="Разработчик 1C-Битрикс", text="PHP, удалённо, Москва")),
    (RUSSIAN, Question(profile="", title="Водитель-экспедитор", place="Москва")),
    (RUSSIAN, Question(profile="", title="Менеджер по продажам", text="IT-компания в Москве, удалённо")),
    (SPANISH, Question(profile="", title="Comercial", text="Ventas en Barcelona, remoto")),
    (SPANISH, Question(profile="", title="Desarrollador PHP", text="Laravel, remoto")),
    (SPANISH, Question(profile="", title="JavaScript developer", text="React, Barcelona")),
    (DATABASES, Question(profile="", title="10 книг по дизайну интерфейсов")),
    (DATABASES, Question(profile="", title="How I grow tomatoes")),
    (ANALYST, Question(profile="", title="Sales representative", text="SQL is a plus")),
    (DEVOPS, Question(profile="", title="Дизайнер", text="Figma, AWS")),
    (COINS, Question(profile="", title="Penny, copper, 1902")),
    ("Scala developer", Question(profile="", title="Warehouse manager", text="work at scale")),
    ("Java", Question(profile="", title="JavaScript engineer")),
    ("C++ developer", Question(profile="", title="Водитель категории C", text="с опытом")),
]
NEARLY = [
    (PYTHON, Question(profile="", title="Senior Java Developer", text="Our backend keeps its data in PostgreSQL")),
    (PYTHON, Question(profile="", title="PostgreSQL DBA, Madrid")),
    (COINS, Question(profile="", title="Peace dollar 1923")),
    (RUSSIAN, Question(profile="", title="Python-разработчик, Битрикс", text="Kafka, PostgreSQL")),
]


def asked(profile, question):
    return Question(
        profile=profile, title=question.title, place=question.place, skills=question.skills, text=question.text
    )


def score(profile, title, **fields):
    return judge_by_words(Question(profile=profile, title=title, **fields)).score


@pytest.mark.parametrize(("profile", "question"), FITS)
def test_an_obviously_fitting_item_reaches_the_default_min_score(profile, question):
    verdict = judge_by_words(asked(profile, question))
    assert verdict.score >= 0.6, verdict


@pytest.mark.parametrize(("profile", "question"), DOES_NOT_FIT)
def test_an_unrelated_item_stays_far_below_it(profile, question):
    verdict = judge_by_words(asked(profile, question))
    assert verdict.score < 0.4, verdict


@pytest.mark.parametrize(("profile", "question"), NEARLY)
def test_a_near_miss_does_not_reach_the_default_min_score(profile, question):
    verdict = judge_by_words(asked(profile, question))
    assert verdict.score < 0.6, verdict


@pytest.mark.parametrize("profile", ["", "  \n ", "looking for a job", "ищу работу", "busco trabajo"])
def test_without_a_profile_everything_fits(profile):
    verdict = WordsJudge().judge(Question(profile=profile, title="anything"))
    assert (verdict.judge, verdict.score, verdict.reason) == ("words", 1.0, "no profile: everything fits")


def test_the_reason_names_the_words_that_hit_and_where_and_those_that_miss():
    verdict = judge_by_words(
        Question(
            profile="Python, PostgreSQL, Kafka, remote",
            title="Python developer",
            skills=("PostgreSQL",),
            text="fully remote",
        )
    )
    assert verdict.reason == "hits: python in title; postgresql in skills; remote in text; misses: kafka"


def test_where_an_item_is_does_not_tell_what_it_is_about():
    profile = "Python, Alcobendas"
    assert score(profile, "Camarero en Alcobendas", place="Alcobendas") < 0.4
    assert score(profile, "Python en Alcobendas", place="Alcobendas") >= 0.6


@pytest.mark.parametrize(
    "forms",
    [
        ["developer", "developers"],
        ["remoto", "remota", "remotos", "remote"],
        ["testing", "test", "tests"],
        ["удаленная", "удаленный", "удаленно", "удаленной"],
        ["репликация", "репликации", "репликацией"],
        ["microservicio", "microservicios"],
    ],
)
def test_forms_of_a_word_have_one_stem(forms):
    assert len(set(map(stem, forms))) == 1


@pytest.mark.parametrize(
    "pair", [("scala", "scale"), ("java", "javascript"), ("c", "c++"), ("dock", "docker"), ("redis", "red")]
)
def test_different_words_keep_different_stems(pair):
    assert stem(pair[0]) != stem(pair[1])


def test_title_weighs_most_then_skills_then_text():
    in_title = score(PYTHON, "Python")
    in_skills = score(PYTHON, "x", skills=("Python",))
    in_text = score(PYTHON, "x", text="Python")
    assert in_title > in_skills > in_text > 0


@pytest.mark.parametrize(
    ("profile", "unwanted"),
    [
        ("Python, no frontend", "frontend"),
        ("Python без 1С", "1C"),
        ("Python без 1C", "1С"),
        ("Python sin guardias", "Guardia"),
        ("Python, not PHP or WordPress", "WordPress"),
        ("Python, кроме битрикса и PHP", "Битрикс"),
        ("Python excepto Odoo", "odoo"),
    ],
)
def test_what_the_profile_refuses_counts_against(profile, unwanted):
    plain = score(profile, "Python developer")
    verdict = judge_by_words(Question(profile=profile, title=f"Python developer, {unwanted}"))
    assert verdict.score < 0.6 <= plain
    assert verdict.reason.startswith("against: ")


@pytest.mark.parametrize(
    ("profile", "wanted"),
    [
        ("no PHP, Python", "python"),
        ("no PHP but Python", "python"),
        ("not only Python", "python"),
        ("no-code Python", "python"),
        ("без PHP. Python", "python"),
        ("no node.js; Python", "python"),
        ("sin PHP pero Python", "python"),
    ],
)
def test_a_negation_ends_with_its_clause(profile, wanted):
    assert wanted in {wish.term.word for wish in read_profile(profile).wanted}


@pytest.mark.parametrize("profile", ["no node.js", "no PHP/JavaScript", "без PHP и JavaScript", "ни PHP ни JS"])
def test_a_negation_reaches_to_the_end_of_its_clause(profile):
    read = read_profile(profile)
    assert not read.wanted
    assert "javascript" in {form for term in read.unwanted for form in term.forms}


def test_a_word_both_wanted_and_refused_is_refused():
    read = read_profile("Python, PHP. No Python")
    assert [wish.term.word for wish in read.wanted] == ["php"]


def test_a_profile_that_only_refuses_lets_everything_else_pass():
    verdict = judge_by_words(Question(profile="no PHP", title="Accountant"))
    assert (verdict.score, verdict.reason) == (1.0, "holds nothing the profile refuses")
    assert score("no PHP", "PHP developer") < 0.4


def test_the_skills_are_the_source_s_own_and_the_profile_s_words_that_hit():
    verdict = judge_by_words(
        Question(profile=PYTHON, title="Senior Python dev", skills=("Docker", "PostgreSQL"), text="Madrid")
    )
    assert verdict.skills == ("Docker", "PostgreSQL", "python")


WORDS = st.sampled_from(
    ["Python", "разработчик", "PostgreSQL", "удалённо", "guardias", "С++", "back", "end", "no", "Kafka"]
)
PROFILES = st.one_of(st.text(max_size=80), st.lists(WORDS, max_size=8).map(" ".join), st.lists(WORDS).map(", ".join))
TEXTS = st.one_of(st.text(max_size=200), st.lists(WORDS, max_size=12).map(" ".join))


@given(PROFILES, TEXTS, st.lists(TEXTS, max_size=4), TEXTS, TEXTS)
@example("no " * 1000, "\ud800", ["\x00"], "\u202e", "1" * 5000)
@settings(max_examples=200, deadline=None)
def test_any_input_gets_the_same_score_in_range_every_time(profile, title, skills, text, place):
    question = Question(profile=profile, title=title, skills=tuple(skills), text=text, place=place)
    verdict = judge_by_words(question)
    assert 0.0 <= verdict.score <= 1.0
    assert verdict.reason
    assert verdict.reason.isprintable()
    assert len(verdict.reason) <= LONGEST_REASON
    assert verdict == judge_by_words(question)


@given(PROFILES, TEXTS, TEXTS, TEXTS, st.data())
@example("end, back", "back", "", "", None)
@settings(max_examples=200, deadline=None)
def test_a_wanted_word_more_in_the_title_never_lowers_the_score(profile, title, text, place, data):
    wanted = [wish.term.word for wish in read_profile(profile).wanted]
    if not wanted:
        return
    word = data.draw(st.sampled_from(wanted)) if data else wanted[0]
    assert score(profile, f"{title} {word}", text=text, place=place) >= score(profile, title, text=text, place=place)


@pytest.mark.parametrize("piece", ["python ", "а", "С1", "\u202e", "ﷺ", "no, ", "é́́", "<|im_start|>"])
def test_a_text_of_a_megabyte_is_judged_at_once(piece):
    text = piece * (1_000_000 // len(piece))
    started_at = time.process_time()
    judge_by_words(Question(profile=PYTHON, title=text, skills=(text,), text=text, place=text))
    judge_by_words(Question(profile=text, title="x"))
    assert time.process_time() - started_at < 5.0


@given(skills=st.lists(st.text(), max_size=60).map(tuple), profile=st.sampled_from(["", PYTHON]))
@example(
    skills=("\x1b[31mPython\x07", "SQL\u202edb", "\u2066\u2069", "\ud800", "a\nb\u2028c", "Py\x00"), profile=PYTHON
)
def test_hostile_skills_come_out_printable_on_one_line_and_short(skills, profile):
    kept = judge_by_words(Question(profile=profile, title="t", skills=skills)).skills
    assert all(skill.isprintable() and 0 < len(skill) <= LONGEST_SKILL for skill in kept)
    assert len(kept) <= MOST_SKILLS
    assert len(set(kept)) == len(kept)


def test_skills_keep_what_a_person_reads():
    hostile = ("\x1b[31mPython\x07", "C++ / Qt", "база  данных")
    assert judge_by_words(Question(profile="", title="t", skills=hostile)).skills == (
        "[31mPython",
        "C++ / Qt",
        "база данных",
    )
