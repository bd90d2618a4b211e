"""A sending has a name a receiver can know it by, and a sink that cannot edit is not asked to; on both databases."""

from dataclasses import dataclass, field, replace

from inforadar.domain.delivery import Notice
from inforadar.domain.errors import Unavailable
from pipeline.inbox import Chat, a_job


@dataclass(slots=True)
class Balky(Chat):
    """A chat that takes a notice at the third offer."""

    offered: list[Notice] = field(default_factory=list)

    def send(self, notice: Notice) -> str:
        self.offered.append(notice)
        if len(self.offered) < 3:
            raise Unavailable("reset")
        return f"1:{len(self.offered)}"


def decide(inbox, match_id, verb):
    with inbox.db.transaction() as tx:
        inbox.triage.mark(tx, [match_id], verb, "web")


def test_a_sending_bears_the_same_name_however_often_it_is_tried_and_another_as_a_reminder(inbox):
    inbox.chat = Balky()
    (one,) = inbox.judged("1")
    for _ in range(3):
        inbox.deliver_all()
        inbox.clock.pass_by(hours=1)
    decide(inbox, one, "later")
    inbox.clock.pass_by(days=2)
    inbox.deliver_all()
    first, second, third, reminder = (notice.cards[0].sending_id for notice in inbox.chat.offered)
    assert first
    assert first == second == third != reminder


def test_every_match_of_a_digest_is_a_sending_of_its_own(inbox):
    inbox.judged(*(str(number) for number in range(12)))
    inbox.deliver_all()
    digest = inbox.chat.sent[0]
    assert len(digest.cards) == 10
    assert len({card.sending_id for card in digest.cards}) == 10


def test_a_sink_that_cannot_edit_is_not_asked_to(inbox):
    (one,) = inbox.judged("1")
    inbox.deliver_all()
    outbox = inbox.outbox
    told = list(inbox.chat_door.told)
    fixed = replace(outbox, outlets={"telegram": replace(outbox.outlets["telegram"], can_edit=False)})
    fixed.edit(a_job(sink="telegram", reference=inbox.delivery(one).reference), inbox)
    assert (inbox.chat.edited, inbox.chat_door.told) == ([], told)
    outbox.edit(a_job(sink="telegram", reference=inbox.delivery(one).reference), inbox)
    assert len(inbox.chat.edited) == 1
