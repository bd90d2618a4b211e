"""The words the world is made of: technologies, titles, companies, places, hubs, phrases, nasty titles."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A city with its codes, the city's own first and its country's last; no codes = not on that site."""

    city: str
    region: str
    country: str
    lang: str
    hh: tuple[str, ...] = ()
    geo: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Company:
    """An employer; `slug` is its LinkedIn page, None = it has none."""

    id: str
    name: str
    slug: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Hub:
    """A Habr hub and the flow it belongs to."""

    id: str
    alias: str
    title: str
    flow: str


RUSSIA, KAZAKHSTAN = "113", "40"
PLACES = (
    Place(
        city="Москва",
        region="Москва",
        country="Россия",
        lang="ru",
        hh=("1", RUSSIA),
        geo=("1001", "101728296"),
    ),
    Place(
        city="Санкт-Петербург",
        region="Санкт-Петербург",
        country="Россия",
        lang="ru",
        hh=("2", RUSSIA),
        geo=("1002", "101728296"),
    ),
    Place(city="Казань", region="Татарстан", country="Россия", lang="ru", hh=("88", RUSSIA)),
    Place(city="Пермь", region="Пермский край", country="Россия", lang="ru", hh=("72", RUSSIA)),
    Place(city="Ростов-на-Дону", region="Ростовская область", country="Россия", lang="ru", hh=("76", RUSSIA)),
    Place(city="Новосибирск", region="Новосибирская область", country="Россия", lang="ru", hh=("4", RUSSIA)),
    Place(city="Алматы", region="Алматы", country="Казахстан", lang="ru", hh=("160", KAZAKHSTAN)),
    Place(city="Madrid", region="Community of Madrid", country="Spain", lang="es", geo=("1011", "105646813")),
    Place(city="Barcelona", region="Catalonia", country="Spain", lang="es", geo=("1012", "105646813")),
    Place(city="Valencia", region="Valencian Community", country="Spain", lang="es", geo=("1013", "105646813")),
    Place(city="London", region="England", country="United Kingdom", lang="en", geo=("1021", "101165590")),
    Place(city="Berlin", region="Berlin", country="Germany", lang="en", geo=("1031", "101282230")),
    Place(city="Austin", region="TX", country="United States", lang="en", geo=("1041", "103644278")),
)

TECHNOLOGIES = (
    ("Python", ("Python", "Django", "PostgreSQL", "Docker", "FastAPI")),
    ("Java", ("Java", "Spring", "Kafka", "SQL")),
    ("Go", ("Go", "Kubernetes", "PostgreSQL", "gRPC")),
    ("PostgreSQL", ("PostgreSQL", "SQL", "Linux")),
    ("C++", ("C++", "Linux", "CMake")),
    ("1С", ("1С", "SQL", "ERP")),
    ("Vue.js", ("Vue.js", "TypeScript", "CSS")),
    ("React", ("React", "TypeScript", "Redux")),
    ("Kotlin", ("Kotlin", "Android", "Java")),
    (".NET", (".NET", "C#", "SQL")),
    ("PHP", ("PHP", "Laravel", "MySQL")),
    ("Rust", ("Rust", "Linux", "WebAssembly")),
    ("DevOps", ("DevOps", "Kubernetes", "Terraform", "Python")),
    ("Data Science", ("Python", "SQL", "PyTorch")),
)

LEVELS = {
    "ru": ("", "Junior ", "Middle ", "Senior ", "Ведущий ", "Старший "),
    "en": ("", "Junior ", "Mid-level ", "Senior ", "Staff ", "Lead "),
    "es": ("", "Junior ", "Senior ", "Sr. "),
}
JOB_TITLES = {
    "ru": (
        "{level}{tech} разработчик",
        "{level}{tech}-разработчик (удалённо)",
        "Программист {tech}",
        "{level}Backend-разработчик ({tech})",
        "Инженер данных ({tech})",
        "Тестировщик / QA {tech}",
        "Аналитик данных, {tech}",
        "Руководитель команды разработки {tech}",
        "Стажёр-разработчик {tech}",
    ),
    "en": (
        "{level}{tech} Developer",
        "{level}{tech} Engineer",
        "{level}Backend Engineer ({tech})",
        "{tech} Team Lead",
        "{level}Data Engineer – {tech}",
        "QA Automation Engineer, {tech}",
        "{level}Platform Engineer | {tech} | Remote",
    ),
    "es": (
        "Desarrollador/a {tech} {level}",
        "Programador/a {tech}",
        "Ingeniero/a de Datos ({tech}) {level}",
        "Arquitecto/a de Software {tech}",
        "{level}Analista programador {tech} (teletrabajo)",
    ),
}
ARTICLE_TITLES = {
    "ru": (
        "Как мы переписали сервис на {tech} и что из этого вышло",
        "{tech} в продакшене: грабли, метрики, выводы",
        "Разбираемся, как устроен {tech} изнутри",
        "Почему {tech} тормозит и как это измерить",
        "Миграция на {tech} без простоя: опыт команды",
        "{tech} для тех, кто боялся спросить",
        "Десять мелочей {tech}, о которых не пишут в документации",
    ),
    "en": (
        "What we learned running {tech} for two years",
        "A gentle tour of {tech} internals",
        "{tech}: measuring what nobody measures",
    ),
}

