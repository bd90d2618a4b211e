"""Signing in with the token, and out again."""

from urllib.parse import quote

from fastapi import APIRouter, HTTPException, Request
from starlette.responses import Response

from inforadar.interfaces.web.answers import Radar
from inforadar.interfaces.web.attempts import WITHIN_S
from inforadar.interfaces.web.guard import BEARER
from inforadar.interfaces.web.pages.forms import OwnForm, Sent, go_to, own_path, sent_from
from inforadar.interfaces.web.pages.rendering import page
from inforadar.interfaces.web.sessions import cookie_header, forget_header
from inforadar.observe.log import get_log

SIGN_IN = "/sign-in"

router = APIRouter(include_in_schema=False)
log = get_log("web")


@router.get(SIGN_IN)
def show_sign_in(request: Request, radar: Radar) -> Response:
    """The form; whoever is in already goes on."""
    if request.app.state.guard.token is None or request.scope["visitor"].is_signed_in:
        return go_to("/")
    return sign_in_page(request, radar, back="/")


@router.post(SIGN_IN)
def sign_in(request: Request, radar: Radar, form: Sent) -> Response:
    """Let whoever knows the token in; tries are counted, right or wrong."""
    back = own_path(form.one("back"))
    wait_s = request.app.state.attempts.wait_s(request.scope["address"])
    if wait_s:
        problem = f"Too many tries. Wait {int(wait_s) + 1} seconds."
        answer = sign_in_page(request, radar, back=back, problem=problem, status=429)
        answer.headers["Retry-After"] = str(int(WITHIN_S))
        return answer
    if not request.app.state.guard.is_token(form.one("token").strip()):
        log.warning("somebody tried to sign in with a wrong token")
        return sign_in_page(request, radar, back=back, problem="That is not the token.")
    visitor = request.app.state.sessions.sign_in()
    cookie = cookie_header(request.headers.get("host", ""), visitor, origin=request.headers.get("origin", ""))
    return go_to(back, **{"Set-Cookie": cookie})


@router.post("/sign-out")
def sign_out(request: Request, _form: OwnForm) -> Response:
    """End the session, on the server too."""
    if request.app.state.guard.token is None:
        raise HTTPException(409, "No token is configured: nobody has to sign in, and nobody can sign out.")
    request.app.state.sessions.sign_out(request.scope["visitor"])
    forget = forget_header(request.headers.get("host", ""))
    # the browser keeps pages for whoever goes back; whoever signed out wants none of them shown
    return go_to(SIGN_IN, **{"Set-Cookie": forget, "Clear-Site-Data": '"cache"'})


def sign_in_page(request: Request, radar: Radar, *, back: str, problem: str = "", status: int = 401) -> Response:
    """The form, with what was wrong with the last try."""
    return page(
        request,
        "sign_in.html",
        now=radar.app.clock.now(),
        http_status=status,
        headers=BEARER if status == 401 else None,
        back=back,
        problem=problem,
    )


def asked_path(request: Request) -> str:
    """Where somebody wanted to go, or sent a form from, before the sign-in stood in the way."""
    if request.method == "POST":
        return sent_from(request)
    query = request.url.query
    return own_path(quote(request.url.path) + (f"?{query}" if query else ""))
