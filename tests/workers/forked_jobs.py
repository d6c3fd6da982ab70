"""Be a worker that has a process for its jobs: say who lives, ring it, and end as it is asked to."""

import os
import sys
from socket import socket
from threading import Event, Thread

from service import forked
from service.logs import write_json_lines
from workers.worker_processes import WorkerProcesses, WorkerProcessesWatch, listen


def say(*words: object) -> None:
    os.write(1, f"{' '.join(map(str, words))}\n".encode())


def work(heard: int) -> None:
    stopping = Event()
    say("jobs", os.getppid(), os.getpid(), os.nice(0))
    listen(heard, lambda: say("stopped" if stopping.is_set() else "rung"), stopping)


def slow(channel: socket) -> None:
    say("slow", os.getppid(), os.getpid(), os.nice(0))
    for word in channel.makefile("rb"):
        say("heard", int(word))


def main() -> None:
    write_json_lines("error")
    forked.PAUSE_S = 0.1  # type: ignore[misc]  # tests are in a hurry
    WorkerProcessesWatch.every_s = 0.05
    jobs = WorkerProcesses(work, slow)
    jobs.start()
    watch = WorkerProcessesWatch(jobs, Event())
    Thread(target=watch.run, daemon=True).start()
    say("worker", os.getpid())
    for word in sys.stdin:
        if word == "ring\n":
            jobs.ring()
        elif word == "ask\n":
            jobs.slow.sendall(b"7\n")
        else:
            watch.stopping.set()
            jobs.end()
            return


if __name__ == "__main__":
    main()
