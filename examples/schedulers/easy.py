#!/usr/bin/python3
"""Easy back-fill as an external scheduler: fq-scheduler(7).
For the first job that cannot start it reserves the cores and GPUs that it will have once enough jobs have ended, those that
are free now only where it must; later jobs start beside these, or end before. Of what a grant gave back longer jobs get none."""
import json, sys, time

def ids(text):
    pairs = [part.split("-") for part in text.split(",") if part]
    return {i for pair in pairs for i in range(int(pair[0]), int(pair[-1]) + 1)}

def units(r):  # what an R holds, as (rank, kind, number)
    return {(rank, kind, number) for part in r["execution"]["R_lite"] for rank in ids(part["rank"])
            for kind, numbers in part["children"].items() for number in ids(numbers)}

def to_r(held):
    parts = {}
    for rank, kind, number in sorted(held):
        parts.setdefault(rank, {}).setdefault(kind, []).append(str(number))
    lite = [{"rank": str(r), "children": {k: ",".join(n) for k, n in kinds.items()}} for r, kinds in parts.items()]
    return {"version": 1, "execution": {"R_lite": lite, "nodelist": [hosts[rank] for rank in parts]}}

def choose(spec, free, last=()):  # what the job gets of that, of these last; nothing where it is not enough
    allowed = spec["attributes"]["system"].get("constraints", {}).get("ranks")
    top = spec["resources"][0]
    slot = top["with"][0] if top["type"] == "node" else top
    per_node = slot["count"] if top["type"] == "node" else 0
    need = {each["type"]: each["count"] for each in slot["with"] if each["count"]}
    left, chosen = slot["count"] * (top["count"] if per_node else 1), set()
    order = sorted(free, key=lambda unit: (unit in last, unit))
    for rank in sorted(hosts if allowed is None else ids(",".join(allowed)), key=lambda r: (sum(u[0] == r for u in last), r)):
        have = {kind: [unit for unit in order if unit[:2] == (rank, kind)] for kind in ("core", "gpu")}
        fits = min(len(have[kind]) // count for kind, count in need.items())
        take = min(left, fits if not per_node else per_node if fits >= per_node else 0)
        if top.get("exclusive"):
            take *= {unit for unit in inventory if unit[0] == rank} <= free
        for kind in have if take else ():
            chosen.update(have[kind] if top.get("exclusive") else have[kind][:take * need.get(kind, 0)])
        left -= take
    return None if left else chosen

def say(topic, payload): print(json.dumps({"topic": topic, "payload": payload}), flush=True)
def hear(): return json.loads(sys.stdin.readline() or sys.exit())
def ask(topic, payload): return say(topic, payload) or hear()

acquired = ask("resource.acquire", {})["payload"]
R, up = acquired["resources"], ids(acquired["up"])
inventory, running, waiting, reserved, begins = units(R), {}, {}, set(), 9e99
usable = {unit for unit in inventory if unit[0] in up}
hosts = dict(zip(sorted({unit[0] for unit in inventory}), R["execution"]["nodelist"]))
say("job-manager.sched-hello", {})
while "errnum" not in (job := hear()):
    held = job["payload"]["R"]
    running[job["payload"]["id"]] = (held["execution"].get("expiration") or 9e99, units(held))
began, start = set(running), time.time()
ask("job-manager.sched-ready", {"mode": "limited", "limit": 256})
while message := hear():
    topic, job = message["topic"], message["payload"]
    answer = {"id": job.get("id")}
    if topic == "sched.alloc":
        spec, free = job["jobspec"], usable.difference(*(held for _, held in running.values()))
        ends = start + (spec["attributes"]["system"]["duration"] or 9e99)
        if got := choose(spec, free if ends <= begins else free - reserved):
            running[job["id"]] = (ends, got)
            answer |= {"type": 0, "R": to_r(got)}
        elif not choose(spec, inventory):
            answer |= {"type": 2, "note": "there is never so much"}
        else:
            answer |= {"type": 1, "annotations": {"sched": {"reason_pending": "others come first"}}}
            waiting[job["id"]] = spec
            now = set(free)
            for begins, held in () if reserved else sorted(running.values(), key=lambda each: each[0]):
                if reserved := choose(spec, free := free | held & usable, now) or set(): break
    elif topic == "sched.free":  # of a job granted just now: another queue was first, or it is reserved; the job still waits
        ends, held = running.pop(job["id"], (0, set()))
        if not reserved and job["id"] not in began: begins, reserved = ends, held
    elif topic == "sched.cancel":
        topic, answer["type"] = "sched.alloc" if waiting.pop(job["id"], None) else None, 3
    if topic not in (None, "sched.prioritize"):
        say(topic, answer)
