"""Be a worker that has a process for its jobs: say who lives, ring it, and end as it is asked to."""

import os
import sys
from threading import Event, Thread

from service.logs import write_json_lines
from workers import job_process
from workers.job_process import JobProcess, JobProcessWatch, listen


def say(*words: object) -> None:
    os.write(1, f"{' '.join(map(str, words))}\n".encode())


def work(heard: int) -> None:
    stopping = Event()
    say("jobs", os.getppid(), os.getpid(), os.nice(0))
    listen(heard, lambda: say("stopped" if stopping.is_set() else "rung"), stopping)


def main() -> None:
    write_json_lines("error")
    job_process.PAUSE_S = 0.1  # type: ignore[misc]  # tests are in a hurry
    JobProcessWatch.every_s = 0.05
    jobs = JobProcess(work)
    jobs.start()
    watch = JobProcessWatch(jobs, Event())
    Thread(target=watch.run, daemon=True).start()
    say("worker", os.getpid())
    for word in sys.stdin:
        if word == "ring\n":
            jobs.ring()
        else:
            watch.stopping.set()
            jobs.end()
            return


if __name__ == "__main__":
    main()
