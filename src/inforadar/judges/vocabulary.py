"""What the words judge knows of its three languages: empty words, negations, and words that mean the same.

Every table is written as people write and is folded and stemmed once, when this module is loaded.
"""

from inforadar.domain.folding import views
from inforadar.judges.stemming import stem

_EMPTY = """
a an the and or of for in on at to with from by as is are be am i we you me my our your it this that who which
looking look want wanted need seek seeking search interested interest prefer preferably preferred ideally job jobs
position positions role roles vacancy vacancies work working experience experienced year years month least more than
about also any some other good strong solid knowledge skills skill stack using use must have has nice plus etc only
company companies team teams project projects new per least up over offer offers article articles news post posts
и или а но да в во на с со у к ко по о об от до из за для при как что это этот так же бы ли мы я ты вы он мой наш
ищу ищем хочу нужно нужен нужна нужны надо интересует интересуют интересно желательно вакансия вакансии работа работы
работать работу опыт опытом год года лет месяцев более менее хотя знание знания навык навыки стек уметь умение любой
любая только также еще очень хороший хорошее сильный проект проекты компания компании команда команды статья статьи
новость новости публикации
el la los las un una unos unas y e o u de del al en con para por que es son ser soy mi mis tu su sus se lo como
busco buscamos buscando quiero necesito interesa interesan trabajo trabajos empleo empleos puesto puestos oferta
ofertas vacante vacantes experiencia ano anos menos mas minimo conocimiento conocimientos buen buena alto habilidad
equipo equipos proyecto proyectos empresa empresas nuevo nueva solo tambien muy preferible preferiblemente articulo
articulos noticia noticias
"""
_NEGATIONS = (
    "no not without except excluding avoid never без кроме не ни нет исключая никаких sin excepto salvo nada ni"
)
_TURNS = "but yet however но зато однако pero sino aunque"
_ONLY = "only только solo solamente just less менее menos"

_SPANISH_DEVELOPER = "desarrollador desarrolladora desarrolladores desarrollo programador programadora"
# Each line: one meaning; the first word is its name.
_SAME_GENERIC = f"""
developer dev development programmer разработчик разработка программист {_SPANISH_DEVELOPER}
engineer engineers engineering инженер инженера ingeniero ingeniera ingenieria
senior sr старший сеньор синьор
junior jr младший джуниор джун
middle mid intermediate мидл миддл
lead leader leading ведущий тимлид лид lider principal
manager management менеджер руководитель управление gestor gestora gerente jefe
specialist специалист especialista expert эксперт experto
analyst аналитик analista
remote remotely удаленно удаленная удаленный удаленка дистанционно дистанционная remoto remota teletrabajo
hybrid гибрид гибридный гибридная hibrido hibrida
office onsite офис presencial oficina
fulltime полный полная completa jornada
freelance контракт contract фриланс autonomo
english английский ingles
spanish испанский espanol castellano
russian русский ruso
software
"""
_PLACES = """
madrid мадрид
barcelona барселона
valencia валенсия
sevilla seville севилья
malaga малага
bilbao бильбао
spain españa испания
moscow москва moscu msk мск
petersburg петербург питер спб spb
russia россия rusia рф
berlin берлин
germany германия alemania
london лондон londres
uk британия england
paris париж
lisbon lisboa лиссабон
portugal португалия
amsterdam амстердам
warsaw варшава
belgrade белград
serbia сербия
cyprus кипр chipre
dubai дубай
tbilisi тбилиси
yerevan ереван
almaty алматы
kazakhstan казахстан
mexico мексика
argentina аргентина
colombia колумбия
usa сша
europe европа europa eu european
latam latinoamerica
world worldwide anywhere мир mundo
novosibirsk новосибирск
kazan казань
ekaterinburg екатеринбург
"""
_SAME = """
python питон пайтон пайтона py
postgresql postgres постгрес постгреса pg psql
javascript js джаваскрипт яваскрипт
typescript ts
java джава ява
golang go голанг
kotlin котлин
kubernetes k8s кубернетес kube
docker докер докера
kafka кафка кафку
linux линукс линукса
backend бэкенд бекенд бэкэнд
frontend фронтенд фронтэнд
fullstack фулстек фуллстек
devops девопс
tester testing qa тестировщик тестирование тестировщика probador
database databases база баз субд dbms
data данных данные datos
ml машинное
security безопасность seguridad
cloud облако облачный облачная nube
design designer дизайн дизайнер diseno disenador disenadora
sales продажи продаж ventas comercial
accountant accounting бухгалтер бухгалтерия contable contabilidad
marketing маркетинг маркетолог mercadotecnia
teacher преподаватель учитель profesor profesora
driver водитель conductor chofer
nurse медсестра enfermera enfermero
guardia guardias oncall дежурство дежурства дежурств
travel командировка командировки командировок viajes
c# csharp шарп
.net dotnet
php пхп
bitrix битрикс
android андроид
ios айос
coin coins монета монеты монет moneda monedas
"""
_JOINED = {
    ("back", "end"): "backend",
    ("front", "end"): "frontend",
    ("full", "stack"): "fullstack",
    ("full", "time"): "fulltime",
    ("machine", "learning"): "ml",
    ("машинное", "обучение"): "ml",
    ("on", "call"): "oncall",
    ("dev", "ops"): "devops",
    ("санкт", "петербург"): "petersburg",
}


def folded(text: str) -> str:
    """A text as its words are compared, in Latin letters where those were meant."""
    return views(text)[-1]


def _stems(text: str) -> frozenset[str]:
    return frozenset(form for word in text.split() for form in (word, stem(word)))


def _meanings(text: str) -> dict[str, str]:
    named = (folded(line).split() for line in text.strip().splitlines())
    return {stem(word): line[0] for line in named for word in line}


EMPTY_WORDS = _stems(folded(_EMPTY))
NEGATIONS = frozenset(folded(_NEGATIONS).split())
TURNS = frozenset(folded(_TURNS).split())
ONLY = frozenset(folded(_ONLY).split())
MEANINGS = _meanings(_SAME) | _meanings(_PLACES) | _meanings(_SAME_GENERIC)
GENERIC = frozenset(_meanings(_PLACES).values()) | frozenset(_meanings(_SAME_GENERIC).values())
JOINED = {tuple(folded(part) for part in pair): name for pair, name in _JOINED.items()}


def meaning(word: str) -> str:
    """The name of what a folded word means: itself stemmed, or the first of those that mean the same."""
    stemmed = stem(word)
    return MEANINGS.get(stemmed, stemmed)
