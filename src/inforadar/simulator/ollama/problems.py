"""Errors of the model server in its own words, for each of its two doors."""

from inforadar.simulator.wire import Response, json_response

BUSY = "server busy, please try again.  maximum pending requests exceeded"
NO_MEMORY = "model requires more system memory (18.2 GiB) than is available (7.1 GiB)"
RUNNER_DIED = "llama runner process has terminated: exit status 2"
TYPES = {400: "invalid_request_error", 404: "not_found_error"}


class ModelError(Exception):
    """A request that is answered with an error."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status
        self.text = text


def no_model(name: str) -> ModelError:
    """The server has no such model."""
    return ModelError(404, f"model '{name}' not found")


def error_body(error: ModelError, *, is_compatible: bool) -> dict[str, object]:
    """The error as the door gives it: a text, or an object as OpenAI's."""
    if not is_compatible:
        return {"error": error.text}
    kind = TYPES.get(error.status, "api_error")
    return {"error": {"message": error.text, "type": kind, "param": None, "code": None}}


def error_response(error: ModelError, *, is_compatible: bool, retry_after_s: float | None = None) -> Response:
    """The error as an answer."""
    headers = () if retry_after_s is None else (("Retry-After", str(int(retry_after_s))),)
    return json_response(error_body(error, is_compatible=is_compatible), error.status, headers)
