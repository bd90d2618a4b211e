"""`radar why`: the whole story of one listing, also of one that was never collected."""

import click

from inforadar.domain.errors import RadarError
from inforadar.interfaces.cli.output import print_json
from inforadar.interfaces.cli.session import Session
from inforadar.interfaces.cli.table import tell
from inforadar.interfaces.cli.why_lines import show_story
from inforadar.interfaces.story_asked import is_nowhere, story_of
from inforadar.interfaces.story_shape import story_json
from inforadar.service.story_words import headline


@click.command(
    "why",
    help="""Tell the whole story of one listing: since when it is known, what left it out, how it was judged, where it
    was sent or why not; of one that was never seen, which query should have shown it. ID is the id of a match, the
    number of a listing, `source:number`, or the address of its page, however it is written.

    \b
    Examples:
      radar why 42
      radar why https://hh.ru/vacancy/123456
      radar why "https://es.linkedin.com/jobs/view/python-developer-4012345678?trk=x"
      radar why habr:700001 --json
    """,
)
@click.argument("asked", metavar="ID")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")
@click.pass_obj
def command(session: Session, asked: str, as_json: bool) -> None:
    """Print the story of one listing as text or as JSON."""
    with session.app() as app:
        story = story_of(app, asked)
        if story is None:
            raise click.UsageError(
                f"{asked!r} is no id and no address. "
                "Give the id of a match, `source:number` as in hh:123456, or an address."
            )
    if is_nowhere(story):
        raise RadarError(
            f"{headline(story).capitalize()}. `radar items` lists matches with their ids; for a listing that was never "
            "collected give its address, or `source:number`."
        )
    if as_json:
        print_json(story_json(story))
        return
    show_story(story)
    if story.question.read_as == "number":
        tell(f"There is no match {story.question.text}: this is the listing with that number.")
    if story.also:
        tell(
            f"The number {story.question.text} is also that of {' and '.join(story.also)}: `radar why {story.also[0]}`."
        )