COMPANY_NAMES = (
    "Северный Ветер",
    "Точка Сборки",
    "Лаборатория Данных «Кварц»",
    "ООО Вектор-Софт",
    "Банк «Полюс»",
    "Ромашка & Ко",
    "Цифровая Логистика",
    "Умный Склад",
    "Nimbus Labs",
    "Blue Harbor Systems",
    "Quiet Engines",
    "Larkspur & Sons",
    "Orbital Freight",
    "Fjord Analytics",
    "Grupo Almendro",
    "Soluciones Río Verde",
    "Tecnologías Cierzo",
    "Datos del Sur, S.L.",
)
COMPANIES = tuple(
    Company(
        id=str(4_700_000 + 137 * number),
        name=name,
        slug=None if number % 3 == 2 else f"sim-company-{number}",
    )
    for number, name in enumerate(COMPANY_NAMES)
)

HUBS = (
    Hub(id="340", alias="python", title="Python", flow="backend"),
    Hub(id="21210", alias="postgresql", title="PostgreSQL", flow="backend"),
    Hub(id="359", alias="programming", title="Программирование", flow="backend"),
    Hub(id="17", alias="net", title=".NET", flow="backend"),
    Hub(id="241", alias="javascript", title="JavaScript", flow="frontend"),
    Hub(id="19639", alias="machine_learning", title="Машинное обучение", flow="ai_and_ml"),
    Hub(id="21922", alias="artificial_intelligence", title="Искусственный интеллект", flow="ai_and_ml"),
    Hub(id="50", alias="infosecurity", title="Информационная безопасность", flow="information_security"),
    Hub(id="20788", alias="devops", title="DevOps", flow="admin"),
)
HUBS_BY_ALIAS = {hub.alias: hub for hub in HUBS}
HUBS_OF_TECHNOLOGY = {
    "Python": ("python", "programming"),
    "PostgreSQL": ("postgresql", "programming"),
    ".NET": ("net", "programming"),
    "Vue.js": ("javascript",),
    "React": ("javascript",),
    "DevOps": ("devops", "infosecurity"),
    "Data Science": ("machine_learning", "artificial_intelligence", "python"),
}
AUTHORS = ("tihiy_okean", "marta_dev", "p0stgres_fan", "ivan-kvarc", "SlowQuery", "cierzo", "anna_reads_logs")

JOB_PHRASES = {
    "ru": (
        "Опыт коммерческой разработки от двух лет.",
        "Умение читать чужой код и писать свой так, чтобы его читали.",
        "Знание реляционных баз и понимание транзакций.",
        "Развивать сервис, которым пользуются каждый день.",
        "Участвовать в проектировании и обсуждении решений.",
        "Гибкий график, удалённая работа, короткие созвоны.",
    ),
    "en": (
        "You have shipped software that other people rely on.",
        "You are comfortable with relational databases and queues.",
        "You will own a service from the first sketch to the pager.",
        "Small team, short meetings, long maker hours.",
        "Remote friendly, with two weeks a year together.",
    ),
    "es": (
        "Experiencia demostrable de al menos dos años.",
        "Conocimientos de bases de datos relacionales.",
        "Participarás en el diseño y la evolución del producto.",
        "Horario flexible y teletrabajo.",
        "Equipo pequeño y reuniones cortas.",
    ),
}
ARTICLE_PHRASES = {
    "ru": (
        "Рассказываем по порядку: что было, что измерили, что изменили.",
        "Замеры сделаны на обычном ноутбуке, скрипты в конце статьи.",
        "Документация об этом молчит, поэтому пришлось читать исходники.",
        "Под катом графики, три ошибки и одно неожиданное решение.",
        "Сначала было медленно, потом стало странно, а потом мы поняли почему.",
    ),
    "en": (
        "We measured everything twice and kept the scripts.",
        "The documentation is silent, so we read the sources.",
        "Three mistakes, one surprise and a graph for each of them.",
        "It was slow at first, then odd, and then it made sense.",
    ),
}
EDITS = {"ru": " (срочно)", "en": " (urgent)", "es": " (urgente)"}

HOSTILE_TITLES = (
    "<script>alert('python')</script> Разработчик",
    '"><img src=x onerror=alert(1)> Python Engineer',
    '=HYPERLINK("http://127.0.0.1/x","Python")',
    "@SUM(1+1)*cmd|' /C calc'!A0 python",
    "Python\u202eпоказан\u202c разработчик",
    "Python 🧑‍💻🚀 developer 👩🏽‍🔬",
    "Python\x00\x07\x1b[31m developer\x1b[0m",
    "Python\u200b\ufeff\u00a0разработчик\r\nInjected: yes",
    "Python &amp; &lt;b&gt;SQL&lt;/b&gt; {{7*7}} ${jndi:ldap://x} %s",
    "Очень " + "длинный " * 400 + "Python",
)
