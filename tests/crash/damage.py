#!/usr/bin/env python3
"""Harms the files of a store, one at a time, and asks it: each answer is right, or a refusal that names the damage.

damage.py BIN SEED ROUNDS    BIN has the programs; works in the current directory

Each file of the store is flipped in one bit, cut, emptied, filled with zeros or removed, in ROUNDS rounds; the store has
jobs that ended, with outputs in its files, and jobs that wait. Then for each of some commands:
  - it ends, with 0 or 1, by no signal;
  - with 0, it prints what it printed before, or, of a submission, the new job is listed with all others, or the listing is
    refused;
  - with 1, it prints one line that begins with its name and names the file, and the database is, byte for byte, what it was.
At the end of a round all is as it was before. Prints a summary; exits with 1, the seed and the round when a law is broken.
"""

import collections
import os
import random
import re
import subprocess
import sys

LIMIT_S = 60
DAMAGES = ("flip", "flip", "cut", "empty", "zero", "remove")


class Broken(Exception):
    pass


def files_of(root):
    """The regular files below a directory, by their path from there."""
    found = {}
    for folder, _, names in os.walk(root):
        for name in names:
            path = os.path.join(folder, name)
            if os.path.isfile(path):
                with open(path, "rb") as file:
                    found[os.path.relpath(path, root)] = file.read()
    return found


