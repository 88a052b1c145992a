#!/usr/bin/env python3
"""Speaks to the gate of a shared store as no command of fq does.

  speak.py ask NAME         asks requests of this name, each a line on standard input
  speak.py half TEXT        begins a frame with TEXT, as is, and does not go on with it
  speak.py many NAME BEFORE PIECE COUNT AFTER
                            asks one whose text is BEFORE, COUNT times PIECE, and AFTER
  speak.py hold NAME BEFORE PIECE COUNT AFTER
                            the same, the last half of it byte by byte, a few in a second, once it has made the file
                            /mnt/held; all that is left when its input ends
  speak.py unread           asks for all jobs, takes the first row and no more, makes the file /mnt/held, and stays until its input ends
  speak.py claim SIZE       says that a frame of SIZE bytes comes
  speak.py crowd COUNT      so many connections that greet; makes the file /mnt/held, and stays until its input ends
  speak.py under LIMIT      asks with the gate's own limit of this name (RLIMIT_…) at 0
  speak.py signalled        asks with all signals blocked, and some ignored
  speak.py pending          the same with some that are pending, and a timer
  speak.py shared           asks where the gate's descriptors do not block, and send signals
  speak.py toggled COUNT    asks so often while another process that shares the gate's descriptors makes them do so and not, and
                            has the signals sent to the engine; prints how many answers were right

Each prints, a line each, the letter and the text of what came in answer.
"""
import fcntl
import json
import os
import resource
import select
import signal
import socket
import struct
import subprocess
import sys

GATE = "/usr/libexec/fq/fq-gate"


class Gate:
    """One connection; its end is waited for."""

    def __init__(self, before=None, flags=0, keep=False):
        ours, theirs = socket.socketpair()
        fcntl.fcntl(theirs, fcntl.F_SETFL, fcntl.fcntl(theirs, fcntl.F_GETFL) | flags)
        self.gate = subprocess.Popen([GATE], stdin=theirs, stdout=theirs, preexec_fn=before)
        if keep:
            self.shared = theirs
        else:
            theirs.close()
        self.socket = ours
        self.stream = ours.makefile("rb")

    def send(self, data):
        """As is. False when nobody takes it."""
        try:
            self.socket.sendall(data)
            return True
        except OSError:
            return False

    def say(self, letter, text):
        return self.send(letter.encode() + struct.pack(">I", len(text)) + text)

    def hear(self):
        """The next frame, past what a user is told; nothing at the end."""
        while True:
            head = self.stream.read(5)
            if len(head) < 5:
                return None
            letter, size = struct.unpack(">cI", head)
            text = self.stream.read(size)
            if letter != b"T":
                return letter.decode(), text.decode(errors="replace")

    def greet(self):
        self.say("H", json.dumps({"protocol": 1, "command": "fq-test", "damaged": False}).encode())
        return self.hear()

    def end(self):
        """What still comes, once nothing more is said."""
        try:
            self.socket.shutdown(socket.SHUT_WR)
        except OSError:
            pass
        while (frame := self.hear()) is not None:
            show(frame)
        self.gate.wait()


def show(frame):
    if frame is None:
        print("gone")
        return
    letter, text = frame
    if letter == "E":
        text = json.loads(text)["message"]
    print(letter, text)


def text_of(before, piece, count, after):
    return before.encode() + piece.encode() * int(count) + after.encode()


def signalled():
    """Before the gate begins."""
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    for number in (signal.SIGPIPE, signal.SIGCHLD, signal.SIGXCPU, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)


def pending():
    signalled()
    for number in (signal.SIGTSTP, signal.SIGTTIN, signal.SIGUSR1, signal.SIGALRM, signal.SIGTERM):
        os.kill(os.getpid(), number)
    signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)


