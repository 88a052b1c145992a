#!/usr/bin/env python3
"""Checks every file of lib/, tools/ and imp/ against the layer table and the fences in lib/README.md.

  layering.py [ROOT]         prints each violation as FILE:LINE: what, and exits with 1 if there is one
  layering.py --self-test    proves on small trees that each kind of violation is found

A page whose tables cannot be read, or a tree without sources, is a failure too: silence always means checked.
"""

import re
import sys
import tempfile
from pathlib import Path

SOURCES = {".h", ".cc"}
# Folders beside lib/: of programs, whose files include each other by their names in there.
PROGRAMS = ["tools", "imp", "gate"]
INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^">]+)[">]')
# `a` or `a/b.cc` in a table cell
QUOTED = re.compile(r"`([^`]+)`")


class Unreadable(Exception):
    """The page does not say what is to be checked."""


def tables(text):
    """Every Markdown table of the page, as a list of rows of cells, the heading first."""
    found, rows = [], []
    for line in text.splitlines() + [""]:
        if line.startswith("|"):
            rows.append([cell.strip() for cell in line.strip().strip("|").split("|")])
        elif rows:
            found.append([row for row in rows if not all(re.fullmatch(r":?-+:?", cell) for cell in row)])
            rows = []
    return found


def find_table(text, heading):
    for table in tables(text):
        if table[0] == heading:
            return table[1:]
    raise Unreadable(f"there is no table '| {' | '.join(heading)} |'")


def read_layers(text):
    """folder → the folders that it may include, in the order of the table."""
    layers = {}
    for row in find_table(text, ["folder", "what lives there", "may include"]):
        name = QUOTED.fullmatch(row[0])
        if len(row) != 3 or not name:
            raise Unreadable(f"the layer table has a row that is not `folder`, words, folders: {row}")
        allowed = [] if row[2] == "–" else [word.strip() for word in row[2].split(",")]
        for folder in allowed:
            if folder not in layers:
                raise Unreadable(f"the row of {name[1]} allows '{folder}', which is no row above it")
        layers[name[1]] = set(allowed)
    if "base" not in layers or "tools" not in layers:
        raise Unreadable("the layer table lacks base or tools")
    return layers


def read_fences(text):
    """(tokens, places) of each row: what stands in the first cell may occur in the places only."""
    fences = []
    for row in find_table(text, ["fence", "only in"]):
        tokens, places = (QUOTED.findall(cell) for cell in row)
        if not tokens or not places:
            raise Unreadable(f"the fence table has an empty cell: {row}")
        for token in tokens:
            if not token.startswith("<") and not token.endswith("()"):
                raise Unreadable(f"the fence `{token}` is neither `<header` nor `function()`")
        fences.append((tokens, places))
    if not fences:
        raise Unreadable("the fence table is empty")
    return fences


def blank(match):
    return re.sub(r"[^\n]", " ", match[0])


def code_of(text):
    """The text with comments and literals blanked, line for line."""
    literals = r'//[^\n]*|/\*.*?\*/|R"\(.*?\)"|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])*\''
    return re.sub(literals, blank, text, flags=re.DOTALL)


def calls(code, name):
    """Offsets at which the function is called: `::name(`, or `name(` that is neither a member, a declaration nor of
    another namespace."""
    for match in re.finditer(rf"(?<!\w){re.escape(name)}\s*\(", code):
        before = code[:match.start()]
        if before.endswith("::"):
            if not re.search(r"[\w>]::$", before) or re.search(r"\bstd::$|\bchrono::$", before):
                yield match.start()
            continue
        before = before.rstrip()
        word = re.search(r"(\w+)$", before)
        declared = word and word[1] not in {"return", "else", "do", "case", "throw", "co_return"}
        if not declared and not before.endswith((".", "->")):
            yield match.start()


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


