#!/usr/bin/env python3
"""inherited.py show: what a process has that it hands on to those it starts, a line each.
inherited.py set COMMAND...: runs it with each of these changed. inherited.py deny COMMAND...: runs it with PR_SET_MDWE."""

import ctypes
import os
import sys

LIBC = ctypes.CDLL(None, use_errno=True)
PR_SET_TIMERSLACK, PR_GET_TIMERSLACK, PR_SET_THP_DISABLE, PR_GET_THP_DISABLE, PR_SET_MDWE = 29, 30, 41, 42, 65
ADDRESSES_AS_THEY_ARE, OLD_RELEASE, ASK = 0x0040000, 0x0020000, 0xFFFFFFFF


def show():
    with open("/proc/self/coredump_filter", encoding="ascii") as dumped:
        print("dumped", dumped.read().strip())
    print("personality", hex(LIBC.personality(ASK)))
    print("slack", LIBC.prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0))
    print("no huge pages", LIBC.prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0))


def change():
    with open("/proc/self/coredump_filter", "w", encoding="ascii") as dumped:
        dumped.write("0x1ff")
    LIBC.personality(ADDRESSES_AS_THEY_ARE | OLD_RELEASE)
    LIBC.prctl(PR_SET_TIMERSLACK, 2_000_000_000, 0, 0, 0)
    LIBC.prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0)


what, *command = sys.argv[1:]
if what == "show":
    show()
elif what == "set":
    change()
    os.execvp(command[0], command)
else:
    if LIBC.prctl(PR_SET_MDWE, 1, 0, 0, 0) != 0:
        sys.exit("this kernel does not have it")
    os.execvp(command[0], command)
