#!/usr/bin/env python3
"""What an engine takes of memory for one request.

  memory.py [--live] MIB HEAD PIECE TAIL ENGINE [ARGUMENT...]

Asks ENGINE, as the gate does, a request that is HEAD, as many times PIECE as make up so many MiB, and TAIL; with --live an
operation. A PIECE of @FILE is in that file. Prints the answer, the letter and the beginning of the text, and the most that the engine had, in MiB, a line each.
"""
import json
import os
import socket
import struct
import subprocess
import sys


def frame(letter, text):
    return letter + struct.pack(">I", len(text)) + text


def main():
    words = sys.argv[1:]
    letter = b"L" if words[0] == "--live" else b"Q"
    if letter == b"L":
        words.pop(0)
    size, head, piece, tail = int(words[0]) << 20, *(word.encode().decode("unicode_escape").encode() for word in words[1:4])
    ours, theirs = socket.socketpair()
    # Before there is more here: what a process had before its exec counts, too.
    engine = subprocess.Popen(words[4:], stdin=theirs, stdout=theirs)
    theirs.close()
    if piece.startswith(b"@"):
        with open(piece[1:], "rb") as file:
            piece = file.read()
    text = head + piece * ((size - len(head) - len(tail)) // len(piece)) + tail
    said = "gone"
    try:
        ours.sendall(frame(b"H", b'{"protocol":1,"command":"fq-test","damaged":false}') + frame(letter, text))
        stream = ours.makefile("rb")
        while len(head := stream.read(5)) == 5:
            kind, length = struct.unpack(">cI", head)
            answer = stream.read(length).decode(errors="replace")
            if kind in b"HT":
                continue
            said = f"{kind.decode()} {json.loads(answer)['message'] if kind == b'E' else answer}"
            break
        ours.shutdown(socket.SHUT_WR)
        stream.read()
    except OSError:
        pass
    _, _, used = os.wait4(engine.pid, 0)
    print(said[:200])
    print(used.ru_maxrss >> 10)


if __name__ == "__main__":
    main()
