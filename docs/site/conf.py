"""The configuration of Sphinx for the documentation site; `make site` builds it."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

project = "Rewound"
extensions = ["myst_parser", "builder"]
root_doc = "docs/README"
html_theme = "theme"
html_theme_path = ["."]
html_use_index = False
html_permalinks_icon = "#"
highlight_language = "text"

# The pages, from the root of the project, so that the links of a code host hold here too.
include_patterns = [
    "README.md",
    "CHANGELOG.md",
    "docs/**.md",
    "clients/README.md",
    "clients/*/README.md",
    "examples/duel/README.md",
    "service/rules/BOUNDS.md",
    "service/rules/*/RULES.md",
    "tests/PROMISES.md",
    "tests/vectors/*.md",
]
exclude_patterns = [".*", "build", "dist", "*.egg-info", "service/api", "deploy", "workers", "**/__pycache__"]

# Pages are written for code hosts, in their Markdown and with their anchors.
myst_disable_syntax = ["myst_role", "myst_target", "myst_line_comment", "myst_block_break"]
myst_heading_anchors = 6
myst_heading_anchors_html_ids = True

suppress_warnings = [
    "toc.not_included",  # the paths of the front page are the navigation
    "misc.highlighting_failure",  # an answer that is shortened with `…` is not JSON
]