def crowd(count):
    gates = [Gate() for _ in range(count)]
    for gate in gates:
        gate.say("H", json.dumps({"protocol": 1, "command": "fq-test", "damaged": False}).encode())
    open("/mnt/held", "w").close()
    sys.stdin.read()
    for gate in gates:
        gate.socket.close()
        gate.stream.close()
    for gate in gates:
        gate.gate.wait()


def engine_of_caller():
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/cmdline", "rb") as file:
                words = file.read().split(b"\0")
        except OSError:
            continue
        if words[0] == b"fq-engine" and str(os.getuid()).encode() in words:
            return int(name)
    raise SystemExit("there is no engine")


def toggled(count):
    gate = Gate(keep=True)
    gate.greet()
    engine = engine_of_caller()
    toggles = os.fork()
    if toggles == 0:
        shared = gate.shared.fileno()
        plain = fcntl.fcntl(shared, fcntl.F_GETFL)
        fcntl.fcntl(shared, fcntl.F_SETOWN, engine)
        fcntl.fcntl(shared, fcntl.F_SETSIG, signal.SIGTERM)
        while True:
            for flags in (os.O_NONBLOCK, fcntl.FASYNC, os.O_NONBLOCK | fcntl.FASYNC, 0):
                fcntl.fcntl(shared, fcntl.F_SETFL, plain | flags)
    right = 0
    # Answers that are larger than what a socket holds, and small ones.
    for i in range(count):
        gate.say("Q", b"require-jobs\n{" + b" " * (300000 if i % 10 == 0 else 0) + b"}")
        right += gate.hear() == ("R", "{}")
        name = "x" * (300000 if i % 10 == 5 else 10)
        gate.say("Q", f"queue-priorities\n{{\"queue\":\"{name}\"}}".encode())
        right += (gate.hear() or ("",))[0] == "E"
    os.kill(toggles, signal.SIGKILL)
    os.waitpid(toggles, 0)
    gate.shared.close()
    print(right)
    gate.end()


def main():
    verb, *words = sys.argv[1:]
    if verb == "crowd":
        return crowd(int(words[0]))
    if verb == "toggled":
        return toggled(int(words[0]))
    before, flags = None, 0
    if verb == "under":
        limit = getattr(resource, words[0])
        before = lambda: resource.setrlimit(limit, (0, resource.getrlimit(limit)[1]))
    elif verb in ("signalled", "pending"):
        before = signalled if verb == "signalled" else pending
    elif verb == "shared":
        flags = os.O_NONBLOCK | fcntl.FASYNC
    gate = Gate(before, flags)
    if verb == "half":
        gate.greet()
        gate.send(words[0].encode())
        show(gate.hear())
        return gate.end()
    frame = gate.greet()
    if frame is None or frame[0] != "H":
        show(frame)
        return gate.end()
    if verb == "ask":
        for line in sys.stdin:
            gate.say("Q", f"{words[0]}\n{line.strip()}".encode())
            show(gate.hear())
    elif verb == "many":
        gate.say("Q", words[0].encode() + b"\n" + text_of(*words[1:]))
        show(gate.hear())
    elif verb == "hold":
        text = words[0].encode() + b"\n" + text_of(*words[1:])
        gate.send(b"Q" + struct.pack(">I", len(text)) + text[: len(text) // 2])
        open("/mnt/held", "w").close()
        sent = len(text) // 2
        while not select.select([sys.stdin], [], [], 0.2)[0]:
            gate.send(text[sent : sent + 1])
            sent += 1
        gate.send(text[sent:])
        show(gate.hear())
    elif verb == "unread":
        gate.say("Q", b"list-jobs row\n{}")
        while gate.hear()[0] != "O":
            pass
        open("/mnt/held", "w").close()
        sys.stdin.read()
        gate.gate.kill()
        return None
    elif verb == "claim":
        gate.send(b"Q" + struct.pack(">I", int(words[0])) + b"submit\n")
        show(gate.hear())
    else:
        gate.say("Q", b"queue-status\n{}")
        show(gate.hear())
    gate.end()


if __name__ == "__main__":
    main()
