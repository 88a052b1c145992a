#!/usr/bin/env python3
"""Holds the schemas of documents (schema/*.json) against the commands that read and write these documents.

  schema.py BIN [ROOT]     BIN holds the programs; prints where the two differ, and exits with 1 if they do

What the commands write must follow the schema, and RFC 25's own. Then one document after another is changed at each of
its places: a key removed, a value replaced by one of another type, an unknown key added. Command and schema must agree
whether the result is a document; only what a schema says that it cannot express may be refused by the command alone.
What commands print as JSON of a store with jobs of every kind must follow the schemas, too.
"""

import copy
import fcntl
import json
import os
import pwd
import re
import subprocess
import sys
import tempfile
from pathlib import Path

TYPES = {
    "object": lambda v: isinstance(v, dict),
    "array": lambda v: isinstance(v, list),
    "string": lambda v: isinstance(v, str),
    "integer": lambda v: isinstance(v, int) and not isinstance(v, bool),
    "number": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool),
    "boolean": lambda v: isinstance(v, bool),
    "null": lambda v: v is None,
}
NO_CHECK = {"$schema", "$id", "$defs", "definitions", "title", "description", "then", "else", "minContains", "maxContains"}


class Schema:
    """The part of JSON Schema that the schemas use; a keyword that is not known here is an error."""

    def __init__(self, path):
        self.root = json.loads(path.read_text(encoding="utf-8"))

    def accepts(self, value):
        return self.holds(self.root, value)

    def holds(self, schema, value):
        return all(self.check(schema, keyword, want, value) for keyword, want in schema.items())

    def resolve(self, reference):
        schema = self.root
        for name in reference.removeprefix("#/").split("/"):
            schema = schema[name]
        return schema

    def check(self, schema, keyword, want, value):
        if keyword in NO_CHECK:
            return True
        if keyword == "$ref":
            return self.holds(self.resolve(want), value)
        if keyword == "type":
            return any(TYPES[name](value) for name in ([want] if isinstance(want, str) else want))
        if keyword == "const":
            return self.same(value, want)
        if keyword == "enum":
            return any(self.same(value, each) for each in want)
        if keyword == "allOf":
            return all(self.holds(each, value) for each in want)
        if keyword == "anyOf":
            return any(self.holds(each, value) for each in want)
        if keyword == "oneOf":
            return sum(self.holds(each, value) for each in want) == 1
        if keyword == "if":
            return self.holds(schema.get("then" if self.holds(want, value) else "else", {}), value)
        for kind, check in (("number", self.check_number), ("string", self.check_string), ("array", self.check_array),
                            ("object", self.check_object)):
            verdict = check(schema, keyword, want, value)
            if verdict is not None:
                return not TYPES[kind](value) or verdict()
        raise ValueError(f"unknown keyword {keyword}")

    @staticmethod
    def same(a, b):
        return type(a) is type(b) and a == b

    @staticmethod
    def check_number(_schema, keyword, want, value):
        return {"minimum": lambda: value >= want, "maximum": lambda: value <= want}.get(keyword)

    @staticmethod
    def check_string(_schema, keyword, want, value):
        return {"minLength": lambda: len(value) >= want, "pattern": lambda: re.search(want, value)}.get(keyword)

    def check_array(self, schema, keyword, want, value):
        first = len(schema.get("prefixItems", []))
        return {
            "minItems": lambda: len(value) >= want,
            "maxItems": lambda: len(value) <= want,
            "uniqueItems": lambda: len({json.dumps(each, sort_keys=True) for each in value}) == len(value),
            "prefixItems": lambda: all(map(self.holds, want, value)),
            "items": lambda: all(self.holds(want, each) for each in value[first:]),
            "contains": lambda: schema.get("minContains", 1) <= sum(self.holds(want, each) for each in value)
            <= schema.get("maxContains", len(value)),
        }.get(keyword)

    def check_object(self, schema, keyword, want, value):
        return {
            "required": lambda: all(name in value for name in want),
            "minProperties": lambda: len(value) >= want,
            "maxProperties": lambda: len(value) <= want,
            "properties": lambda: all(self.holds(each, value[name]) for name, each in want.items() if name in value),
            "propertyNames": lambda: all(self.holds(want, name) for name in value),
            "additionalProperties": lambda: all(
                want is not False and (want is True or self.holds(want, each))
                for name, each in value.items() if name not in schema.get("properties", {})),
        }.get(keyword)


