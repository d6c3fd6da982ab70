"""Keep what this version's release must be read by for ever; a version is kept once."""

from __future__ import annotations

import sys
from importlib.metadata import version

from tests.released.kept import HOME, keep


def main() -> int:
    """Keep the version of this checkout, unless it is kept already."""
    home = HOME / version("rewound")
    if home.exists():
        sys.stderr.write(f"{home.name} is kept already: a release does not change\n")
        return 1
    keep(home)
    sys.stdout.write(f"kept {home.name}: {sum(path.is_file() for path in home.rglob('*'))} files\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
