"""The sentences of vacancies that were meant for something: what fits the profile, what does not, what is banned."""

PROFILE = "Senior Python developer, backend, PostgreSQL, FastAPI, Docker, Kafka; remote or Madrid"
BAN_WORDS = ("gambling", "unpaid", "казино", "1С", "apuestas", "becario")

FITTING_TITLES = {
    "ru": ("Senior Python разработчик", "Python-разработчик (backend)", "Ведущий backend-разработчик Python"),
    "en": ("Senior Python Developer", "Backend Engineer (Python)", "Senior Backend Developer – Python"),
    "es": ("Desarrollador/a Python Senior", "Ingeniero/a backend Python", "Senior Python Developer (Madrid)"),
}
UNFITTING_TITLES = {
    "ru": ("Преподаватель курса Python", "Аналитик отчётности (Excel, Python)", "Менеджер по продажам курсов Python"),
    "en": ("Python Course Instructor", "Reporting Analyst (Excel, Python)", "Sales Manager, Python Courses"),
    "es": ("Profesor/a de Python", "Analista de informes (Excel, Python)", "Comercial de cursos de Python"),
}
FITTING_TAGS = ("Python", "PostgreSQL", "FastAPI", "Docker", "Kafka", "SQL")
UNFITTING_TAGS = ("Python", "Excel", "CRM", "Power BI")

FITTING_PHRASES = {
    "ru": (
        "Наш backend написан на Python и FastAPI, данные лежат в PostgreSQL.",
        "Сервисы живут в Docker и обмениваются событиями через Kafka.",
        "Ищем senior: вы проектируете схемы PostgreSQL и отвечаете за код в продакшене.",
        "Работа remote, команда backend собирается раз в квартал.",
        "Мы пишем на Python с типами и выкладываем Docker-образы каждый день.",
    ),
    "en": (
        "Our backend is written in Python with FastAPI on top of PostgreSQL.",
        "Services run in Docker and talk to each other over Kafka.",
        "As a senior developer you design PostgreSQL schemas and own what you ship.",
        "The job is remote, the backend team meets four times a year.",
        "We write typed Python and ship Docker images every day.",
    ),
    "es": (
        "Nuestro backend está escrito en Python con FastAPI sobre PostgreSQL.",
        "Los servicios corren en Docker y se comunican con Kafka.",
        "Como senior diseñas esquemas de PostgreSQL y respondes de lo que despliegas.",
        "El trabajo es remote, con oficina en Madrid para quien la quiera.",
        "Escribimos Python con tipos y publicamos imágenes de Docker cada día.",
    ),
}
UNFITTING_PHRASES = {
    "ru": (
        "Нужно вести занятия для групп по двадцать человек.",
        "Готовить презентации и проверять домашние задания.",
        "Обзванивать клиентов и вести таблицы учёта.",
    ),
    "en": (
        "You will teach groups of twenty people in the evenings.",
        "You prepare slides and check the homework.",
        "You call customers and keep spreadsheets up to date.",
    ),
    "es": (
        "Darás clase a grupos de veinte personas por las tardes.",
        "Prepararás diapositivas y corregirás los deberes.",
        "Llamarás a clientes y mantendrás hojas de cálculo.",
    ),
}
BAN_PHRASES = {
    "ru": (
        "Главный продукт компании: платформа для онлайн-казино, и это казино растёт.",
        "Часть времени уйдёт на обмен данными с 1С и её доработку.",
    ),
    "en": (
        "Our flagship product is an online gambling platform.",
        "The first three months are an unpaid trial period.",
    ),
    "es": (
        "Trabajarás en una plataforma de apuestas deportivas.",
        "El contrato inicial es de becario durante seis meses.",
    ),
}
