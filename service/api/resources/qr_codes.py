"""QR codes: a link that a phone reads from a screen."""

from __future__ import annotations

from typing import Annotated, Final

from service.api.operations import PUBLIC, ResponseSchema, operation
from service.api.problems import invalid
from service.api.request import ApiRequest, ApiResponse
from service.api.schemas import schema_of
from service.api.shapes import NUMBER, TEXT, closed, component
from service.rules.kernel.meaning import text
from service.rules.kernel.records import record

TAG: Final = "Pages"
LONGEST: Final = 1_000
"""Characters of a text; a longer one makes a code that phones do not read from a screen."""
MOST_BYTES: Final = 2_331
"""What the largest code holds; characters of other scripts take two to four bytes each."""


@record
class NewQrCode:
    """The text that the code says."""

    text: Annotated[str, text("text", LONGEST, least=1)]
    """The text of the code."""


NEW_QR_CODE: Final = schema_of(NewQrCode)()
QR_CODE: Final = component(
    "QrCode",
    closed(
        "A QR code: black squares on white.",
        size={**NUMBER, "description": "Squares along one side, with the white border."},
        path={
            **TEXT,
            "description": "The outline of the black squares, as the `d` of an SVG path in squares.",
        },
    ),
)


@operation(
    "POST",
    "/v1/qr-codes",
    "makeQrCode",
    TAG,
    roles=PUBLIC,
    body=NEW_QR_CODE,
    answers={200: ResponseSchema("The code.", QR_CODE)},
)
def make_qr_code(request: ApiRequest) -> ApiResponse:
    """Make the QR code of a text, such as the link of a seat; nothing is stored."""
    import segno  # noqa: PLC0415 - only who shares a link needs it

    try:
        code = segno.make(request.data["text"], error="m", micro=False)
    except segno.DataOverflowError:
        raise invalid(
            ("/text", f"text of 1 to {LONGEST} characters, and of at most {MOST_BYTES} bytes")
        ) from None
    border = code.default_border_size
    rows = [[bool(module) for module in row] for row in code.matrix]
    path = "".join(
        f"M{x + border} {y + border}h1v1h-1z"
        for y, row in enumerate(rows)
        for x, dark in enumerate(row)
        if dark
    )
    return ApiResponse({"size": len(rows) + 2 * border, "path": path})
