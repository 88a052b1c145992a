#!/usr/bin/env python3
"""Cuts the power at every moment of a command: what was not synced by then, contents and names, is lost.

power_loss.py CHECK_STORE LIST MEANWHILE -- COMMAND...

Runs COMMAND, which works on the store $FQ_STORE, under strace; then, for each of its calls that changed something
there (of a long command for every fifth; with EVERY_FAULT=1 for each), makes the store what a power failure right after
it may leave, three ways:
what was synced and nothing else; all names, and of each file what was synced of it; each directory, each file's size
and each of its pages as it was at some moment since its last sync. In each the machine is up again (another boot id) and these must hold:
  - an ordinary command works, and the whole-store check finds nothing;
  - LIST, a shell command, prints what it printed before COMMAND, or what it prints after it, or what the regular
    expression MEANWHILE matches;
  - the second of these, once COMMAND had ended.
Prints how many failures were tried. Nothing else may be at work on the store; what COMMAND starts is part of it.
"""

import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

CALLS = ("openat,write,pwrite64,fsync,fdatasync,rename,renameat,renameat2,unlink,unlinkat,rmdir,mkdir,mkdirat,ftruncate,"
         "link,linkat,mknodat")
PAGE = 4096  # bytes that a disk writes as one
MANY = float("inf") if os.environ.get("EVERY_FAULT") else 20  # disks, from which on every fifth moment will do
STRING = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')
DESCRIPTOR = re.compile(r"^(?:\d+|AT_FDCWD)<((?:[^<>\\]|\\.)*)>")


def text_of(match):
    return bytes.fromhex(match.group(1).replace("\\x", ""))


class File:
    """A file's bytes: as programs see them, and each content since the last sync, oldest first."""

    def __init__(self, content=b""):
        self.now = bytearray(content)
        self.since = [bytes(content)]
        self.at = 0
        self.append = False

    def write(self, data, offset=None):
        start = offset
        if start is None:
            start = len(self.now) if self.append else self.at
            self.at = start + len(data)
        self.now[len(self.now):start] = b"\0" * (start - len(self.now))
        self.now[start:start + len(data)] = data
        self.since.append(bytes(self.now))

    def resize(self, size):
        self.now[size:] = b"\0" * (size - len(self.now))
        self.since.append(bytes(self.now))

    def sync(self):
        self.since = [bytes(self.now)]


class Directory:
    """A directory's names, likewise."""

    def __init__(self):
        self.now = {}
        self.since = [{}]

    def put(self, name, node):
        self.now[name] = node
        self.since.append(dict(self.now))

    def drop(self, name):
        node = self.now.pop(name)
        self.since.append(dict(self.now))
        return node

    def sync(self):
        self.since = [dict(self.now)]


def read_tree(path):
    """What is in a directory, all of it synced."""
    node = Directory()
    for entry in os.scandir(path):
        if entry.is_dir(follow_symlinks=False):
            node.now[entry.name] = read_tree(entry.path)
        elif entry.is_file(follow_symlinks=False):
            with open(entry.path, "rb") as file:
                node.now[entry.name] = File(file.read())
    node.sync()
    return node


class Disk:
    """The directory `root` while the calls of a trace are made again."""

    def __init__(self, root):
        self.root = os.fsencode(root)
        self.top = read_tree(root)

    def find(self, path):
        """The directory that `path` names an entry of, and its name there; None outside of the root."""
        if not path.startswith(self.root + b"/"):
            return None
        *folders, name = os.fsdecode(path[len(self.root) + 1:]).rstrip("/").split("/")
        at = self.top
        for folder in folders:
            at = at.now[folder]
        return at, name

    def node(self, path):
        if path == self.root:
            return self.top
        place = self.find(path)
        return place and place[0].now.get(place[1])

    def call(self, name, arguments):
        """Makes a call of the trace again. Returns whether it changed something here."""
        paths = [text_of(match) for match in STRING.finditer(arguments)]
        opened = DESCRIPTOR.match(arguments)
        of = os.fsencode(re.sub(r"\\x([0-9a-f]{2})", lambda m: chr(int(m[1], 16)), opened[1])) if opened else None
        if name == "openat":
            return self.open(self.joined(of, paths[0]), arguments)
        if name in ("write", "pwrite64", "fsync", "fdatasync", "ftruncate"):
            node = self.node(of)
            return node is not None and self.change(node, name, paths, arguments)
        paths = [self.joined(of, path) for path in paths]
        place = self.find(paths[0]) if paths else None
        if place is None:
            return False
        directory, old = place
        if name.startswith("rename"):
            to, new = self.find(paths[-1])
            to.put(new, directory.drop(old))
        elif name.startswith("link"):
            to, new = self.find(paths[-1])
            to.put(new, directory.now[old])
        elif name.startswith("mkdir"):
            directory.put(old, Directory())
        elif name == "mknodat":
            return False  # a FIFO of a process: it does not outlive the machine
        elif old in directory.now:
            directory.drop(old)
        return True

    @staticmethod
    def joined(of, path):
        return path if path.startswith(b"/") or of is None else of + b"/" + path

    def open(self, path, arguments):
        place = self.find(path)
        if place is None or not re.search("O_WRONLY|O_RDWR", arguments):
            return False
        directory, name = place
        made = name not in directory.now
        if made:
            directory.put(name, File())
        node = directory.now[name]
        node.at, node.append = 0, "O_APPEND" in arguments
        if "O_TRUNC" in arguments and node.now:
            node.resize(0)
            return True
        return made

    @staticmethod
    def change(node, name, texts, arguments):
        if name in ("fsync", "fdatasync"):
            node.sync()
        elif name == "ftruncate":
            node.resize(int(arguments.split(",")[1]))
        elif name == "write":
            node.write(texts[0])
        else:
            node.write(texts[0], int(arguments.rsplit(",", 1)[1]))
        return True


