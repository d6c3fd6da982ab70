"""The page for people: home, and a fight to look at.

It shows what the API returns and knows no rule.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from service.api.operations import PUBLIC, UNCHANGED, ResponseSchema, operation
from service.api.problem_pages import HTML, POLICY
from service.api.problems import not_found
from service.api.request import ApiRequest, ApiResponse
from service.api.served_files import Document, document_response, file_response, page_response
from service.api.single_file import single_file

TAG: Final = "Pages"
_EMBEDDED: Final = POLICY.replace("frame-ancestors 'none'", "frame-ancestors *")
_WITH_PICTURES: Final = POLICY.replace("img-src 'self'", "img-src 'self' blob:")
"""The policy of pages on which a person looks at a picture of a map, which stays in the browser."""
_FOLDERS: Final = frozenset({"client", "embed", "fight", "home", "new", "shared"})
"""The folders whose files the page loads; `client` has the modules of clients/javascript."""
_FOR_OTHERS: Final = "embed"
"""The folder whose modules any page of another site may load."""


@operation(
    "GET", "/", "getHome", TAG, roles=PUBLIC, answers={200: ResponseSchema("The page.", None, "text/html")}
)
def get_home(request: ApiRequest) -> ApiResponse:  # noqa: ARG001 - it asks nothing
    """Show the encounters that a key or a seat's token may see, at the address that the service prints."""
    return page_response("home/home.html")


@operation(
    "GET",
    "/encounters/{encounter}",
    "getFightPage",
    TAG,
    roles=PUBLIC,
    answers={200: ResponseSchema("The page.", None, "text/html")},
    problems=("not-found",),
)
def get_fight_page(request: ApiRequest) -> ApiResponse:
    """Show the page of one fight: its map, its timeline and its log.

    The page is the same for every encounter. It asks the API for what it shows, with the key or token that
    the address has after `#key=`, or that was typed. A request with a token is for the API: it gets 404.
    """
    if "authorization" in request.headers:  # a browser sends none when it opens a page
        raise not_found(f"this is a page for browsers; closest match: /v1{request.target}")
    return page_response("fight/fight.html", _WITH_PICTURES)


@operation(
    "GET",
    "/s",
    "getSharedFight",
    TAG,
    roles=PUBLIC,
    answers={200: ResponseSchema("The page.", None, "text/html")},
)
def get_shared_fight(request: ApiRequest) -> ApiResponse:  # noqa: ARG001 - the link is not sent
    """Show the fight of a share link, whose token the address has after `#`; any page may have it in a frame.

    A frame has no storage of its own and no cookies, so no other page can make anybody do something in it.
    """
    return page_response("fight/fight.html", _EMBEDDED)


@operation(
    "GET",
    "/new",
    "getNewFight",
    TAG,
    roles=PUBLIC,
    answers={200: ResponseSchema("The page.", None, "text/html")},
)
def get_new_fight(request: ApiRequest) -> ApiResponse:  # noqa: ARG001 - it asks nothing
    """Show how a fight is opened by clicking: its book, creatures, map, seats and links."""
    return page_response("new/new.html", _WITH_PICTURES)


@operation(
    "GET",
    "/page/replay",
    "getReplayPage",
    TAG,
    roles=PUBLIC,
    answers={200: ResponseSchema("The page.", None, "text/html"), 304: UNCHANGED},
)
def get_replay_page(request: ApiRequest) -> ApiResponse:
    """Get the page that replays a fight from one file, without a fight: the page of a fight writes it in."""
    return document_response(request, _replay(), HTML)


@cache
def _replay() -> Document:
    return Document(single_file("fight/fight.html", "fight/replayed.mjs", None).encode())


@operation(
    "GET",
    "/page/{folder}/{file}",
    "getPageFile",
    TAG,
    roles=PUBLIC,
    answers={200: ResponseSchema("The file.", None, "*/*"), 304: UNCHANGED},
    problems=("not-found",),
)
def get_page_file(request: ApiRequest) -> ApiResponse:
    """Get a module or a style sheet that the page loads."""
    folder = request.path["folder"]
    if folder not in _FOLDERS:
        raise not_found()
    answer = file_response(request, f"{folder}/{request.path['file']}")
    if folder == _FOR_OTHERS:
        answer.headers["Access-Control-Allow-Origin"] = "*"
    return answer
