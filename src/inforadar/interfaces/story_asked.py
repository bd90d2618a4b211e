"""The story of a listing as any interface asks for it: the configuration's facts, one reading of the store."""

from datetime import timedelta

from inforadar.bootstrap import App
from inforadar.service import story as stories
from inforadar.service.story import Facts, Story


def story_of(app: App, asked: str) -> Story | None:
    """The story of an id, `source:number` or address; None = the text is none of them."""
    facts = Facts(
        watches=app.config.watches,
        sources={name: one.enabled for name, one in app.config.sources.items()},
        asks=app.ways.gate_names(),
        recovery=timedelta(hours=app.config.schedule.recovery_hours),
    )
    question = stories.read_question(asked, facts.sources)
    if question is None:
        return None
    with app.database.reading() as tx:
        return stories.tell(tx, question, facts, app.clock.now())


def is_nowhere(story: Story) -> bool:
    """Whether a number was asked for that no match and no listing has."""
    return story.source is None and story.question.read_as == "number"
