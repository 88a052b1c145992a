#!/usr/bin/env python3
"""Random commands from several processes on one store, while processes die at named points and at random moments, and
what was not synced is lost. After each round the store must be whole and answer without repair.

driver.py BIN STORE SEED ROUNDS    BIN has the programs of tests/crash/fault; works in the current directory
driver.py --points BIN STORE       arms every point once, in turn, and fails when one is never passed

Prints a summary. Exits with 1 and the seed and round when a law is broken:
  - the next ordinary command works, and the whole-store check finds nothing;
  - a job whose id was printed is there, unless it was purged; none runs twice;
  - what the owner was told of configuration, queues and nodes is so (administration.py);
  - what a command refuses, it says in one line, which is no internal error;
  - a job whose tasks ended has their status, unless it was canceled or its shell was lost before;
  - in the end every job is inactive, nothing is allocated, no process is left, and nothing that a job has while it runs
    (leftovers.py).
"""

import collections
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

from administration import QUEUES, Administration
from leftovers import Places

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LIMIT_S = 60
OWNERS = ("fq-config", "fq-queue", "fq-resource")
OUTCOMES = {0: "done", 1: "refused", -signal.SIGKILL: "killed"}


def all_points():
    names = set()
    for top in ("lib", "tools"):
        for folder, _, files in os.walk(os.path.join(ROOT, top)):
            for name in files:
                if name.endswith(".cc"):
                    with open(os.path.join(folder, name), encoding="utf-8") as file:
                        names.update(re.findall(r'fault_point\("([a-z-]+)"\)', file.read()))
    # Those of terminals: tests/crash/terminals.bats.
    return sorted(name for name in names if not name.startswith("terminal-"))


class Broken(Exception):
    pass


