"""The supervisor: loops go on through trouble, and none dies in silence."""

import threading
from io import StringIO

import pytest

from inforadar.domain.errors import RadarError, StoreError
from inforadar.observe.clock import SystemClock
from inforadar.observe.log import set_up_log
from inforadar.observe.secrets import Secrets
from inforadar.service.supervisor import MOST_CRASHES, Loop, Supervisor

LIMIT_S = 60.0


@pytest.fixture
def supervisor():
    return Supervisor(stop=threading.Event(), hurry=threading.Event(), after_error_s=0.001)


@pytest.fixture(autouse=True)
def log():
    """What the log says."""
    stream = StringIO()
    set_up_log(clock=SystemClock(), secrets=Secrets(()), level="INFO", is_json=False, has_colours=False, stream=stream)
    return stream


class Script:
    """Does what it is told, once a call; `played` is set when the script is at its end."""

    def __init__(self, *errors: Exception | None) -> None:
        self.left = list(errors)
        self.calls = 0
        self.played = threading.Event()

    def __call__(self) -> None:
        self.calls += 1
        error = self.left.pop(0) if self.left else None
        if not self.left:
            self.played.set()
        if error:
            raise error


def test_a_loop_is_done_again_and_again_and_ended_once(supervisor):
    script, ended = Script(None, None, None), Script()
    with supervisor.running(Loop(name="x", once=script, every_s=0.001, at_end=ended)):
        assert script.played.wait(LIMIT_S)
    assert script.calls >= 3
    assert ended.calls == 1


def test_a_store_that_is_away_does_not_end_a_loop_however_long(supervisor):
    script = Script(*[StoreError("away")] * (3 * MOST_CRASHES), None)
    with supervisor.running(Loop(name="x", once=script, every_s=0.001)):
        assert script.played.wait(LIMIT_S)
        assert not supervisor.stop.is_set()


def test_trouble_is_told_once_when_it_begins_and_once_when_it_is_over(supervisor, log):
    script = Script(*[StoreError("away")] * 4, None, None)
    with supervisor.running(Loop(name="x", once=script, every_s=0.001)):
        assert script.played.wait(LIMIT_S)
    said = log.getvalue()
    assert said.count("trying again until it works") == 1
    assert said.count("works again") == 1


def test_an_error_nobody_foresaw_is_told_with_its_traceback_and_tried_again(supervisor, log):
    script = Script(ZeroDivisionError("odd"), None, None)
    with supervisor.running(Loop(name="x", once=script, every_s=0.001)):
        assert script.played.wait(LIMIT_S)
    said = log.getvalue()
    assert "ZeroDivisionError" in said
    assert "Traceback" in said


def test_a_loop_that_breaks_again_and_again_stops_everything_and_says_so(supervisor):
    broken = Script(*[ZeroDivisionError("odd")] * MOST_CRASHES)
    sound = Script()
    loops = Loop(name="scheduler", once=broken, every_s=0.001), Loop(name="y", once=sound, every_s=0.001)
    with pytest.raises(RadarError, match="the scheduler broke again and again"), supervisor.running(*loops):
        assert supervisor.stop.wait(LIMIT_S)
    assert broken.calls == MOST_CRASHES


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_log_that_cannot_be_written_does_not_kill_a_loop_in_silence(supervisor, log):
    log.close()
    script = Script(StoreError("away"), None)
    with pytest.raises(RadarError, match="the x broke"), supervisor.running(Loop(name="x", once=script, every_s=0.001)):
        assert supervisor.stop.wait(LIMIT_S)


def test_crashes_that_are_not_in_a_row_are_forgiven(supervisor):
    script = Script(*[ZeroDivisionError("odd"), None] * MOST_CRASHES)
    with supervisor.running(Loop(name="x", once=script, every_s=0.001)):
        assert script.played.wait(LIMIT_S)


def test_an_end_that_fails_is_told_and_hinders_nobody(supervisor, log):
    with supervisor.running(Loop(name="x", once=Script(), every_s=0.001, at_end=Script(StoreError("away")))):
        pass
    assert "did not end well" in log.getvalue()


def test_a_loop_that_hangs_is_not_waited_for_in_a_hurry(supervisor):
    begun, never = threading.Event(), threading.Event()

    def hang() -> None:
        begun.set()
        never.wait(LIMIT_S)

    supervisor.hurry.set()
    with supervisor.running(Loop(name="x", once=hang, every_s=0.001)):
        assert begun.wait(LIMIT_S)
    assert not never.is_set()
    never.set()
