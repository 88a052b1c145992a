#!/usr/bin/env python3
"""Keeps the table in tests/README.md: which test proves which numbered requirement.

A test names the requirements it proves: `R27_16_jobs_start_in_order` in GoogleTest, `R27.16 …` in bats.

  tests/requirements.py          fails when the table is not what the tests say
  tests/requirements.py --write  rewrites it
"""
import glob
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
README = os.path.join(HERE, "README.md")
BEGIN, END = "<!-- requirements: begin -->", "<!-- requirements: end -->"
NUMBER = re.compile(r"(?<![A-Za-z0-9])(R16|R20|R27|R33|PRIO)[._](\d+)(?!\d)")
TEST = re.compile(r"^TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\)", re.M)
BATS = re.compile(r'^@test "((?:[^"\\]|\\.)*)"', re.M)


def proofs():
    """{(document, number): [test, …]}"""
    found = {}
    for path in sorted(glob.glob(os.path.join(HERE, "**", "*_test.cc"), recursive=True)
                       + glob.glob(os.path.join(HERE, "*", "*.bats"))):
        with open(path, encoding="utf-8") as text:
            source = text.read()
        names = [m.group(2) for m in TEST.finditer(source)] + [m.group(1) for m in BATS.finditer(source)]
        for name in names:
            for document, number in NUMBER.findall("_" + name if name[0] == "_" else name):
                found.setdefault((document, int(number)), []).append(os.path.relpath(path, HERE))
    return found


def table():
    order = ["R16", "R20", "R27", "R33", "PRIO"]
    lines = ["| requirement | proved in |", "|---|---|"]
    for (document, number), paths in sorted(proofs().items(), key=lambda item: (order.index(item[0][0]), item[0][1])):
        lines.append(f"| {document}.{number} | {', '.join(f'`{p}`' for p in sorted(set(paths)))} |")
    return "\n".join(lines)


def main():
    with open(README, encoding="utf-8") as text:
        readme = text.read()
    head, rest = readme.split(BEGIN)
    tail = rest.split(END)[1]
    wanted = f"{head}{BEGIN}\n{table()}\n{END}{tail}"
    count = len(proofs())
    if count == 0:
        sys.exit("requirements: no test names a requirement")
    if sys.argv[1:] == ["--write"]:
        with open(README, "w", encoding="utf-8") as text:
            text.write(wanted)
    elif wanted != readme:
        sys.exit("requirements: tests/README.md is out of date: run tests/requirements.py --write")
    print(f"requirements: {count} are proved by tests")


if __name__ == "__main__":
    main()
