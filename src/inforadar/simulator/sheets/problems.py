"""The errors of Google's APIs, in their words."""

from typing import Any

Json = dict[str, Any]

QUOTA = (
    "Quota exceeded for quota metric '{kind} requests' and limit '{kind} requests per minute per user' of service "
    "'sheets.googleapis.com' for consumer 'project_number:414843411242'."
)


class SheetsError(Exception):
    """A call is refused with a status."""

    def __init__(self, code: int, status: str, message: str, details: list[Json] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.body: Json = {"error": {"code": code, "message": message, "status": status}}
        if details:
            self.body["error"]["details"] = details


def invalid(message: str) -> SheetsError:
    """A 400."""
    return SheetsError(400, "INVALID_ARGUMENT", message)


def not_found() -> SheetsError:
    """A 404."""
    return SheetsError(404, "NOT_FOUND", "Requested entity was not found.")


def denied() -> SheetsError:
    """A 403: the spreadsheet is not shared with the account."""
    return SheetsError(403, "PERMISSION_DENIED", "The caller does not have permission")


def unauthenticated() -> SheetsError:
    """A 401: the token is missing, unknown or too old."""
    message = (
        "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid "
        "authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project."
    )
    return SheetsError(401, "UNAUTHENTICATED", message)


def exhausted(kind: str, limit: int) -> SheetsError:
    """A 429; it does not say when to come back."""
    info = {
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        "reason": "RATE_LIMIT_EXCEEDED",
        "domain": "googleapis.com",
        "metadata": {
            "service": "sheets.googleapis.com",
            "quota_limit": f"{kind}RequestsPerMinutePerUser",
            "quota_limit_value": str(limit),
            "quota_metric": f"sheets.googleapis.com/{kind.lower()}_requests",
            "consumer": "projects/414843411242",
        },
    }
    return SheetsError(429, "RESOURCE_EXHAUSTED", QUOTA.format(kind=kind), [info])
