#!/usr/bin/env python3
"""Runs a command again and again and kills it with SIGKILL after a random time.

kill_loop.py SEED COUNT MAX_MS COMMAND...   prints what the command printed; the last line on stderr says how many
                                            runs were killed. The same seed gives the same delays.
"""

import os
import random
import select
import subprocess
import sys


def run_and_kill(command, delay_s):
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    poll = select.poll()
    fd = os.pidfd_open(process.pid)
    poll.register(fd, select.POLLIN)
    killed = not poll.poll(delay_s * 1000)
    if killed:
        process.kill()
    out, err = process.communicate()
    os.close(fd)
    return killed, out, err


def main(seed, count, max_ms, *command):
    delays = random.Random(int(seed))
    total = 0
    for _ in range(int(count)):
        killed, out, err = run_and_kill(command, delays.uniform(0, float(max_ms)) / 1000)
        total += killed
        sys.stdout.buffer.write(out)
        sys.stdout.buffer.flush()
        sys.stderr.buffer.write(err)
    print(f"killed {total}", file=sys.stderr)


if __name__ == "__main__":
    main(*sys.argv[1:])
