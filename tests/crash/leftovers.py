#!/usr/bin/env python3
"""What jobs have while they run, and must not leave behind: files of theirs in the store (alive/, guest/, inbox/, wake/),
their temporary directories, and their control groups.

leftovers.py STORE TMPDIR COMMAND...  runs the command in a control group of its own, where one can be made, and returns its
                                      exit code; 1, and what is left, where the command's jobs left something behind

TMPDIR is made; the command has it as its TMPDIR. All jobs of the store are to be the command's, and to have ended with it.
"""

import os
import subprocess
import sys


def unified_hierarchy():
    """The directory of this process's control group; None where there is no such hierarchy."""
    with open("/proc/self/cgroup", encoding="utf-8") as file:
        own = next((line[3:].strip() for line in file if line.startswith("0::")), None)
    with open("/proc/self/mounts", encoding="utf-8") as file:
        root = next((words[1] for words in map(str.split, file) if words[2] == "cgroup2"), None)
    return None if own is None or root is None else root + own.rstrip("/")


def is_alive(pid):
    return os.path.isdir(f"/proc/{pid}")


class Places:
    def __init__(self, store, tmpdir):
        self.store, self.tmpdir, self.cgroup = store, tmpdir, None
        os.makedirs(tmpdir, exist_ok=True)

    def enter(self):
        """From here on the processes of this one, and so its jobs, are in a control group in which no others are."""
        parent = unified_hierarchy()
        if parent is None:
            return
        group = os.path.join(parent, f"leftovers-{os.getpid()}")
        try:
            os.mkdir(group)
        except OSError:
            return
        try:
            self.move_to(group)
        except OSError:
            os.rmdir(group)
            return
        self.cgroup = group

    def leave(self):
        if self.cgroup is None:
            return
        self.move_to(os.path.dirname(self.cgroup))
        for group in [*(os.path.join(self.cgroup, name) for name in self.groups()), self.cgroup]:
            try:
                os.rmdir(group)
            except OSError:
                pass  # some process is in it

    @staticmethod
    def move_to(group):
        with open(os.path.join(group, "cgroup.procs"), "w", encoding="ascii") as file:
            file.write(str(os.getpid()))

    def has_cgroup(self):
        return self.cgroup is not None

    def groups(self):
        return [name for name in os.listdir(self.cgroup) if os.path.isdir(os.path.join(self.cgroup, name))]

    def left(self):
        """What is left, when no job and no process of the store is there any more."""
        found = []
        for folder in ("alive", "guest", "inbox", "wake"):
            directory = os.path.join(self.store, folder)
            names = os.listdir(directory) if os.path.isdir(directory) else []
            # A pid that came again keeps the name of who waited once.
            found += [f"{folder}/{name}" for name in names if folder != "wake" or not is_alive(name.rpartition(".")[2])]
        found += [os.path.join(self.tmpdir, name) for name in os.listdir(self.tmpdir)]
        if self.cgroup is not None:
            found += [os.path.join(self.cgroup, name) for name in self.groups()]
        return sorted(found)


def main(store, tmpdir, *command):
    places = Places(store, tmpdir)
    places.enter()
    try:
        code = subprocess.run(command, env={**os.environ, "TMPDIR": tmpdir}, check=False).returncode
        left = places.left()
    finally:
        places.leave()
    for path in left:
        print(f"left behind: {path}")
    return 1 if left else code


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
