#!/usr/bin/env python3
"""Signals one of the gate's processes before one of its system calls.

  points.py USER PROCESS SIGNAL N REPORT GATE

Runs GATE as USER, gives it this program's input, and its end when it has answered: with a reply or an error, which goes to the
output. Sends SIGNAL (`KILL`, `STOP`, `none`) to one of its processes before the Nth of
the system calls that it makes: `asks`, which was started; `starts`, its child until it is another program; or `answers`, the
program that this becomes. REPORT then has a line: the process's number, and the number of the call; or `over` where there were
fewer calls. In the end all go on untraced. Root, who traces, is the only one who may do so to a setuid program and have it be one.

With `none` it is looked at each call whether USER may signal the process; REPORT has those calls, each by its place and number,
`yes` or `no`, a line each.
"""
import ctypes
import os
import pwd
import signal
import socket
import struct
import sys

LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
LIBC.ptrace.restype = ctypes.c_long
# linux/ptrace.h
SYSCALL, SEIZE, INTERRUPT, LISTEN, GET_SYSCALL_INFO, CONT = 24, 0x4206, 0x4207, 0x4208, 0x420E, 7
OPTIONS = 0x1 | 0x2 | 0x4 | 0x8 | 0x10  # TRACESYSGOOD, TRACEFORK, TRACEVFORK, TRACECLONE, TRACEEXEC
EVENT_FORKS, EVENT_EXEC, EVENT_STOP = (1, 2, 3), 4, 128
AT_ENTRY = 1
WALL = 0x40000000


def trace(request, pid, address=0, data=0):
    result = LIBC.ptrace(request, pid, address, data)
    if result < 0 and ctypes.get_errno() != 3:  # it may have gone
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def call_of(pid):
    """The number of the system call that the process is about to make; nothing after one."""
    info = ctypes.create_string_buffer(88)
    if trace(GET_SYSCALL_INFO, pid, len(info), ctypes.addressof(info)) < 32 or info.raw[0] != AT_ENTRY:
        return None
    return struct.unpack_from("=Q", info.raw, 24)[0]


def become(user):
    os.setgroups([])
    os.setresgid(user.pw_gid, user.pw_gid, user.pw_gid)
    os.setresuid(user.pw_uid, user.pw_uid, user.pw_uid)


def may_signal(user, pid):
    child = os.fork()
    if child == 0:
        become(user)
        try:
            os.kill(pid, 0)
        except PermissionError:
            os._exit(1)
        os._exit(0)
    return os.waitpid(child, 0)[1] == 0


def converse(ours):
    """In a process of its own, which outlives this one."""
    if os.fork() != 0:
        return
    answered = ours.makefile("rb")
    try:
        ours.sendall(sys.stdin.buffer.read())
        while len(head := answered.read(5)) == 5:
            letter, size = struct.unpack(">cI", head)
            sys.stdout.buffer.write(head + answered.read(size))
            if letter in b"RE":
                break
        sys.stdout.buffer.flush()
        ours.shutdown(socket.SHUT_WR)
        answered.read()
    except OSError:
        pass
    os._exit(0)


def start(user, command):
    """Stands before its exec."""
    go_read, go_write = os.pipe()
    ours, theirs = socket.socketpair()
    pid = os.fork()
    if pid == 0:
        os.close(go_write)
        os.read(go_read, 1)
        os.close(go_read)
        os.dup2(theirs.fileno(), 0)
        os.dup2(theirs.fileno(), 1)
        become(user)
        os.execve(command[0], command, {})
    os.close(go_read)
    theirs.close()
    trace(SEIZE, pid, 0, OPTIONS)
    os.close(go_write)
    converse(ours)
    ours.close()
    return pid


def main():
    user = pwd.getpwnam(sys.argv[1])
    wanted, place = sys.argv[2], int(sys.argv[4])
    number = None if sys.argv[3] == "none" else signal.Signals[f"SIG{sys.argv[3]}"]
    report, command = sys.argv[5], sys.argv[6:]
    first = start(user, command)
    role = {first: None}
    calls, lines = 0, []
    while role:
        pid, status = os.waitpid(-1, WALL)
        if not os.WIFSTOPPED(status):
            role.pop(pid, None)
            continue
        stopped_by, event = os.WSTOPSIG(status), status >> 16
        role.setdefault(pid, "other" if len(role) > 1 else "starts")
        pass_on = 0
        if event == EVENT_EXEC:
            role[pid] = "asks" if pid == first else "answers"
        elif event == EVENT_STOP:
            if stopped_by in (signal.SIGSTOP, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU):
                trace(LISTEN, pid)
                continue
        elif stopped_by == signal.SIGTRAP | 0x80:
            call = call_of(pid)
            if call is not None and role[pid] == wanted:
                calls += 1
                if number is None:
                    lines.append(f"{calls} {call} {'yes' if may_signal(user, pid) else 'no'}")
                elif calls == place:
                    os.kill(pid, number)
                    lines.append(f"{pid} {call}")
                    break
        elif event == 0:
            pass_on = stopped_by
        trace(SYSCALL if role[pid] in (None, wanted) else CONT, pid, 0, pass_on)
    with open(report, "w", encoding="ascii") as file:
        file.write("\n".join(lines or ["over"]) + "\n")


if __name__ == "__main__":
    main()
