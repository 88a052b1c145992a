#!/usr/bin/env python3
"""A client of PMI-1 (RFC 13), for what MPI programs do with it: the steps are given, each prints a line.

  pmi.py STEP...

  ring         puts a value, waits for the others, prints the value of the next rank and where ranks are
  barriers N   enters N barriers, prints how many
  send LINE    sends LINE and prints the answer; \\n in it begins another line
  finalize     takes its leave
"""

import os
import socket
import sys


def main(steps):
    connection = socket.socket(fileno=int(os.environ["PMI_FD"])).makefile("rw", encoding="utf-8", newline="\n")
    rank, size = int(os.environ["PMI_RANK"]), int(os.environ["PMI_SIZE"])

    def ask(line):
        connection.write(line + "\n")
        connection.flush()
        return connection.readline().rstrip("\n")

    def words(line):
        return dict(word.split("=", 1) for word in line.split())

    assert words(ask("cmd=init pmi_version=1 pmi_subversion=1"))["rc"] == "0"
    name = words(ask("cmd=get_my_kvsname"))["kvsname"]
    steps = iter(steps)
    for step in steps:
        if step == "ring":
            assert words(ask(f"cmd=put kvsname={name} key=card-{rank} value=rank {rank}"))["rc"] == "0"
            assert words(ask("cmd=barrier_in")) == {"cmd": "barrier_out", "rc": "0"}
            got = ask(f"cmd=get kvsname={name} key=card-{(rank + 1) % size}")
            mapping = words(ask(f"cmd=get kvsname={name} key=PMI_process_mapping"))["value"]
            print(f"{rank} of {size}: {got.split('value=')[1]}, {mapping}")
        elif step == "barriers":
            count = int(next(steps))
            for _ in range(count):
                assert words(ask("cmd=barrier_in"))["rc"] == "0"
            print(count)
        elif step == "send":
            print(ask(next(steps).replace("\\n", "\n").replace("NAME", name)))
        elif step == "finalize":
            print(ask("cmd=finalize"))
        sys.stdout.flush()


main(sys.argv[1:])