class Driver:
    def __init__(self, binaries, store, seed):
        self.bin, self.store = binaries, store
        self.chance = random.Random(seed)
        self.armed = os.path.join(binaries, "fault")
        os.makedirs(self.armed, exist_ok=True)
        self.places = Places(store, os.path.join(os.getcwd(), "tmp"))
        self.environment = {"PATH": f"{binaries}:/usr/bin:/bin", "FQ_STORE": store, "HOME": os.getcwd(),
                            "LANG": "C.UTF-8", "TMPDIR": self.places.tmpdir}
        self.acknowledged = set()
        self.purgeable = set()  # had ended when a purge was begun
        self.count = collections.Counter()
        self.owner = Administration(self.run)

    # -- acting

    def start(self, *command):
        return subprocess.Popen(command, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def run(self, *command):
        """An ordinary command: it must work."""
        done = subprocess.run(command, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=LIMIT_S, check=False)
        if done.returncode != 0:
            raise Broken(f"{' '.join(command)}: exit {done.returncode}: {done.stderr}")
        return done.stdout

    def arm(self, point):
        with open(os.path.join(self.armed, point), "w", encoding="ascii"):
            pass

    def disarm(self):
        """Returns the points that nobody passed."""
        left = [name for name in os.listdir(self.armed) if name != "lose-unsynced"]
        for name in left:
            try:
                os.unlink(os.path.join(self.armed, name))
            except FileNotFoundError:
                left.remove(name)
        return left

    def submission(self, *options, size=0):
        code = self.chance.choice([0, 0, 0, 3, 9])
        script = f'echo "$FQ_JOB_ID" >>"{os.getcwd()}/ran"; head -c {size} /dev/zero | tr "\\0" x; (true | cat); exit {code}'
        return ["fq-submit", f"--job-name=exit{code}", *options, "sh", "-c", script]

    def random_command(self):
        chance = self.chance.random()
        known = sorted(self.acknowledged)
        if chance < 0.30 or not known:
            return self.submission()
        if chance < 0.36:
            return self.submission("-q", self.chance.choice(QUEUES))
        if chance < 0.37:
            return self.bulk()
        if chance < 0.40:
            return ["fq-bulksubmit", "--job-name=exit0", "sh", "-c", f'echo "$FQ_JOB_ID" >>"{os.getcwd()}/ran"; : {{}}',
                    ":::", *"abcdef"]
        if chance < 0.50:
            return self.submission(f"--dependency=afterany:{self.chance.choice(known)}")
        if chance < 0.56:
            return self.submission("--cc=1-5")
        if chance < 0.62:
            return self.submission(size=300_000)
        if chance < 0.66:
            return ["fq-submit", "--job-name=exit143", "sh", "-c", "exec tail -f /dev/null"]
        if chance < 0.74:
            return ["fq-cancel", self.chance.choice(known)]
        if chance < 0.80:
            return self.change(self.chance.choice(known))
        if chance < 0.88:
            return self.owner.command(self.chance)
        if chance < 0.92:
            return self.purge(40)
        if chance < 0.93:
            return ["fq-tick", *self.chance.choice([[], ["--compact"]])]
        if chance < 0.95:
            return ["fq-jobs", "-a", "-q", "all"]
        if chance < 0.98:
            return ["fq-cancel", "--all", "--quiet", "-S", "pending"]
        return ["fq-run", "true"]

    def bulk(self):
        """Jobs of several megabytes, which are stored in steps, and do not run before they are canceled."""
        return ["fq-submit", "--job-name=bulk", "--urgency=hold", "--cc=1-800", "--env=FILL={cc}" + "y" * 4000, "true"]

    def change(self, job):
        """A change of one job that breaks no law."""
        return self.chance.choice([
            ["fq-job", "urgency", job, self.chance.choice(["hold", "default", "31"])],
            ["fq-job", "memo", *self.chance.choice([[], ["--volatile"]]), job, "note=1"],
            ["fq-job", "raise", "-s", "3", "-t", "note", job],
            ["fq-job", "kill", "-s", "WINCH", job],
            ["fq-update", job, "duration=1h", "attributes.user.note=1"],
            ["fq-update", job, "duration=+10m"],
            ["fq-update", job, f"queue={self.chance.choice(QUEUES)}"],
            self.purge(40),
        ])

    def purge(self, left):
        self.purgeable.update(job[0] for job in self.jobs() if job[2] in ("CD", "F", "CA", "TO"))
        return ["fq-job", "purge", "-f", f"--num-limit={left}", "--batch=2"]

    def processes(self):
        """Pids of the store's detached programs and tasks."""
        mark = self.store.encode()
        for name in os.listdir("/proc"):
            if not name.isdigit() or int(name) == os.getpid():
                continue
            try:
                with open(f"/proc/{name}/cmdline", "rb") as file:
                    arguments = file.read().split(b"\0")
                with open(f"/proc/{name}/environ", "rb") as file:
                    environment = file.read().split(b"\0")
            except OSError:
                continue
            program = os.path.basename(arguments[0])
            if (program.startswith(b"fq-") and mark in arguments) or (b"FQ_STORE=" + mark in environment and
                                     any(word.startswith(b"FQ_JOB_ATTEMPT=") for word in environment)):
                yield int(name)

    def kill_one(self, commands):
        victims = list(self.processes()) + [command.pid for command in commands if command.poll() is None]
        if not victims:
            return
        try:
            os.kill(self.chance.choice(victims), signal.SIGKILL)
            self.count["kills at random"] += 1
        except ProcessLookupError:
            pass

    def collect(self, command, started):
        out, err = started.communicate(timeout=LIMIT_S)
        if started.returncode == -signal.SIGKILL:
            self.count["commands killed"] += 1
        elif started.returncode not in (0, 1, 3, 9, 137, 143):
            raise Broken(f"{' '.join(command)}: exit {started.returncode}: {err}")
        elif started.returncode == 1 and command[0] != "fq-run":
            self.count["refused"] += 1
            if err.count("\n") > 2 or not err.startswith("fq") or "internal" in err:
                raise Broken(f"{' '.join(command)}: {err}")
        if command[0] in ("fq-submit", "fq-bulksubmit"):
            self.acknowledged.update(line for line in out.splitlines() if line)

    # -- checking

    def jobs(self):
        text = self.run("fq-jobs", "-a", "-q", "all", "-n", "-c", "0", "-o",
                        "{id}|{name}|{status_abbrev}|{returncode}|{exception.type}|{exception.severity}")
        return [line.split("|") for line in text.splitlines()]

    def runs(self):
        try:
            with open("ran", encoding="utf-8") as file:
                return collections.Counter(file.read().split())
        except FileNotFoundError:
            return collections.Counter()

    def check(self):
        jobs = self.jobs()
        lost = self.acknowledged - self.purgeable - {job[0] for job in jobs}
        if lost:
            raise Broken(f"lost {len(lost)}: {sorted(lost)[:5]}")
        twice = [job for job, times in self.runs().items() if times > 1]
        if twice:
            raise Broken(f"ran twice: {twice}")
        faults = self.run("check_store", self.store)
        if faults:
            raise Broken(faults)
        return jobs

    def check_end(self):
        self.disarm()
        self.owner.restore()
        active = [job for job in self.jobs() if job[2] not in ("CD", "F", "CA", "TO")]
        endless = {job[0] for job in active if job[1] in ("exit143", "bulk")}
        orders = [["fq-cancel", *sorted(endless)]] if endless else []
        for job in active:
            if job[0] not in endless:  # those that run keep their queue
                orders += [["fq-job", "urgency", job[0], "default"], ["fq-update", job[0], "queue=batch"]]
        for order in orders:
            subprocess.run(order, env=self.environment, capture_output=True, check=False)
        end = time.monotonic() + LIMIT_S
        while self.active():
            subprocess.run(["fq-job", "wait", self.run("fq-job", "last").strip()], env=self.environment,
                           capture_output=True, timeout=LIMIT_S, check=False)
            if time.monotonic() > end:
                raise Broken(f"jobs do not end: {self.jobs()}")
        ran = self.runs()
        for job, name, status, code, exception, severity in self.check():
            self.count[f"ended {status}"] += 1
            if exception not in ("", "-") and severity == "0":
                continue
            if code == "137":
                continue  # a task that was itself killed
            if f"exit{code}" != name and name.startswith("exit"):
                raise Broken(f"{job} ended with {code}, its tasks with {name}")
            if name.startswith("exit") and ran[job] != 1:
                raise Broken(f"{job} ended well and has run {ran[job]} times")
        self.owner.reset()
        free = self.run("fq-resource", "list", "-n", "-o", "{state} {ncores}")
        if "allocated 0" not in free:
            raise Broken(f"not all is free: {free}")
        self.check_left()

    def check_left(self):
        end = time.monotonic() + LIMIT_S
        while left := list(self.processes()):
            if time.monotonic() > end:
                raise Broken(f"processes are left: {left}")
            time.sleep(0.01)
        self.run("fq-tick")
        self.count["control groups of jobs looked for"] += self.places.has_cgroup()
        left = self.places.left()
        if left:
            raise Broken(f"left behind: {left}")

    # -- the ways to drive

    def commands_of_a_round(self):
        commands = [self.random_command() for _ in range(self.chance.choice([1, 2, 4]))]
        # What is canceled beside a purge might be purged by it: that is no loss.
        if any("purge" in command for command in commands):
            commands = [command for command in commands if "--all" not in command or command[0] != "fq-cancel"]
        return commands

    def rounds(self, number):
        points = all_points()
        for at in range(number):
            if self.chance.random() < 0.1:
                self.owner.restore()
            commands = self.commands_of_a_round()
            owners = [command for command in commands if command[0] in OWNERS]
            before = self.owner.state() if len(owners) == 1 else None
            lossy = os.path.join(self.armed, "lose-unsynced")
            if self.chance.random() < 0.5:
                self.arm("lose-unsynced")
            elif os.path.exists(lossy):
                os.unlink(lossy)
            for point in self.chance.sample(points, self.chance.choice([0, 1, 1, 2])):
                self.arm(point)
                self.count["points armed"] += 1
            started = [self.start(*command) for command in commands]
            for _ in range(self.chance.choice([0, 0, 1, 2])):
                try:
                    started[0].wait(self.chance.uniform(0, 0.02))
                except subprocess.TimeoutExpired:
                    pass
                self.kill_one(started)
            for command, process in zip(commands, started):
                if command[0] != "fq-run":
                    self.collect(command, process)
            self.count["points not passed"] += len(self.disarm())
            # A command that waits for a job which nobody starts any more is helped by the next command.
            self.run("fq-tick")
            for command, process in zip(commands, started):
                if command[0] == "fq-run":
                    process.kill()
                    self.collect(command, process)
            try:
                self.check()
                if before is not None:
                    code = started[commands.index(owners[0])].returncode
                    fault = self.owner.fault(owners[0], code, before, self.owner.state())
                    self.count[f"owner's commands, {OUTCOMES.get(code, code)}"] += 1
                    if fault:
                        raise Broken(fault)
            except Broken as broken:
                raise Broken(f"round {at}: {commands}: {broken}") from None
        self.check_end()

    def every_point(self):
        for point in all_points():
            if point in ("directories-made", "database-made", "database-replaced", "schedulers-asked"):
                continue  # of fq-init, fq-fsck and schedulers that are programs: tests/crash/fault-points.bats
            if point.startswith("instance"):
                continue  # of queues that are instances: tests/crash/queue-instance.bats
            if point.startswith("perilog-"):
                self.run("fq-config", "load", "config2.toml")
            self.arm(point)
            for command in (self.submission(), self.submission(size=300_000), self.submission("--cc=1-3")):
                self.collect(command, self.start(*command))
            # A point at the end of a job that is canceled below would not be passed.
            end = time.monotonic() + LIMIT_S
            while os.path.exists(os.path.join(self.armed, point)) and self.active() and time.monotonic() < end:
                pass
            blocked = ["fq-submit", "--job-name=exit143", "sh", "-c", "exec tail -f /dev/null"]
            self.collect(blocked, self.start(*blocked))
            self.collect(["fq-cancel"], self.start("fq-cancel", "--all", "--quiet"))
            self.settle()
            self.collect(["fq-job"], self.start(*self.purge(0)))
            # It gives way to whoever has the lock: a last shell may.
            end = time.monotonic() + LIMIT_S
            while os.path.exists(os.path.join(self.armed, point)) and time.monotonic() < end:
                self.collect(["fq-tick"], self.start("fq-tick", "--compact"))
                if point not in ("merge-done", "files-merged"):
                    break
                self.collect(["fq-submit"], self.start(*self.bulk()))  # files to merge
            if point in self.disarm():
                raise Broken(f"nobody passes {point}")
            try:
                self.check()
            except Broken as broken:
                raise Broken(f"{point}: {broken}") from None
            if point.startswith("perilog-"):
                self.run("fq-config", "load", "config0.toml")
        self.check_end()

    def active(self):
        return [job for job in self.jobs() if job[2] not in ("CD", "F", "CA", "TO")]

    def settle(self):
        """Waits until no job is active, or the armed point was passed and a repair let all end."""
        end = time.monotonic() + LIMIT_S
        while self.active():
            subprocess.run(["fq-cancel", "--all", "--quiet"], env=self.environment, capture_output=True, check=False)
            if time.monotonic() > end:
                raise Broken(f"jobs do not end: {self.jobs()}")


def main(arguments):
    points = arguments[0] == "--points"
    binaries, store, *rest = arguments[1:] if points else arguments
    binaries, store = map(os.path.abspath, (binaries, store))
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        os.chdir(scratch)  # it and its jobs write small files
        driver = Driver(binaries, store, 0 if points else int(rest[0]))
        driver.places.enter()
        try:
            if points:
                driver.every_point()
            else:
                driver.rounds(int(rest[1]))
        except Broken as broken:
            print(f"BROKEN (driver.py {' '.join(arguments)}): {broken}")
            return 1
        finally:
            driver.places.leave()
    for name, number in sorted(driver.count.items()):
        print(f"{name}: {number}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