class Checker:
    def __init__(self, root):
        self.root = root
        page = (root / "lib/README.md").read_text(encoding="utf-8")
        self.layers = read_layers(page)
        self.fences = read_fences(page)
        self.violations = []
        self.files = 0

    def report(self, path, line, what):
        self.violations.append(f"{path.relative_to(self.root)}:{line}: {what}")

    def run(self):
        folders = sorted(p for p in (self.root / "lib").iterdir() if p.is_dir())
        folders += [self.root / name for name in PROGRAMS if (self.root / name).is_dir()]
        for folder in folders:
            if folder.name not in self.layers:
                self.report(folder, 1, f"'{folder.name}' has no row in the layer table")
                continue
            for path in sorted(folder.rglob("*")):
                if path.suffix in SOURCES:
                    self.check(path, folder.name)
        for name in self.layers:
            if name not in PROGRAMS and not (self.root / "lib" / name).is_dir():
                self.report(self.root / "lib/README.md", 1, f"the layer table has '{name}', lib/ has not")
        self.check_libraries()
        if self.files == 0:
            raise Unreadable("no source file was found")
        return self.violations

    def check(self, path, folder):
        self.files += 1
        text = path.read_text(encoding="utf-8")
        for number, line in enumerate(text.splitlines(), 1):
            include = INCLUDE.match(line)
            if include and include[1] == '"':
                self.check_include(path, folder, number, include[2])
        self.check_fences(path, folder, text)

    def check_include(self, path, folder, number, target):
        if target.endswith("_generated.h"):
            return
        if folder in PROGRAMS and (self.root / folder / target).is_file():
            return
        other = target.split("/")[0] if "/" in target else None
        if other is None:
            self.report(path, number, f'"{target}" does not name its folder')
        elif other not in self.layers:
            self.report(path, number, f"'{other}' is no folder of lib/")
        elif not (self.root / ("" if other in PROGRAMS else "lib") / target).is_file():
            self.report(path, number, f'there is no file "{target}" in lib/')
        elif other != folder and other not in self.layers[folder]:
            self.report(path, number, f"'{folder}' may not include '{other}'")

    def check_fences(self, path, folder, text):
        code = code_of(text)
        place = path.relative_to(self.root / "lib" if path.is_relative_to(self.root / "lib") else self.root)
        for tokens, places in self.fences:
            if folder in places or any(place.is_relative_to(allowed) for allowed in places):
                continue
            for token in tokens:
                for line in self.token_lines(token, text, code):
                    self.report(path, line, f"`{token}` only in {', '.join(places)}")

    @staticmethod
    def token_lines(token, text, code):
        if token.startswith("<"):
            for number, line in enumerate(text.splitlines(), 1):
                include = INCLUDE.match(line)
                if include and include[2].startswith(token[1:]):
                    yield number
            return
        name = token[:-2]
        if "::" in name:
            offsets = (m.start() for m in re.finditer(rf"\b{re.escape(name)}\s*\(", code))
        else:
            offsets = calls(code, name)
        for offset in offsets:
            yield line_of(code, offset)

    def check_libraries(self):
        """What lib/CMakeLists.txt links must be what the table allows."""
        path = self.root / "lib/CMakeLists.txt"
        if not path.is_file():
            return
        text = path.read_text(encoding="utf-8")
        for match in re.finditer(r"^fq_library\((\w+)([^)]*)\)", text, flags=re.MULTILINE):
            for linked in re.findall(r"\bfq_(\w+)", match[2]):
                if linked in self.layers and linked not in self.layers.get(match[1], set()):
                    self.report(path, line_of(text, match.start()), f"'{match[1]}' may not link '{linked}'")


