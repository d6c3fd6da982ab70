"""Be a module that is forked: say which process it is, and end as it is told."""

import os
import signal
import sys
import time


def end(_number: int, _frame: object) -> None:
    sys.exit(7)


def main() -> None:
    signal.signal(signal.SIGTERM, end)
    sys.stdout.write(f"{os.getppid()} {os.getpid()} {' '.join(sys.argv[1:])}\n")
    sys.stdout.flush()
    if "dies" in sys.argv:
        os.kill(os.getpid(), signal.SIGKILL)
    if "fails" in sys.argv:
        sys.exit(5)
    time.sleep(120)


if __name__ == "__main__":
    main()