def synced(node):
    return node.since[0]


def all_names(node):
    return node.now if isinstance(node, Directory) else node.since[0]


def any_of(chance):
    """Of a directory some moment's names; of a file some moment's size, and each page as it was at some moment."""
    def pick(node):
        if isinstance(node, Directory) or len(node.since) == 1:
            return chance.choice(node.since)
        size = len(chance.choice(node.since))
        pages = (chance.choice(node.since)[at:at + PAGE].ljust(PAGE, b"\0") for at in range(0, size, PAGE))
        return b"".join(pages)[:size]
    return pick


def picture(node, pick):
    """What `pick` takes of a directory, as a value: entries with their names, or a file's bytes."""
    if isinstance(node, File):
        return pick(node)
    return tuple((name, picture(entry, pick)) for name, entry in sorted(pick(node).items()))


def leave(path, entries):
    """Makes `path` a directory of these entries."""
    for entry in os.scandir(path):
        if entry.is_dir(follow_symlinks=False):
            shutil.rmtree(entry.path)
        else:
            os.unlink(entry.path)
    for name, content in entries:
        entry = os.path.join(path, name)
        if isinstance(content, tuple):
            os.mkdir(entry, 0o700)
            leave(entry, content)
        else:
            with open(os.open(entry, os.O_WRONLY | os.O_CREAT, 0o600), "wb") as file:
                file.write(content)


class Machine:
    """The commands that look at the store after a failure, under a boot id of their own."""

    def __init__(self, check_store, listing, work):
        self.boot = os.path.join(work, "boot-id")
        with open(self.boot, "w", encoding="ascii") as file:
            file.write("11111111-2222-3333-4444-555555555555\n")
        self.script = f'mount --bind "$0" /proc/sys/kernel/random/boot_id && fq-tick && "{check_store}" "$FQ_STORE"'
        self.listing = listing

    def look(self):
        """What the listing prints; throws when a command fails or the check finds something."""
        for script in (self.script, self.listing):
            done = subprocess.run(["unshare", "--mount", "sh", "-c", script, self.boot], capture_output=True, text=True,
                                  stdin=subprocess.DEVNULL, check=False, timeout=60)
            if done.returncode != 0 or (script == self.script and done.stdout):
                raise RuntimeError(f"exit {done.returncode}: {done.stdout}{done.stderr}")
        return done.stdout


def traced(command, root, work):
    """Runs the command; returns its calls that succeeded, as name and arguments."""
    path = os.path.join(work, "trace")
    subprocess.run(["strace", "-f", "-y", "-xx", "-s", "16777216", "-qq", "-e", f"trace={CALLS}", "-e", "signal=none", "-o",
                    path, *command], check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    pending, calls = {}, []
    with open(path, encoding="ascii") as file:
        for line in file:
            pid, rest = line.rstrip("\n").split(None, 1)
            if rest.endswith("<unfinished ...>"):
                pending[pid] = rest[:-len("<unfinished ...>")].rstrip()
                continue
            resumed = re.match(r"<\.\.\. \w+ resumed>", rest)
            if resumed:
                rest = pending.pop(pid) + rest[resumed.end():]
            call = re.match(r"(\w+)\((.*)\)\s+= (-?\d+)", rest)
            if call and int(call[3]) >= 0:
                calls.append((call[1], call[2]))
    return calls


def main(arguments):
    check_store, listing, meanwhile = arguments[:3]
    command = arguments[arguments.index("--") + 1:]
    root = os.environ["FQ_STORE"]
    chance = random.Random(1)
    with tempfile.TemporaryDirectory() as work:
        machine = Machine(check_store, listing, work)
        disk = Disk(root)
        before = machine.look()
        leave(root, picture(disk.top, synced))
        calls = traced(command, root, work)
        after = machine.look()
        seen = set()
        for at, (name, of) in enumerate(calls):
            last = at == len(calls) - 1
            changed = disk.call(name, of)
            if not last and (not changed or (len(seen) > MANY and at % 5 > 0)):
                continue
            ways = {"what was synced": synced, "all names": all_names, "anything": any_of(chance)}
            for way, pick in ways.items():
                picked = picture(disk.top, pick)
                if (picked in seen and not last):
                    continue
                seen.add(picked)
                leave(root, picked)
                try:
                    found = machine.look()
                    if found != after and (last or (found != before and not re.fullmatch(meanwhile, found))):
                        raise RuntimeError(f"{found!r}, before {before!r}, after {after!r}")
                except (RuntimeError, subprocess.TimeoutExpired) as failure:
                    print(f"call {at} of {len(calls)}, {name}({of[:200]}), {way}: {failure}")
                    return 1
    print(f"{len(seen)} failures")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