PAGE = """
| folder | what lives there | may include |
|---|---|---|
| `base` | helpers | – |
| `job` | jobs | base |
| `tools` | commands | job, base |

| fence | only in |
|---|---|
| `<rocksdb/` | `base` |
| `kill()`, `steady_clock::now()` | `base/process.cc` |
"""
CLEAN = {
    "lib/README.md": PAGE,
    "lib/base/error.h": "#include <string>\n",
    "lib/base/process.cc": "int f() { return ::kill(1, 2); }\n",
    "lib/job/job.h": '#include "base/error.h"\n// ::kill(1, 2)\nvoid kill(int);\nauto t = "kill(1)";\n',
    "lib/job/job.cc": '#include "job/job.h"\n#include "x_generated.h"\nvoid g(T t) { t.kill(1); other::kill(2); }\n',
    "lib/CMakeLists.txt": "fq_library(base)\nfq_library(job fq_base)\n",
    "tools/fq.cc": '#include "job/commands.h"\n#include "job/job.h"\n',
    "tools/job/commands.h": "\n",
}
# What is planted, and what must be said of it; None: the check must refuse to run.
PLANTED = [
    ({}, []),
    ({"lib/base/bad.h": '\n#include "job/job.h"\n'}, ["lib/base/bad.h:2: 'base' may not include 'job'"]),
    ({"lib/job/bad.h": '#include "error.h"\n'}, ['lib/job/bad.h:1: "error.h" does not name its folder']),
    ({"lib/job/bad.h": '#include "base/gone.h"\n'}, ['lib/job/bad.h:1: there is no file "base/gone.h" in lib/']),
    ({"lib/job/bad.h": '#include "other/x.h"\n'}, ["lib/job/bad.h:1: 'other' is no folder of lib/"]),
    ({"lib/other/x.h": "\n"}, ["lib/other:1: 'other' has no row in the layer table"]),
    ({"lib/job/bad.cc": "#include <rocksdb/db.h>\n"}, ["lib/job/bad.cc:1: `<rocksdb/` only in base"]),
    ({"lib/README.md": PAGE.replace("| `base` |\n| `kill", "| `job/on_disk` |\n| `kill"),
      "lib/job/on_disk/good.cc": "#include <rocksdb/db.h>\n", "lib/job/bad.cc": "#include <rocksdb/db.h>\n"},
     ["lib/job/bad.cc:1: `<rocksdb/` only in job/on_disk"]),
    ({"lib/job/bad.cc": "void f() {\n  ::kill(1, 2);\n}\n"}, ["lib/job/bad.cc:2: `kill()` only in base/process.cc"]),
    ({"lib/job/bad.cc": "int f() { return kill (1, 2); }\n"}, ["lib/job/bad.cc:1: `kill()` only in base/process.cc"]),
    ({"tools/bad.cc": "auto t = std::chrono::steady_clock::now();\n"},
     ["tools/bad.cc:1: `steady_clock::now()` only in base/process.cc"]),
    ({"lib/CMakeLists.txt": "fq_library(job fq_base)\nfq_library(base fq_job)\n"},
     ["lib/CMakeLists.txt:2: 'base' may not link 'job'"]),
    ({"lib/README.md": PAGE.replace("may include", "includes")}, None),
    ({"lib/README.md": PAGE.replace("| base |", "| bass |")}, None),
    ({"lib/README.md": PAGE.replace("`kill()`", "`kill`")}, None),
    ({path: None for path in CLEAN if path.endswith((".h", ".cc"))}, None),
]


def self_test():
    failures = 0
    for planted, expected in PLANTED:
        with tempfile.TemporaryDirectory() as directory:
            root = Path(directory)
            for name, content in {**CLEAN, **planted}.items():
                path = root / name
                path.parent.mkdir(parents=True, exist_ok=True)
                if content is not None:
                    path.write_text(content, encoding="utf-8")
            try:
                found = Checker(root).run()
            except Unreadable:
                found = None
        if found != expected:
            failures += 1
            print(f"planted {planted}\n  expected {expected}\n  found    {found}")
    print(f"{len(PLANTED) - failures} of {len(PLANTED)} plants found")
    return 1 if failures else 0


def main(arguments):
    if arguments == ["--self-test"]:
        return self_test()
    root = Path(arguments[0] if arguments else Path(__file__).parent.parent).resolve()
    try:
        checker = Checker(root)
        violations = checker.run()
    except (Unreadable, OSError) as failure:
        print(f"layering: {failure}")
        return 1
    for violation in violations:
        print(violation)
    print(f"{checker.files} files checked, {len(violations)} violations")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
