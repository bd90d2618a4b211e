# ruff: noqa: E501 - recorded markup keeps its own line lengths
"""The HTML of LinkedIn's guest pages, class by class as recorded."""

import re
from datetime import datetime
from html import escape
from urllib.parse import quote

from inforadar.simulator.entry import Entry, counters_at
from inforadar.simulator.making import full_text
from inforadar.simulator.wire import Request

CARD_CLASS = """base-card relative w-full hover:no-underline focus:no-underline
        base-card--link
         base-search-card base-search-card--link job-search-card"""
FULL_LINK = "base-card__full-link absolute top-0 right-0 bottom-0 left-0 p-0 z-[2] outline-offset-[4px]"
CONTROL = "public_jobs_jserp-result_search-card"
SUBTITLE_CONTROL = "public_jobs_jserp-result_job-search-card-subtitle"
GHOST = "https://static.licdn.com/aero-v1/sc/h/6puxblwmhnodu6fjircz4dn4h"
UNIT_HOURS = (1, 24, 24 * 7, 24 * 30)
UNITS = {
    "en": (("hour", "hours"), ("day", "days"), ("week", "weeks"), ("month", "months")),
    "es": (("hora", "horas"), ("día", "días"), ("semana", "semanas"), ("mes", "meses")),
}
BADGES = {"en": "Be an early applicant", "es": "Sé de los primeros en solicitar el empleo"}
SENIORITY = {
    "noExperience": "Internship",
    "between1And3": "Entry level",
    "between3And6": "Mid-Senior level",
    "moreThan6": "Director",
}
AUTHWALL = """<!DOCTYPE html>
<html lang="en"><head><title>Sign Up | LinkedIn</title><meta name="pageKey" content="auth_wall_desktop_jserp"></head>
<body><main class="authwall"><h1 class="authwall-join-form__title">Join LinkedIn</h1>
<form class="authwall-join-form" action="https://www.linkedin.com/signup/cold-join"></form>
<p>Already on LinkedIn? <a class="authwall-join-form__form-toggle--bottom" href="/login">Sign in</a></p></main></body></html>
"""


def card(entry: Entry, row: int, request: Request, now: datetime) -> str:
    """One card of a list; a company without a page gets the kind that is a link as a whole."""
    lang = "es" if request.headers.get("accept-language", "").lower().startswith("es") else "en"
    reference, tracking = request.tracking("reference"), request.tracking(f"card/{row}")
    host = "es" if lang == "es" else "www"
    href = escape(
        f"https://{host}.linkedin.com/jobs/view/{_slug(entry)}?position={row + 1}&pageNum=0"
        f"&refId={quote(reference, safe='')}&trackingId={quote(tracking, safe='')}"
    )
    marks = (
        f'data-entity-urn="urn:li:jobPosting:{entry.id}" data-impression-id="jobs-search-result-{row}" '
        f'data-reference-id="{reference}" data-tracking-id="{tracking}" data-column="1" data-row="{row + 1}"'
    )
    inner = _inner(entry, lang, now)
    if entry.company.slug is None:
        return _link_card(href, marks, inner)
    return _block_card(entry, href, marks, inner)


def full_job(entry: Entry, now: datetime, *, has_banner: bool) -> str:
    """The full render of a job: with an Apply button, or closed with or without a banner."""
    is_open = entry.closing == "open"
    modal = '<div class="contextual-sign-in-modal" data-impression-id="public_jobs_apply-link-offsite"></div>'
    button = '<button class="top-card-layout__cta top-card-layout__cta--primary btn-md btn-primary">Apply</button>'
    banner = """<figure class="closed-job closed-job__flavor topcard__flavor-row">
    <span class="closed-job__icon closed-job__icon--error-pebble lazy-load"></span>
    <figcaption class="closed-job__flavor--closed">No longer accepting applications</figcaption>
  </figure>"""
    return f"""<section class="top-card-layout container-lined overflow-hidden babybear:rounded-[0px]">
  {_heading(entry, "h2")}
  {_second_line(entry, now)}
  {banner if has_banner and not is_open else "<!---->"}
  <div class="top-card-layout__cta-container flex flex-wrap mt-0.5">{button if is_open else "<!----><!---->"}</div>
  {modal}
</section>
{_description(entry)}
<code id="decoratedJobPostingId" style="display: none"><!--"{entry.id}"--></code>
"""


def condensed_job(entry: Entry, now: datetime) -> str:
    """The short render, which tells nothing about whether the job is open."""
    return f"""<html><body>{_heading(entry, "h2")}
  <div class="top-card-layout__cta-container flex flex-wrap"><!----><!----></div>
  <span class="num-applicants__caption topcard__flavor--metadata">{counters_at(entry, now).views} applicants</span>
</body></html>
"""


def view_page(entry: Entry, related: list[str], now: datetime) -> str:
    """The public page of a job, with cards of other jobs around it."""
    return f"""<!DOCTYPE html>
<html lang="en"><body><section class="top-card-layout">{_heading(entry, "h1")}{_second_line(entry, now)}
<div class="top-card-layout__cta-container"><button class="top-card-layout__cta">Apply</button></div></section>
{_description(entry)}
<section class="similar-jobs"><ul>{"".join(related)}</ul></section></body></html>
"""


