#!/usr/bin/env python3
"""Runs each command line of standard input, its output in a pipe, or behind `tty ` on a terminal, and prints which of
them let words of users through that steer a terminal. The words of the tests hold the marks below; fq's own output
never does.
"""

import os
import pty
import subprocess
import sys

# An escape sequence other than of colours and erased lines, a bell, two C1 controls, an override and an isolate of
# direction, a line separator, what is not UTF-8, and a line of its own.
MARKS = [b"\x1b]", b"\x07", b"\xc2\x9b", b"\xc2\x9d", b"\xe2\x80\xae", b"\xe2\x81\xa6", b"\xe2\x80\xa8", b"\xff", b"\nFORGED",
         b"\rFORGED"]


def in_pipes(line):
    done = subprocess.run(["sh", "-c", line], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    return b"\n" + done.stdout + b"\n" + done.stderr


def on_terminal(line):
    pid, terminal = pty.fork()
    if pid == 0:
        os.execvp("sh", ["sh", "-c", line])
    written = b"\n"
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # the command has closed it
            break
        if not piece:
            break
        written += piece
    os.waitpid(pid, 0)
    return written


def main(lines):
    for line in lines:
        output = on_terminal(line[4:]) if line.startswith("tty ") else in_pipes(line)
        found = [mark for mark in MARKS if mark in output]
        if found:
            at = output.index(found[0])
            print(f"{line}: {found[0]!r} in {output[max(0, at - 60):at + 20]!r}")


if __name__ == "__main__":
    main([line.rstrip("\n") for line in sys.stdin])
