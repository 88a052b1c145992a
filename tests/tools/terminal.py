#!/usr/bin/env python3
"""Runs a command on a terminal of its own and prints what is on the screen at the end, and its exit code.

  terminal.py COLUMNS [--drawn] [--until TEXT --press KEYS] COMMAND...    KEYS are typed once TEXT was written

Lines that were erased and written again are shown as they were left; with --drawn each time that they were drawn.
"""

import codecs
import fcntl
import os
import pty
import re
import struct
import sys
import termios


def screen(text, drawn):
    lines = [""]
    for piece in re.findall(r"\r\n|\n|\r|\x1b\[K|[^\r\n\x1b]+", text):
        if piece in ("\r\n", "\n"):
            lines.append("")
        elif piece == "\x1b[K":
            if drawn and lines[-1]:
                lines.append("")
            lines[-1] = ""
        elif piece != "\r":
            lines[-1] += piece
    return "\n".join(lines)


def main(arguments):
    columns = int(arguments.pop(0))
    drawn = arguments[0] == "--drawn"
    if drawn:
        arguments.pop(0)
    until = press = None
    if arguments[0] == "--until":
        until, press = arguments[1], codecs.decode(arguments[3], "unicode_escape")
        arguments = arguments[4:]
    pid, terminal = pty.fork()
    if pid == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        os.execvp(arguments[0], arguments)
    written = b""
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # the command has closed it
            break
        if not piece:
            break
        written += piece
        if until is not None and until.encode() in written:
            os.write(terminal, press.encode())
            until = None
    _, status = os.waitpid(pid, 0)
    print(screen(written.decode(), drawn), end="")
    print(f"exit {os.waitstatus_to_exitcode(status)}")


if __name__ == "__main__":
    main(sys.argv[1:])
