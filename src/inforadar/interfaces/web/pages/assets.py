"""Our own style sheet, script and icon: the only files that pages load."""

from fastapi import APIRouter
from starlette.responses import Response

from inforadar.interfaces.web.answers import nowhere
from inforadar.interfaces.web.pages.rendering import STATIC, asset

FOR_GOOD = "private, max-age=31536000, immutable"

router = APIRouter(include_in_schema=False)


@router.get("/static/{digest}/{name}")
def show_asset(digest: str, name: str) -> Response:
    """One file; its address changes with it, so that a browser may keep it."""
    if name not in STATIC:
        raise nowhere("such file")
    found = asset(name)
    cache = FOR_GOOD if digest == found.digest else "no-store"
    return Response(found.body, headers={"Cache-Control": cache, "Content-Type": found.media_type})