def changes(document):
    """Every document that differs from this one at one place, with the place."""
    def places(value, path):
        yield path
        for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
            yield from places(value[key], (*path, key))

    def at(root, path):
        for key in path:
            root = root[key]
        return root

    for path in places(document, ()):
        if isinstance(at(document, path), dict):
            other = copy.deepcopy(document)
            at(other, path)["x-unknown"] = {}
            yield (*path, "x-unknown"), other
        if not path:
            continue
        other = copy.deepcopy(document)
        del at(other, path[:-1])[path[-1]]
        yield path, other
        for value in (None, True, 0, -1, 1, 1.5, "", "x", "1", [], ["x"], {}, {"x": "x"}):
            other = copy.deepcopy(document)
            at(other, path[:-1])[path[-1]] = value
            yield path, other


class Check:
    def __init__(self, binaries, root):
        self.binaries = binaries
        self.root = root
        self.failures = []
        self.checked = 0

    def run(self, command, *arguments, stdin="", store=None):
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("FQ_", "FLUX_"))}
        if store:
            environment["FQ_STORE"] = store
        return subprocess.run([str(self.binaries / command), *arguments], input=stdin, env=environment, cwd="/",
                              capture_output=True, text=True, timeout=60, check=False)

    def expect(self, good, message):
        self.checked += 1
        if not good:
            self.failures.append(message)

    def writes(self, schemas, command, *arguments, stdin=""):
        done = self.run(command, *arguments, stdin=stdin)
        self.expect(done.returncode == 0, f"{command} {' '.join(arguments)}: {done.stderr.strip()}")
        for line in done.stdout.splitlines():
            for name, schema in schemas.items():
                self.expect(schema.accepts(json.loads(line)), f"{name} refuses what {command} {' '.join(arguments)} writes")

    def agree(self, name, schema, document, beyond, command, *arguments):
        refused = 0
        for path, other in changes(document):
            place = ".".join(map(str, path)) + " in " + json.dumps(other)
            done = self.run(command, *arguments, stdin=json.dumps(other))
            self.expect(done.returncode in (0, 1), f"{command} exits with {done.returncode} for {place}")
            accepted = done.returncode == 0
            refused += not accepted
            if not accepted and re.search(beyond, done.stderr):
                continue
            self.expect(schema.accepts(other) == accepted,
                        f"{name} {'refuses' if accepted else 'accepts'} {place}; {command}: {done.stderr.strip() or 'accepts'}")
        self.expect(refused > 100, f"{name}: only {refused} changes are refused")

    def jobspec(self):
        own = Schema(self.root / "schema/jobspec.json")
        both = {"schema/jobspec.json": own, "RFC 25": Schema(self.root / "tests/data/rfc25/schema.json")}
        self.writes(both, "fq-submit", "--dry-run", "true")
        self.writes(both, "fq-submit", "--dry-run", "-N2", "-n5", "-c2", "-g1", "-t1h", "-qbatch", "--job-name=x",
                    "--requires=a", "--dependency=after:1", "--env=-*", "--env=A=b", "--output=out", "app", "arg")
        for path in sorted((self.root / "tests/data/rfc25").glob("*.yaml")):
            self.writes(both, "fq-job", "submit", "--dry-run", str(path))
        # Of fq's own and of RFC 14 beside RFC 25: whole nodes.
        self.writes({"schema/jobspec.json": own}, "fq-submit", "--dry-run", "-N2", "true")
        document = {
            "version": 1,
            "resources": [{"type": "node", "count": 2, "with": [{"type": "slot", "count": 1, "label": "task", "with": [
                {"type": "core", "count": 2}, {"type": "gpu", "count": 1}]}]}],
            "tasks": [{"command": ["app", "arg"], "slot": "task", "count": {"per_slot": 1}}],
            "attributes": {"user": {"any": 1}, "system": {
                "duration": 60, "cwd": "/tmp", "queue": "q", "job": {"name": "n"}, "environment": {"A": "b"},
                "dependencies": [{"scheme": "after", "value": "1"}], "constraints": {"properties": ["a"]},
                "shell": {"options": {"per-resource": {"type": "node", "count": 1}}}}},
        }
        # What is served of RFC 26, job ids and the names of shell options, too.
        beyond = (r"label 'task' is used twice|expected the slot's label|expected at least 2, a task for each node"
                  r"|unknown scheme|expected a job id|invalid job id|unknown shell option")
        self.agree("schema/jobspec.json", own, document, beyond, "fq-job", "submit", "--dry-run")

    def outputs(self):
        """What commands print of a store that has jobs of every kind."""
        schemas = {name: Schema(self.root / f"schema/{name}.json") for name in ("jobs", "resources", "nodes", "queues", "event",
                                                                             "why", "job-archive", "accounts",
                                                                             "usage-report", "report", "projects", "reservations", "housekeeping", "log",
                                                                             "sim")}
        with tempfile.TemporaryDirectory() as directory:
            store = os.path.join(directory, "store")

            def ask(command, *arguments, codes=(0,)):
                done = self.run(command, *arguments, store=store)
                self.expect(done.returncode in codes, f"{command} {' '.join(arguments)}: {done.stderr.strip()}")
                return done.stdout

            def follows(name, text, what):
                documents = [json.loads(line) for line in text.splitlines()]
                self.expect(documents, f"{what} prints nothing")
                for document in documents:
                    self.expect(schemas[name].accepts(document), f"schema/{name}.json refuses {json.dumps(document)} of {what}")
                return documents

            ask("fq-init", "--quiet", "--test-nodes", "1:2:1")
            ended = [ask("fq-submit", *options).strip() for options in (
                ["-t1h", "-B", "bank", "-S", "project=p", "--qos=standby", "-g1", "true"], ["false"], ["no-such-program"],
                ["-t", "0.1s", "tail", "-f", "/dev/null"], ["--urgency=hold", "true"])]
            ask("fq-cancel", "-m", "no longer", ended[-1])
            ask("fq-job", "status", *ended, codes=range(256))
            up = os.path.join(directory, "up")
            os.mkfifo(up)
            running = ask("fq-batch", "-t1h", "-n2", "--output=none", "--wrap",
                          f"{self.binaries}/fq-submit --urgency=hold true; echo >{up}; tail -f /dev/null").strip()
            Path(up).read_text()
            waiting = ask("fq-submit", "-t1h", "true").strip()
            depending = ask("fq-submit", "--dependency=afterok:" + waiting, "--dependency=begin-time:+1h", "true").strip()
            ask("fq-job", "memo", waiting, "note=1")
            jobs = follows("jobs", ask("fq-jobs", "-a", "-R", "--stats", "--json"), "fq-jobs -R --json")[0]["jobs"]
            self.expect(len(jobs) == 8, f"fq-jobs --json shows {len(jobs)} jobs")
            follows("jobs", ask("fq-jobs", "--stats", "--json"), "fq-jobs --stats --json")
            follows("jobs", ask("fq-jobs", "--stats-only", "--json"), "fq-jobs --stats-only --json")
            follows("jobs", '{"jobs":[%s]}' % ask("fq-jobs", "--json", waiting).strip(), "fq-jobs --json ID")
            follows("jobs", ask("fq-pgrep", "-a", "--json", "."), "fq-pgrep --json")
            follows("jobs", ask("fq-pgrep", "--json", "no-such-name", codes=(1,)), "fq-pgrep --json")
            one_a_line = ask("fq-job", "status", "--json", *ended, codes=range(256))
            follows("jobs", "".join(f'{{"jobs":[{line}]}}\n' for line in one_a_line.splitlines()), "fq-job status --json")
            follows("resources", ask("fq-resource", "list", "--json"), "fq-resource list --json")
            for log in ("eventlog", "exec", "output"):
                follows("event", ask("fq-job", "eventlog", "-f", "json", "-p", log, ended[1]), f"fq-job eventlog -p {log}")
            for job in (running, waiting, depending, *ended):
                follows("why", ask("fq-job", "why", "--json", job), "fq-job why --json")
            # No member of the schema is there that no job has; the anonymous queue has no name.
            seen = {name for job in jobs for name in job}
            known = set(schemas["jobs"].root["$defs"]["job"]["properties"])
            self.expect(seen == known - {"queue"}, f"schema/jobs.json: no job has {' '.join(sorted(known - seen))}")
            jobs[0]["x-unknown"] = 1
            self.expect(not schemas["jobs"].accepts({"jobs": jobs}), "schema/jobs.json accepts a member that it does not know")
            follows("queues", ask("fq-queue", "list", "--json"), "fq-queue list --json")
            queues = os.path.join(directory, "queues.toml")
            Path(queues).write_text('policy.jobspec.defaults.system.queue = "a"\n[queues.a]\n'
                                    'policy.jobspec.defaults.system.duration = "1m"\npolicy.limits.duration = "1h"\n'
                                    '[queues.b]\nparent = "a"\n'
                                    '[queues.c]\npolicy.scheduler.command = ["/bin/false"]\n', encoding="utf-8")
            ask("fq-config", "load", "--force", queues)
            # Its scheduler is to be asked; then it fails, and is tried again.
            with open(os.path.join(store, "consulting"), "w", encoding="ascii") as asking:
                fcntl.flock(asking, fcntl.LOCK_EX)
                ask("fq-submit", "-q", "c", "true")
                asked = follows("queues", ask("fq-queue", "status", "--json"), "fq-queue status --json")[0]["queues"]
            while '"asked_for"' in ask("fq-queue", "status", "--json"):
                ask("fq-tick", "--consult")
            ask("fq-queue", "stop", "-m", "noon", "a")
            ask("fq-queue", "disable", "-m", "noon", "b")
            ask("fq-resource", "drain", "0", "broken")
            listed = asked + follows("queues", ask("fq-queue", "list", "--json"), "fq-queue list --json")[0]["queues"]
            listed += follows("queues", ask("fq-queue", "status", "--json"), "fq-queue status --json")[0]["queues"]
            follows("resources", ask("fq-resource", "list", "--json"), "fq-resource list --json")
            nodes = [node for command in ("status", "drain") for node in
                     follows("nodes", ask("fq-resource", command, "--json"), f"fq-resource {command} --json")[0]["nodes"]]
            follows("jobs", ask("fq-resource", "who", "--json", "node0"), "fq-resource who --json")
            for name, objects in (("queues", listed), ("nodes", nodes)):
                root = schemas[name].root
                known = set((root["$defs"]["queue"] if name == "queues" else root["properties"]["nodes"]["items"])["properties"])
                seen = {member for each in objects for member in each}
                self.expect(seen == known, f"schema/{name}.json: nothing has {' '.join(sorted(known - seen))}")
            follows("report", ask("fq-report", "--json"), "fq-report --json")
            ask("fq-account", "add-bank", "physics", "3", "--max-cores=64")
            ask("fq-account", "add-user", "ada", "physics", "--userid=50001", "--queues=a", "--qos=expedite")
            ask("fq-account", "add-user", "nobody-here", "physics")
            ask("fq-account", "charge", "ada", "physics", "--core-seconds=7200", "--at=2 days ago")
            ask("fq-account", "delete-user", "ada")
            ask("fq-account", "add-project", "p", "--description=one")
            ask("fq-account", "edit-user", "nobody-here", "--projects=p", "--default-project=p")
            for arguments in (("list-projects",), ("view-project", "p")):
                follows("projects", ask("fq-account", *arguments, "--json"), f"fq-account {arguments[0]} --json")
            ask("fq-account", "edit-queue", "--force", "a", "--max-running-jobs=100", "--priority=0.7")
            for arguments in (("list-queues",), ("view-queue", "a")):
                follows("queues", ask("fq-account", *arguments, "--json"), f"fq-account {arguments[0]} --json")
            for arguments in (("list-banks",), ("list-users", "-a"), ("view-user", "ada"), ("view-bank",), ("view-bank", "-t")):
                follows("accounts", ask("fq-account", *arguments, "--json"), f"fq-account {' '.join(arguments)} --json")
            keys = "user,bank,association,queue,project,qos,size,hour,day,month"
            follows("usage-report", ask("fq-account", "view-usage-report", "--by=" + keys, "--json"), "view-usage-report --json")
            follows("report", ask("fq-report", "--json", "--days=3"), "fq-report --json")
            ask("fq-account", "add-user", pwd.getpwuid(os.getuid()).pw_name, "physics")
            ask("fq-resource", "undrain", "0")
            ask("fq-resource", "reserve", "1", "--start=+1d", "-d", "1h", "--user=" + pwd.getpwuid(os.getuid()).pw_name, "--reason=course")
            ask("fq-resource", "reserve", "1", "--start=+2d", "-d", "1h", "--flex")
            follows("reservations", ask("fq-resource", "reservations", "--json"), "fq-resource reservations --json")
            follows("sim", ask("fq-sim", "--from-store", "--json", "--schedule"), "fq-sim --json --schedule")
            ask("fq-cancel", "--all", "--quiet")
            ask("fq-job", "status", running, waiting, depending, codes=range(256))
            archive = os.path.join(directory, "archive")
            ask("fq-job", "purge", "-f", "--archive", archive, *ended)
            follows("job-archive", Path(archive).read_text(encoding="utf-8"), "fq-job purge --archive")
            program, config = os.path.join(directory, "clean"), os.path.join(directory, "clean.toml")
            Path(program).write_text("#!/bin/sh\nexec tail -f /dev/null\n", encoding="utf-8")
            os.chmod(program, 0o755)
            Path(config).write_text(f'[job-manager.housekeeping]\ncommand = "{program}"\n', encoding="utf-8")
            ask("fq-config", "load", "--force", config)
            ask("fq-run", "-t1m", "true")
            follows("housekeeping", ask("fq-housekeeping", "list", "--json"), "fq-housekeeping list --json")
            ask("fq-housekeeping", "kill", "--all")
            follows("log", ask("fq-log", "--json"), "fq-log --json")
            # The waker, and a shell that merges files, may still be at work in the directory that goes now.
            left = subprocess.run([sys.executable, str(self.root / "tests/tools/processes.py"), "leftovers", store],
                                  capture_output=True, text=True, check=False)
            self.expect(left.returncode == 0, left.stderr)

    def resource_set(self):
        schema = Schema(self.root / "schema/R.json")
        one = {"schema/R.json": schema}
        self.writes(one, "fq-R", "encode", "-H", "n[0-3]", "-c", "0-3", "-g", "0", "-p", "a:0-1", "-p", "b@gpu:3")
        self.writes(one, "fq-R", "encode", "-g", "0")
        self.writes(one, "fq-R", "decode", "-x", "0", stdin=self.run("fq-R", "encode", "-r", "0-1").stdout)
        self.writes(one, "fq-R", "decode", stdin=(self.root / "tests/data/rfc20/example1.json").read_text(encoding="utf-8"))
        document = {
            "version": 1,
            "execution": {
                "R_lite": [{"rank": "0", "children": {"core": "0-3", "gpu": "0"}}, {"rank": "3", "children": {"core": "1"}}],
                "nodelist": ["a", "b"], "nslots": 2, "starttime": 1.5, "expiration": 100, "properties": {"p": "0"}},
            "scheduling": {"writer": "x:y", "own": [1]},
        }
        beyond = r"one host for each|in several entries|not in the resource set|is not after starttime"
        self.agree("schema/R.json", schema, document, beyond, "fq-R", "decode")


def main(arguments):
    if not arguments:
        print(__doc__)
        return 2
    root = Path(arguments[1] if len(arguments) > 1 else Path(__file__).parent.parent).resolve()
    check = Check(Path(arguments[0]).resolve(), root)
    check.jobspec()
    check.resource_set()
    check.outputs()
    for failure in check.failures:
        print(failure)
    print(f"{check.checked} things checked, {len(check.failures)} wrong")
    return 1 if check.failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
