"""Errors of the Bot API in its own words."""

from collections.abc import Mapping
from typing import Any

NOT_MODIFIED = (
    "Bad Request: message is not modified: specified new message content and reply markup are exactly the same "
    "as a current content and reply markup of the message"
)
OLD_QUERY = "Bad Request: query is too old and response timeout expired or query ID is invalid"
OTHER_POLLER = "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"
SET_WEBHOOK = "Conflict: terminated by setWebhook request"
WEBHOOK_ACTIVE = (
    "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first"
)
REFUSALS = {
    "blocked": "Forbidden: bot was blocked by the user",
    "deactivated": "Forbidden: user is deactivated",
    "kicked": "Forbidden: bot was kicked from the supergroup chat",
}


class ApiError(Exception):
    """A call that is answered with an error; `parameters` tell what the caller may do about it."""

    def __init__(self, code: int, description: str, parameters: Mapping[str, Any] | None = None) -> None:
        super().__init__(description)
        self.code = code
        self.description = description
        self.parameters = dict(parameters or {})


def bad_request(text: str) -> ApiError:
    """A 400 in the Bot API's words."""
    return ApiError(400, f"Bad Request: {text}")


def too_many(seconds: int) -> ApiError:
    """A 429 that says when to try again."""
    return ApiError(429, f"Too Many Requests: retry after {seconds}", {"retry_after": seconds})
