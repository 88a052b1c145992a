#!/usr/bin/env python3
"""Finds and waits for processes of one store. Processes are named by pid only; zombies count as gone.

processes.py find STORE PROGRAM [WORD]   pids whose program is PROGRAM and whose arguments name STORE (and WORD)
processes.py gone PID...                 waits until all have ended; fails after 20 s
processes.py locking PID                 waits until the process, or its child, waits for a file's lock; fails after 20 s
processes.py leftovers STORE             waits until nothing has STORE in its arguments or environment; after 20 s
                                         kills what is left by pid, prints it and fails
"""

import os
import select
import signal
import sys
import time

LIMIT_S = 20.0


def read(pid, name):
    try:
        with open(f"/proc/{pid}/{name}", "rb") as file:
            return file.read()
    except OSError:
        return b""


def pids():
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def family():
    """This process and all that it descends from: the test's own shells."""
    chain, pid = set(), os.getpid()
    while pid > 1 and pid not in chain:
        chain.add(pid)
        pid = int(read(pid, "stat").rpartition(b")")[2].split()[1])
    return chain


def find(store, program, word=None):
    for pid in pids():
        arguments = read(pid, "cmdline").split(b"\0")
        if os.path.basename(arguments[0]) != program.encode():
            continue
        if store.encode() in arguments and (word is None or word.encode() in arguments):
            yield pid


def wait_for(pid, deadline):
    try:
        fd = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        poll = select.poll()
        poll.register(fd, select.POLLIN)
        return bool(poll.poll(max(0.0, deadline - time.monotonic()) * 1000))
    finally:
        os.close(fd)


def gone(wanted):
    deadline = time.monotonic() + LIMIT_S
    late = [pid for pid in wanted if not wait_for(pid, deadline)]
    for pid in late:
        print(f"process {pid} has not ended: {read(pid, 'cmdline').decode(errors='replace')!r}", file=sys.stderr)
    return not late


def locking(pid):
    """Whether /proc/locks comes to list the process, or a child of it, among those that wait for a lock (`->`)."""
    deadline = time.monotonic() + LIMIT_S
    while time.monotonic() < deadline:
        asked = {pid, *read(pid, f"task/{pid}/children").decode().split()}
        with open("/proc/locks") as locks:
            if any(line.split()[1] == "->" and line.split()[5] in asked for line in locks):
                return True
        time.sleep(0.005)
    print(f"process {pid} waits for no lock", file=sys.stderr)
    return False


def is_exiting(pid):
    """It has no arguments any more, and may have its files and locks yet (PF_EXITING; zombies have neither)."""
    fields = read(pid, "stat").rpartition(b")")[2].split()
    return len(fields) > 6 and fields[0] != b"Z" and bool(int(fields[6]) & 0x4)


def users(store, own):
    mark = store.encode()
    for pid in pids():
        if pid not in own and (mark in read(pid, "cmdline") or mark in read(pid, "environ") or is_exiting(pid)):
            yield pid


def leftovers(store):
    if not os.path.isabs(store):
        sys.exit(f"processes.py: {store!r} is no store: every process would be one of its")
    deadline = time.monotonic() + LIMIT_S
    own = family()
    while left := list(users(store, own)):
        if any(not wait_for(pid, deadline) for pid in left):
            break
    for pid in left:
        print(f"left behind: {pid} {read(pid, 'cmdline')!r}", file=sys.stderr)
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    return not left


def main(arguments):
    command, *rest = arguments
    if command == "find":
        found = list(find(*rest))
        print("\n".join(map(str, found)))
        return bool(found)
    if command == "gone":
        return gone(map(int, rest))
    if command == "locking":
        return locking(*rest)
    if command == "leftovers":
        return leftovers(*rest)
    sys.exit(__doc__)


if __name__ == "__main__":
    sys.exit(0 if main(sys.argv[1:]) else 1)
