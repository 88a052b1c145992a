#!/usr/bin/env python3
"""Keeps submitting jobs to a store and kills processes of that store at random, by pid.

chaos.py STORE SEED KILLS   prints the ids that fq-submit printed. Each job appends its id to the file `ran`.
"""

import os
import random
import signal
import subprocess
import sys


def processes_of(store):
    mark = store.encode()
    for name in os.listdir("/proc"):
        if not name.isdigit() or int(name) == os.getpid():
            continue
        try:
            with open(f"/proc/{name}/cmdline", "rb") as file:
                arguments = file.read().split(b"\0")
            with open(f"/proc/{name}/environ", "rb") as file:
                environment = file.read()
        except OSError:
            continue
        # Detached programs have the store as an argument, tasks in the environment of their job.
        if mark in arguments or b"FQ_JOB_ATTEMPT=" in environment and mark in environment:
            yield int(name)


def main(store, seed, kills):
    chance = random.Random(int(seed))
    submit = ["fq-submit", "sh", "-c", 'echo "$FQ_JOB_ID" >>ran; true | cat']
    running = []
    for _ in range(int(kills)):
        while len(running) < 4:
            running.append(subprocess.Popen(submit, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE))
        victims = list(processes_of(store)) + [process.pid for process in running]
        try:
            os.kill(chance.choice(victims), signal.SIGKILL)
        except ProcessLookupError:
            pass
        running[0].wait()
        for process in [process for process in running if process.poll() is not None]:
            sys.stdout.write(process.stdout.read().decode())
            sys.stdout.flush()
            running.remove(process)
    for process in running:
        sys.stdout.write(process.communicate()[0].decode())


if __name__ == "__main__":
    main(*sys.argv[1:])