def ago(moment: datetime, now: datetime, lang: str) -> str:
    """How long ago a moment was, as a card says it."""
    hours = max(1, int((now - moment).total_seconds() // 3600))
    unit = sum(hours >= limit for limit in UNIT_HOURS[1:])
    number = hours // UNIT_HOURS[unit]
    name = UNITS[lang][unit][number != 1]
    return f"hace {number} {name}" if lang == "es" else f"{number} {name} ago"


def _slug(entry: Entry) -> str:
    words = f"{entry.title} at {entry.company.name}" if entry.company.slug else entry.title
    return quote(re.sub(r"[^\w]+", "-", words.lower())[:120].strip("-")) + f"-{entry.id}"


def _place(entry: Entry) -> str:
    return escape(f"{entry.place.city}, {entry.place.region}, {entry.place.country}")


def _link_card(href: str, marks: str, inner: str) -> str:
    return f"""      <li>
      <a href="{href}&amp;trk={CONTROL}" target="_self" data-tracking-control-name="{CONTROL}" data-tracking-will-navigate class="{CARD_CLASS}" data-tracking-client-ingraph {marks}>
<!---->
{inner}
      </a>
      </li>
"""


def _block_card(entry: Entry, href: str, marks: str, inner: str) -> str:
    return f"""      <li>
      <div class="{CARD_CLASS}" {marks}>

        <a class="{FULL_LINK}" href="{href}" data-tracking-control-name="{CONTROL}" data-tracking-client-ingraph data-tracking-will-navigate>

          <span class="sr-only">

        {escape(entry.title)}

          </span>
        </a>
{inner}
      </div>
      </li>
"""


def _inner(entry: Entry, lang: str, now: datetime) -> str:
    is_new = (now - entry.published_at).total_seconds() < 24 * 3600
    listdate = "job-search-card__listdate--new" if is_new else "job-search-card__listdate"
    return f"""
    <div class="search-entity-media">
      <img class="artdeco-entity-image artdeco-entity-image--square-4
          " data-delayed-url="{GHOST}" data-ghost-classes="artdeco-entity-image--ghost" data-ghost-url="{GHOST}" alt>
    </div>

        <div class="base-search-card__info">
          <h3 class="base-search-card__title">

        {escape(entry.title)}

          </h3>

            <h4 class="base-search-card__subtitle">

          {_company(entry)}

            </h4>

<!---->
            <div class="base-search-card__metadata">

          <span class="job-search-card__location">
            {_place(entry)}
          </span>
{_salary(entry)}{_benefits(entry, lang)}
          <time class="{listdate}" datetime="{entry.published_at:%Y-%m-%d}">

      {ago(entry.published_at, now, lang)}

          </time>

<!---->
            </div>
        </div>
<!---->"""


def _company(entry: Entry) -> str:
    if entry.company.slug is None:
        return escape(entry.company.name)
    href = f"https://www.linkedin.com/company/{entry.company.slug}?trk={SUBTITLE_CONTROL}"
    return f"""<a class="hidden-nested-link" data-tracking-client-ingraph data-tracking-control-name="{SUBTITLE_CONTROL}" data-tracking-will-navigate href="{href}">
            {escape(entry.company.name)}
          </a>"""


def _salary(entry: Entry) -> str:
    if entry.salary is None or not entry.salary.low or not entry.salary.high or int(entry.id) % 5:
        return ""
    shown = f"€{entry.salary.low:,}.00 - €{entry.salary.high:,}.00"
    return f'          <span class="job-search-card__salary-info">\n            {shown}\n          </span>\n'


def _benefits(entry: Entry, lang: str) -> str:
    if int(entry.id) % 3:
        return ""
    return f"""      <div class="job-posting-benefits text-sm">
        <icon class="job-posting-benefits__icon"></icon>
        <span class="job-posting-benefits__text">
          {BADGES[lang]}
<!---->        </span>
      </div>
"""


def _heading(entry: Entry, tag: str) -> str:
    return (
        f'<{tag} class="top-card-layout__title font-sans text-lg font-bold topcard__title">'
        f"{escape(entry.title)}</{tag}>"
    )


def _second_line(entry: Entry, now: datetime) -> str:
    company = escape(entry.company.name)
    if entry.company.slug:
        href = f"https://www.linkedin.com/company/{entry.company.slug}?trk=public_jobs_topcard-org-name"
        company = f'<a class="topcard__org-name-link topcard__flavor--black-link" href="{href}">\n{company}\n</a>'
    return f"""<h4 class="top-card-layout__second-subline">
        <div class="topcard__flavor-row">
          <span class="topcard__flavor">{company}</span>
          <span class="topcard__flavor topcard__flavor--bullet">
              {_place(entry)}
          </span>
        </div>
        <div class="topcard__flavor-row">
        <span class="posted-time-ago__text topcard__flavor--metadata">
      {ago(entry.published_at, now, "en")}
        </span>
        <figure class="num-applicants__figure topcard__flavor--metadata topcard__flavor--bullet">
          <figcaption class="num-applicants__caption">
            {counters_at(entry, now).views} applicants
          </figcaption>
        </figure>
        </div>
      </h4>"""


def _description(entry: Entry) -> str:
    criteria = {
        "Seniority level": SENIORITY[entry.experience],
        "Employment type": "Full-time",
        "Job function": "Engineering and Information Technology",
        "Industries": "Software Development",
    }
    rows = "".join(
        f"""<li class="description__job-criteria-item">
          <h3 class="description__job-criteria-subheader">
            {name}
          </h3>
          <span class="description__job-criteria-text description__job-criteria-text--criteria">
            {value}
          </span>
        </li>"""
        for name, value in criteria.items()
    )
    return f"""<div class="decorated-job-posting__details"><section class="core-section-container my-3 description">
      <div class="description__text description__text--rich">
    <section class="show-more-less-html" data-max-lines="5">
        <div class="show-more-less-html__markup show-more-less-html__markup--clamp-after-5 relative overflow-hidden">
          {full_text(entry)}
        </div>
    </section></div>
      <ul class="description__job-criteria-list">{rows}</ul></section></div>"""
