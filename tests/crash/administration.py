"""What the owner does to a store in the rounds of driver.py: configurations, queues, nodes; and what must be so after
each command: done, where it said so; unchanged, where it refused; one of the two, where it was killed.
"""

import json

BATCH = """
policy.jobspec.defaults.system.queue = "batch"
queues.batch.hosts = "all"
"""
# One that is killed by chance drains nothing: the nodes are the owner's.
PERILOGS = """
job-manager.prolog = { command = "/bin/true", drain = false }
job-manager.epilog = { command = "/bin/true", drain = false }
"""
# The last has every queue that any has.
CONFIGURATIONS = [
    "",
    BATCH + 'queues.batch.policy.limits.duration = "8h"\n',
    BATCH + PERILOGS + 'queues.debug.policy.scheduler.tier = 1\nqueues.debug.policy.jobspec.defaults.system.duration = "1h"\n',
]
INVENTORIES = [{"node0": "0-3"}, {"node0": "0-1"}, {"node0": "0-3", "node1": "0-1"}, {"node1": "0-3"}]
QUEUES = ["batch", "debug"]
VERBS = {"stop": "Scheduling is stopped", "start": "Scheduling is started",
         "disable": "Job submission is disabled", "enable": "Job submission is enabled"}


def resource_set(nodes):
    """R (RFC 20) of nodes with these cores."""
    lite = [{"rank": str(rank), "children": {"core": cores}} for rank, cores in enumerate(nodes.values())]
    return json.dumps({"version": 1, "execution": {"R_lite": lite, "starttime": 0, "expiration": 0,
                                                   "nodelist": list(nodes)}})


class Administration:
    """`run` runs an ordinary command and returns what it prints; files are made in the current directory."""

    def __init__(self, run):
        self.run = run
        for number, text in enumerate(CONFIGURATIONS):
            with open(f"config{number}.toml", "w", encoding="ascii") as out:
                out.write(text)
        for number, nodes in enumerate(INVENTORIES):
            with open(f"nodes{number}.json", "w", encoding="ascii") as out:
                out.write(resource_set(nodes))

    @staticmethod
    def command(chance):
        """A command of the owner."""
        configuration = f"config{chance.randrange(len(CONFIGURATIONS))}.toml"
        queues = chance.choice([["--all"], [chance.choice(QUEUES)]])
        why = ["-m", "why"]
        node = chance.choice(["node0", "node1"])
        return chance.choice([
            ["fq-config", "load", configuration],
            ["fq-config", "load", "--force", configuration],
            ["fq-queue", chance.choice(["stop", "disable"]), *why, *queues],
            ["fq-queue", chance.choice(["start", "enable"]), *queues],
            ["fq-queue", chance.choice(["start", "enable"]), "--all"],
            ["fq-resource", "drain", node, "broken"],
            ["fq-resource", "undrain", node],
            ["fq-resource", "reload", f"nodes{chance.randrange(len(INVENTORIES))}.json"],
        ])

    def state(self):
        """All that these commands change."""
        return {"config": self.run("fq-config", "show"), "queues": self.run("fq-queue", "status"),
                "drained": self.run("fq-resource", "drain", "-n", "-o", "{nodelist} {reason}"),
                "nodes": self.run("fq-resource", "R")}

    def fault(self, command, code, before, after):
        """What is wrong with the state after the only command of the owner in a round; code -9 is killed."""
        if code == 0:
            return None if self.done(command, after) else f"{' '.join(command)}: said done, is not: {after}"
        if before == after or (code == -9 and self.done(command, after)):
            return None
        return f"{' '.join(command)}: exit {code}, and now {after}, before {before}"

    @staticmethod
    def done(command, after):
        verb, last = command[1], command[-1]
        if verb == "load":
            configured = '"queues"' in after["config"]
            return configured != (last == "config0.toml") and ("debug" in after["config"]) == (last == "config2.toml")
        if verb == "reload":
            wanted = INVENTORIES[int(last[len("nodes"):-len(".json")])]
            nodes = "".join(json.loads(after["nodes"])["execution"]["nodelist"])
            # Jobs may still run on one that is leaving.
            return nodes == "".join(wanted) or nodes in ("node[0-1]", "node[1,0]")
        if verb == "drain":
            return f"{command[2]} broken\n" in after["drained"]
        if verb == "undrain":
            return last + " " not in after["drained"]
        lines = after["queues"].splitlines()
        mine = [line for line in lines if last == "--all" or line.startswith(last + ": ")]
        return any(VERBS[verb] in line for line in mine) and not any(
            VERBS[other] in line for line in mine for other in VERBS
            if VERBS[other].split(" is ")[0] == VERBS[verb].split(" is ")[0] and other != verb)

    def restore(self):
        """Every queue, started, and every node."""
        self.run("fq-config", "load", "--force", f"config{len(CONFIGURATIONS) - 1}.toml")
        self.run("fq-resource", "reload", "nodes2.json")
        self.run("fq-resource", "undrain", "--force", "node[0-1]")
        self.run("fq-queue", "start", "--all", "--quiet")
        self.run("fq-queue", "enable", "--all", "--quiet")

    def reset(self):
        """No queues; the nodes that there were first."""
        self.run("fq-config", "load", "--force", "config0.toml")
        self.run("fq-resource", "reload", "nodes0.json")
