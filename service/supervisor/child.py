"""Run a module while its supervisor lives: `python -m service.supervisor.child MODULE ARGS...`.

Standard input is the lifeline. The process leads its own process group, which ends with it.
"""

from __future__ import annotations

import runpy
import sys
from typing import Final

from service.lifeline import end_with_parent

MODULES: Final = ("gunicorn", "workers")
"""The modules that may be run this way."""


def main() -> None:
    """Run the module named by the first argument, with the rest as its arguments."""
    module, *arguments = sys.argv[1:]
    if module not in MODULES:
        sys.exit(f"{module} is not one of {', '.join(MODULES)}")
    end_with_parent(0)
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
