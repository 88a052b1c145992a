#!/usr/bin/env python3
"""Compares what the built commands say of themselves with their manual pages and completions.

  docs.py BIN [ROOT]     BIN holds the programs; prints what is missing, and exits with 1 if anything is

For every command, and every sub-command, each option that --help prints must stand in the manual page and must be
offered by bash, zsh and fish, as must the sub-commands themselves; the page must not describe options that are gone,
must build and have every section. Help pages fit a screen and have examples. fq-format(7) has the fields, named formats
and conversions that there are, and no others; the words for states stand in the pages and are offered by the shells;
fq(1) has the variables of the environment.
zsh and fish are asked themselves where they are installed, else their files are read.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

# Columns and lines of the terminal that a help page fits.
SCREEN = (80, 23)
SECTIONS = ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "EXAMPLES", "SEE ALSO"]
FILE_SECTIONS = ["NAME", "DESCRIPTION", "EXAMPLES", "SEE ALSO"]  # of a page about a file or a form
# The sections of fq-format(7), and the listing that each describes.
LISTINGS = {"Jobs": ["fq-jobs"], "Queues": ["fq-queue", "list"], "Resources": ["fq-resource", "list"],
            "Priorities": ["fq-priority", "show"], "Accounts": ["fq-account", "list-users"],
            "Nodes": ["fq-resource", "status"], "Reservations": ["fq-resource", "reservations"],
            "Housekeeping": ["fq-housekeeping", "list"], "Log": ["fq-log"], "Projects": ["fq-account", "list-projects"]}
# Options as --help lays them out, up to the two blanks before the words: `  -n, --ntasks N`, `      --store DIR`,
# `  -h, --help, --version`, `Also: -x, --exclusive, --cores,`.
HELP_OPTION = re.compile(r"^(?: {2,6}|Also: )(-.*?)(?:  |$)", re.MULTILINE)
OPTION = re.compile(r"(?:^|, )(--?\w[\w-]*)")
HELP_COMMAND = re.compile(r"^  (\w[\w-]*(?:, \w[\w-]*)*) {2,}", re.MULTILINE)
# Options as a page lays them out: `*-n*, *--ntasks* _N_`.
PAGE_OPTION = re.compile(r"^\*-.*$", re.MULTILINE)
NAME = re.compile(r"\*(--?[\w-]+)\*")

# Types a line into bash as readline would and prints what completion offers.
BASH = r"""
. "$1"
while IFS= read -r line; do
  COMP_LINE=$line COMP_POINT=${#line} COMP_TYPE=9
  read -ra COMP_WORDS <<<"$line"
  [[ $line == *' ' ]] && COMP_WORDS+=('')
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
  _fq_complete
  printf '%s\n' "${COMPREPLY[*]}"
done
"""
FISH = r"""
set -p fish_complete_path $argv[1]
while read -l line
    set -l offers (complete -C $line | string replace -r '\t.*' '')
    echo " $offers"  # the first of them may be an option of echo
end
"""


class Docs:
    def __init__(self, binaries, root):
        self.binaries = binaries
        self.root = root
        self.environment = {**os.environ, "PATH": f"{binaries}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}
        self.failures = []
        self.checked = 0

    def run(self, arguments, **options):
        return subprocess.run(arguments, env=self.environment, capture_output=True, text=True, timeout=60,
                              check=False, stdin=None if "input" in options else subprocess.DEVNULL, **options)

    def expect(self, good, message):
        self.checked += 1
        if not good:
            self.failures.append(message)

    def help_of(self, words):
        name = " ".join(words)
        done = self.run([str(self.binaries / words[0]), *words[1:], "--help"])
        self.expect(done.returncode == 0 and done.stdout.startswith("Usage: "), f"{name}: no --help")
        lines = done.stdout.splitlines()
        self.expect(all(len(line) <= SCREEN[0] for line in lines), f"{name} --help is wider than {SCREEN[0]} columns")
        self.expect(len(lines) <= SCREEN[1], f"{name} --help takes {len(lines)} lines")
        is_list = name == "fq" or "\nCommands, of which " in done.stdout
        self.expect(is_list or "\nExamples:\n  " in done.stdout, f"{name} --help has no examples")
        return done.stdout

    def commands(self):
        """(words, options) of every command and sub-command, from their help pages."""
        found = []
        for source in sorted((self.root / "tools").glob("fq*.cc")):
            name = source.stem
            if name == "fq" or not (self.root / f"man/{name}.1.scd").is_file():
                continue
            text = self.help_of([name])
            if "\nCommands, of which " in text:
                for sub in (sub for row in HELP_COMMAND.findall(text) for sub in row.split(", ")):
                    found.append(((name, sub), self.options(self.help_of([name, sub]))))
            else:
                found.append(((name,), self.options(text)))
        return found

    @staticmethod
    def options(text):
        return {name for line in HELP_OPTION.findall(text) for name in OPTION.findall(line)}

    def page_sections(self, name):
        """Section and sub-section of the page → its options; `` for what stands under OPTIONS itself."""
        text = (self.root / f"man/{name}.1.scd").read_text(encoding="utf-8")
        options = text.partition("\n# OPTIONS\n")[2].partition("\n# ")[0]
        parts = re.split(r"^## (.*)$", options, flags=re.MULTILINE)
        sections = {}
        for title, body in zip([""] + parts[1::2], parts[::2]):
            names = {option for line in PAGE_OPTION.findall(body) for option in NAME.findall(line)}
            sections.setdefault(title, set()).update(names)
        return sections

    def check_pages(self, commands):
        described = {}
        for words, options in commands:
            sections = self.page_sections(words[0])
            if len(words) > 1:
                self.expect(words[1] in sections, f"man/{words[0]}.1.scd: no section for '{words[1]}'")
                own = sections.get(words[1], set())
            else:
                own = set().union(*sections.values())
            common = sections.get("Common options", set())
            for option in sorted(options - own - common):
                self.expect(False, f"man/{words[0]}.1.scd: {' '.join(words)} has {option}")
            for option in sorted(own - options - (set() if len(words) > 1 else common)):
                self.expect(False, f"man/{words[0]}.1.scd: {' '.join(words)} has no {option}")
            described.setdefault(words[0], set()).update(options)
            self.checked += len(options)
        for name, options in described.items():
            stray = self.page_sections(name).get("Common options", set()) - options
            self.expect(not stray, f"man/{name}.1.scd: no command has {' '.join(sorted(stray))}")

    def check_builds(self):
        pages = sorted((self.root / "man").glob("*.scd"))
        self.expect(pages, "man: no pages")
        for page in pages:
            text = page.read_text(encoding="utf-8")
            built = self.run(["scdoc"], input=text)
            self.expect(built.returncode == 0, f"man/{page.name}: {built.stderr.strip()}")
            # Drawn as on a terminal: what the formatter warns of is a table that falls apart, or a missing sign.
            drawn = self.run(["man", "-l", "--warnings", "-E", "UTF-8", "-"], input=built.stdout)
            self.expect(drawn.stdout and not drawn.stderr, f"man/{page.name}: {drawn.stderr.strip() or 'cannot be drawn'}")
            headings = re.findall(r"^# (.*)$", text, flags=re.MULTILINE)
            for section in FILE_SECTIONS if page.name.endswith((".5.scd", ".7.scd")) else SECTIONS:
                self.expect(section in headings, f"man/{page.name}: no section {section}")

    def check_offers(self, shell, commands, lines_to_words):
        """`lines_to_words` takes command lines and gives what is offered at the end of each."""
        lines = []
        for words, _ in commands:
            called = " ".join(words)
            through = "fq " + " ".join((words[0].removeprefix("fq-"), *words[1:]))
            lines += [f"{called} -", f"{called} --", f"{through} -", f"{through} --"]
        offered = lines_to_words(lines)
        self.expect(len(offered) == len(lines), f"{shell}: {len(lines)} lines asked, {len(offered)} answered")
        for index, (words, options) in enumerate(commands):
            for direct in (0, 2):
                at = 4 * index + direct
                both = set().union(*(answer.split() for answer in offered[at:at + 2]))
                for option in sorted(options - both):
                    self.expect(False, f"{shell}: `{lines[at]}` does not offer {option}")
                self.checked += len(options)

    def ask_bash(self, lines):
        return self.run(["bash", "-c", BASH, "bash", str(self.root / "completions/bash/fq")],
                        input="\n".join(lines) + "\n").stdout.splitlines()

    def ask_fish(self, lines):
        return self.run(["fish", "--no-config", "-c", FISH, str(self.root / "completions/fish")],
                        input="\n".join(lines) + "\n").stdout.splitlines()

    def check_bash(self, commands):
        self.check_offers("bash", commands, self.ask_bash)

    def check_fish(self, commands):
        directory = self.root / "completions/fish"
        shared = (directory / "fq.fish").read_text(encoding="utf-8")
        if shutil.which("fish"):
            self.check_offers("fish", commands, self.ask_fish)
            return
        for words, options in commands:
            text = (directory / f"{words[0]}.fish").read_text(encoding="utf-8")
            for name in re.findall(r"^(__fq_\w+) ", text, flags=re.MULTILINE):
                text += shared.partition(f"\nfunction {name}\n")[2].partition("\nend\n")[0].replace("$argv[1]", words[0])
            if len(words) > 1:
                text = "\n".join(line for line in text.splitlines() if f"__fq_sub {words[1]}'" in line)
            for option in sorted(options):
                form = f" -l {option[2:]} " if option.startswith("--") else f" -s {option[1:]} "
                self.expect(form in text, f"fish: {' '.join(words)} does not offer {option}")

    def check_zsh(self, commands):
        directory = self.root / "completions/zsh"
        shared = (directory / "_fq").read_text(encoding="utf-8")
        arrays = dict(re.findall(r"^(_fq_\w+)=\(\n(.*?)^\)", shared, flags=re.MULTILINE | re.DOTALL))
        for words, options in commands:
            text = (directory / f"_{words[0]}").read_text(encoding="utf-8")
            if len(words) > 1:
                text = text.partition(f"      {words[1]})\n")[2].partition(";;")[0]
            for name, body in arrays.items():
                if f"${name}" in text:
                    text += body
            for option in sorted(options):
                self.expect(re.search(rf"[{{',*)]{option}[=+]?[\[,}}]", text),
                            f"zsh: {' '.join(words)} does not offer {option}")
        if shutil.which("zsh"):
            for path in sorted(directory.iterdir()):
                done = self.run(["zsh", "-n", str(path)])
                self.expect(done.returncode == 0, f"completions/zsh/{path.name}: {done.stderr.strip()}")

    def refusal(self, *command):
        return self.run([str(self.binaries / command[0]), *command[1:]]).stderr

    def check_formats(self):
        """fq-format(7) against what -o help and the refusal of a conversion name."""
        page = (self.root / "man/fq-format.7.scd").read_text(encoding="utf-8")
        sections = dict(re.findall(r"^## (\w+)$(.*?)(?=^##? |\Z)", page, flags=re.MULTILINE | re.DOTALL))
        self.expect(sections.keys() == LISTINGS.keys(), f"man/fq-format.7.scd: sections {' '.join(sections)}")
        for title, command in LISTINGS.items():
            name = " ".join(command)
            named, _, fields = self.run([str(self.binaries / command[0]), *command[1:], "-o", "help"]).stdout.partition(
                "\nFields:\n")
            self.expect(fields, f"{name} -o help lists no fields")
            there = set(re.findall(r"^  (\S+) ", fields, flags=re.MULTILINE))
            self.compare(there, set(re.findall(r"^\|\[? +\*([^*]+)\*$", sections.get(title, ""), flags=re.MULTILINE)),
                         f"man/fq-format.7.scd, {title}: field")
            there = set(re.findall(r"^  (\w+) ", named, flags=re.MULTILINE))
            line = sections.get(title, "").partition("Named formats:")[2].partition("\n\n")[0]
            self.compare(there, set(re.findall(r"\*(\w+)\* \(", line)), f"man/fq-format.7.scd, {title}: format")
        there = set(re.findall(r"!\w", self.refusal("fq-jobs", "-o", "{id!?}").partition("conversion")[2]))
        self.expect(len(there) > 4, "fq-jobs names no conversions")
        conversions = page.partition("\n# CONVERSIONS\n")[2].partition("\n# ")[0]
        self.compare(there, set(re.findall(r"^\|\[? +\*(!\w)\*$", conversions, flags=re.MULTILINE)),
                     "man/fq-format.7.scd: conversion")

    def compare(self, there, described, what):
        for name in sorted(there - described):
            self.expect(False, f"{what} {name} is missing")
        for name in sorted(described - there):
            self.expect(False, f"{what} {name} is gone")
        self.checked += len(there)

    def check_states(self):
        """The words for states, from the refusal of one that is none."""
        told = self.refusal("fq-jobs", "-f", "zzzzzzzzzz").rpartition("(")[2]
        states = set(re.findall(r"\w+", re.sub(r" or \w+", "", told)))  # letters are for who knows them
        self.expect("inactive" in states, "fq-jobs -f names no states")
        for place in ("man/fq-jobs.1.scd", "completions/bash/fq", "completions/zsh/_fq", "completions/fish/fq.fish"):
            text = (self.root / place).read_text(encoding="utf-8")
            for state in sorted(states):
                self.expect(re.search(rf"\b{state}\b", text), f"{place}: no state {state}")

    def check_sub_commands(self, commands):
        """Every sub-command is offered, by the name of its command and through fq."""
        subs = {}
        for words, _ in commands:
            if len(words) > 1:
                subs.setdefault(words[0], set()).add(words[1])
        names = sorted(subs)
        lines = [line for name in names for line in (f"{name} ", f"fq {name.removeprefix('fq-')} ")]
        for shell, ask in (("bash", self.ask_bash), ("fish", self.ask_fish)):
            if not shutil.which(shell):
                continue
            for index, answer in enumerate(ask(lines)):
                for sub in sorted(subs[names[index // 2]] - set(answer.split())):
                    self.expect(False, f"{shell}: `{lines[index]}` does not offer {sub}")
                self.checked += 1
        for name in names:
            text = (self.root / f"completions/zsh/_{name}").read_text(encoding="utf-8")
            for sub in sorted(subs[name]):
                self.expect(re.search(rf"'{sub}:", text), f"zsh: {name} does not offer {sub}")

    def check_environment(self):
        """Each variable that the sources ask for stands in fq(1)."""
        sources = [path for folder in ("lib", "tools") for path in (self.root / folder).rglob("*.cc")]
        names = {name for path in sources
                 for name in re.findall(r'getenv\("([A-Z_0-9]+)"\)', path.read_text(encoding="utf-8"))}
        self.expect("FQ_STORE" in names, "no source asks for FQ_STORE")
        page = (self.root / "man/fq.1.scd").read_text(encoding="utf-8")
        for name in sorted(names - {"HOME"}):
            self.expect(name in page, f"man/fq.1.scd: no variable {name}")

    def check_names(self, commands):
        names = {words[0].removeprefix("fq-") for words, _ in commands}
        lines = re.findall(r"^  (\w[\w-]*(?:, \w[\w-]*)*) {2,}", self.help_of(["fq"]), re.MULTILINE)
        overview = {name for line in lines for name in line.split(", ")}
        self.expect(names <= overview, f"fq --help does not list {' '.join(sorted(names - overview))}")
        page = (self.root / "man/fq.1.scd").read_text(encoding="utf-8")
        for name in sorted(names):
            self.expect(f"*fq-{name}*(1)" in page, f"man/fq.1.scd does not list fq-{name}")


def main(arguments):
    if not arguments:
        print(__doc__)
        return 2
    root = Path(arguments[1] if len(arguments) > 1 else Path(__file__).parent.parent).resolve()
    docs = Docs(Path(arguments[0]).resolve(), root)
    commands = docs.commands()
    docs.expect(len(commands) > 8, f"only {len(commands)} commands were found")
    docs.check_names(commands)
    docs.check_builds()
    docs.check_pages(commands)
    docs.check_environment()
    docs.check_formats()
    docs.check_states()
    docs.check_sub_commands(commands)
    docs.check_bash(commands)
    docs.check_zsh(commands)
    docs.check_fish(commands)
    for failure in docs.failures:
        print(failure)
    print(f"{docs.checked} things checked, {len(docs.failures)} wrong")
    return 1 if docs.failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