def put(path, content):
    """Writes a file anew; one that is there keeps its inode."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    with open(os.open(path, flags, 0o600), "wb") as file:
        file.write(content)


class Driver:
    def __init__(self, binaries, seed):
        self.bin = os.path.join(os.getcwd(), "bin")
        self.store = os.path.join(os.getcwd(), "store")
        self.chance = random.Random(seed)
        # Nothing may be at work on the store when it is harmed: no waker, nobody who merges files.
        os.mkdir(self.bin)
        for name in os.listdir(binaries):
            if name.startswith("fq") and name not in ("fq-tick", "fq-waker"):
                os.symlink(os.path.join(binaries, name), os.path.join(self.bin, name))
        self.environment = {"PATH": f"{self.bin}:/usr/bin:/bin", "FQ_STORE": self.store, "HOME": os.getcwd(),
                            "LANG": "C.UTF-8"}
        self.count = collections.Counter()
        self.make_store()
        self.whole = files_of(self.store)
        self.questions = [
            ("fq-jobs", "-a", "-n", "-c", "0", "-o", "{id} {name} {status_abbrev} {urgency} {duration}"),
            ("fq-jobs", "-a", "--stats-only"),
            ("fq-queue", "status"),
            ("fq-resource", "list"),
            ("fq-config", "show"),
        ]
        for job in self.jobs[1:3]:
            self.questions.append(("fq-job", "info", job, "jobspec"))
            self.questions.append(("fq-job", "eventlog", job))
        self.questions.append(("fq-job", "attach", self.jobs[1]))
        self.right = {question: self.run(*question).stdout for question in self.questions}

    def run(self, *command):
        try:
            return subprocess.run(command, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                  timeout=LIMIT_S, check=False, errors="replace")
        except subprocess.TimeoutExpired as expired:
            raise Broken(f"{' '.join(command)}: does not end") from expired

    def must(self, *command):
        done = self.run(*command)
        if done.returncode != 0:
            raise Broken(f"{' '.join(command)}: exit {done.returncode}: {done.stderr}")
        return done.stdout

    def make_store(self):
        """Jobs in tables, in the journal, and outputs in files of their own."""
        self.must("fq-init", "--quiet", "--store", self.store, "--test-nodes", "2:4")
        large = "x" * 20000
        ended = self.must("fq-submit", "--job-name=ended", "sh", "-c", "echo out; echo err >&2; exit 3").split()
        ended += self.must("fq-submit", "--job-name=large", "head", "-c", "300000", "/dev/zero").split()
        self.run("fq-job", "status", *ended)
        for i in range(3):
            self.must("fq-submit", "--quiet", "--urgency=hold", f"--job-name=bulk{i}", "--cc=1-20",
                      f"--env=FILL={i}{{cc}}{large}", "true")
        held = [self.must("fq-submit", "--urgency=hold", f"--job-name=held{i}", "true").strip() for i in range(5)]
        self.jobs = ended + held[-2:]

    # -- damaging

    def harm(self):
        """Harms one file; returns what was done, in words."""
        names = sorted(name for name, content in self.whole.items() if content)
        # The files of the database are few among outputs and locks.
        database = [name for name in names if name.startswith("db/")]
        name = self.chance.choice(database if self.chance.random() < 0.8 else names)
        content = self.whole[name]
        path = os.path.join(self.store, name)
        how = self.chance.choice(DAMAGES)
        used = len(content.rstrip(b"\0")) or len(content)
        if how == "flip":
            at = self.chance.randrange(used)
            bit = 1 << self.chance.randrange(8)
            put(path, content[:at] + bytes([content[at] ^ bit]) + content[at + 1:])
            how = f"bit {bit} of byte {at} flipped"
        elif how == "cut":
            size = self.chance.randrange(used)
            put(path, content[:size])
            how = f"cut to {size} of {len(content)} bytes"
        elif how == "empty":
            put(path, b"")
        elif how == "zero":
            at = self.chance.randrange(used)
            put(path, content[:at] + bytes(len(content) - at))
            how = f"zeros from byte {at}"
        else:
            os.unlink(path)
        return f"{name}: {how}"

    def restore(self):
        now = files_of(self.store)
        for name in now.keys() - self.whole.keys():
            os.unlink(os.path.join(self.store, name))
        for name, content in self.whole.items():
            if now.get(name) != content:
                put(os.path.join(self.store, name), content)

    # -- asking

    def database(self):
        return {name: content for name, content in files_of(self.store).items() if name.startswith("db/")}

    def refused(self, command, done, before):
        """The command was refused as it should be."""
        said = done.stderr
        words = " ".join(command)
        if done.returncode != 1:
            raise Broken(f"{words}: exit {done.returncode}: {said}")
        if not re.fullmatch(r"fq[a-z-]*: [^\n]+\n", said) or "internal" in said or "Corruption" in said:
            raise Broken(f"{words}: says {said!r}")
        if "damaged" not in said and self.store not in said and "data" not in said:
            raise Broken(f"{words}: names no damage: {said!r}")
        if self.database() != before:
            raise Broken(f"{words}: refused, and changed the database")
        self.count["refused"] += 1

    def ask(self):
        before = self.database()
        for question in [self.questions[0], *self.chance.sample(self.questions[1:], 3)]:
            done = self.run(*question)
            if done.returncode != 0:
                self.refused(question, done, before)
            elif done.stdout != self.right[question]:
                raise Broken(f"{' '.join(question)}: a wrong answer: {done.stdout[:300]!r}, not {self.right[question][:300]!r}")
            else:
                self.count["right"] += 1
        command = ("fq-submit", "--urgency=hold", "--job-name=new", "true")
        done = self.run(*command)
        if done.returncode != 0:
            self.refused(command, done, before)
            return
        self.count["submitted"] += 1
        listing = self.questions[0]
        before = self.database()
        listed = self.run(*listing)
        if listed.returncode != 0:
            self.refused(listing, listed, before)
        elif sorted(line for line in listed.stdout.splitlines() if not line.startswith(done.stdout.strip())) != \
                sorted(self.right[listing].splitlines()):
            raise Broken(f"after a submission: {listed.stdout[:300]!r}")

    def round(self):
        done = self.harm()
        try:
            self.ask()
        except Broken as broken:
            raise Broken(f"{done}: {broken}") from broken
        self.restore()


def main(binaries, seed, rounds):
    driver = Driver(os.path.abspath(binaries), int(seed))
    for number in range(int(rounds)):
        try:
            driver.round()
        except Broken as broken:
            print(f"seed {seed}, round {number}: {broken}")
            return 1
    print(f"{rounds} rounds: " + ", ".join(f"{count} {what}" for what, count in sorted(driver.count.items())))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
