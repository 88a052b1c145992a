#!/usr/bin/env python3
"""Mutated requests for the engine of a store: what answers must not die of them.

  fuzz.py [--first SEED] [--cases N] [--seconds S] [--schema requests.json] [--id JOB]... -- ENGINE [ARGUMENT...]

Each case is a connection of its own, made of its number and the ids of jobs alone: a few frames, of requests as the schema has them, which
are then changed: values that are at or beyond their bounds, members that are missing, strange or of another type, bytes
that are flipped, cut or repeated, frames of other letters and lengths. `fuzz.py --first 4711 --cases 1 -- …` does
one again. Ends with 1 and its number when an engine ends by a signal, by a sanitizer, or not at all.
"""
import argparse
import json
import random
import socket
import struct
import subprocess
import sys
import time

PATIENCE_S = 120
# By a sanitizer; else what was refused ends with the code of an error.
BAD_CODES = {66, 99}
NUMBERS = [0, 1, 2, 255, 256, 65535, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**53, 2**63 - 1, 2**63, 2**64, -1, -(2**63), 1e308, 0.5]
TEXTS = ["", "x", "all", "0-3", "0-4294967295", "1,3,2", "a b", "../../etc/passwd", "/", "\0", "%s%n", "{cc}", "é", "\ud83d\ude00", "node[0-99999999]",
         "ƒ1", "-1", "1h", "inf", "nan", "true", "[", "{}", "A" * 5000, "\n", "null"]
JOBSPEC = {"version": 1, "resources": [{"type": "slot", "count": 1, "label": "task", "with": [{"type": "core", "count": 1}]}],
           "tasks": [{"command": ["true"], "slot": "task", "count": {"per_slot": 1}}],
           "attributes": {"system": {"duration": 60, "cwd": "/", "environment": {"A": "b"}, "shell": {"options": {"rlimit": {"core": 0}}}}}}
LIVE = ["watch", "guest", "wait", "open", "read", "input", "write", "close", "forget", "terminal", "nothing"]


class Maker:
    def __init__(self, schema, seed, ids=()):
        self.ids = list(ids)
        self.definitions = schema["$defs"]
        self.requests = sorted(schema["requests"].items())
        self.random = random.Random(seed)

    def number(self, low=None, high=None):
        if self.random.random() < 0.08:
            return self.random.choice(NUMBERS)
        low = 0 if low is None else low
        high = min(high, 2**40) if high is not None else 1000
        return self.random.randint(low, max(low, high))

    def text(self):
        if self.random.random() < 0.2:
            return json.dumps(self.value_around(JOBSPEC))
        if self.random.random() < 0.6:
            return self.random.choice(TEXTS)
        return "".join(chr(self.random.choice([self.random.randint(32, 126), self.random.randint(0, 0x2FFF)])) for _ in range(self.random.randint(0, 30)))

    def of_schema(self, schema, depth=0):
        choose = self.random
        if "$ref" in schema:
            name = schema["$ref"].split("/")[-1]
            if name == "job id" and self.ids and choose.random() < 0.8:
                return choose.choice(self.ids)
            if name == "JobspecTemplate" and choose.random() < 0.7:
                return {"pieces": [json.dumps(self.value_around(JOBSPEC))]}
            return self.of_schema(self.definitions[name], depth + 1)
        for several in ("anyOf", "oneOf"):
            if several in schema:
                return self.of_schema(choose.choice(schema[several]), depth + 1)
        if "enum" in schema:
            return choose.choice(schema["enum"])
        if "const" in schema:
            return schema["const"]
        kind = schema.get("type")
        if isinstance(kind, list):
            kind = choose.choice(kind)
        if kind == "object":
            return {
                name: self.of_schema(of, depth + 1)
                for name, of in sorted(schema.get("properties", {}).items())
                if name in schema.get("required", []) or choose.random() < 0.6
            }
        if kind == "array":
            most = 0 if depth > 12 else choose.choice([0, 1, 1, 2, 3])
            return [self.of_schema(schema.get("items", {}), depth + 1) for _ in range(most)]
        if kind in ("integer", "number"):
            return self.number(schema.get("minimum"), schema.get("maximum"))
        if kind == "boolean":
            return choose.random() < 0.5
        if kind == "null":
            return None
        if kind == "string":
            return self.text()
        return choose.choice([None, True, 7, "x", [], {}])

    def value_around(self, value):
        """The same with one or two things changed."""
        value = json.loads(json.dumps(value))
        for _ in range(self.random.choice([0, 0, 0, 1, 1, 2])):
            value = self.change(value)
        return value

    def change(self, value):
        choose = self.random
        if isinstance(value, dict) and value and choose.random() < 0.97:
            key = choose.choice(sorted(value))
            if choose.random() < 0.15:
                del value[key]
            elif choose.random() < 0.1:
                value[self.text()] = value[key]
            else:
                value[key] = self.change(value[key])
            return value
        if isinstance(value, list) and value and choose.random() < 0.85:
            place = choose.randrange(len(value))
            if choose.random() < 0.15:
                return value * choose.choice([0, 2, 50])
            value[place] = self.change(value[place])
            return value
        return choose.choice([None, True, {}, [], self.number(), self.text(), [value], {"a": value}, "9" * 400, [[[[[[]]]]]]])

    def bytes_of(self, value):
        choose = self.random
        data = bytearray(json.dumps(value, ensure_ascii=choose.random() < 0.5).encode("utf-8", "surrogatepass"))
        for _ in range(choose.choice([0] * 12 + [1, 3])):
            if not data:
                break
            place = choose.randrange(len(data))
            how = choose.randrange(4)
            if how == 0:
                data[place] ^= 1 << choose.randrange(8)
            elif how == 1:
                del data[place : place + choose.randint(1, 20)]
            elif how == 2:
                data[place:place] = data[place : place + 20] * choose.randint(1, 30)
            else:
                data[place:place] = choose.choice([b"[" * 3000, b"{\"a\":" * 3000, b"\xff\xfe", b"\0", b"1e999999", b"\"\\ud800\""])
        return bytes(data)

    def frame(self):
        choose = self.random
        if choose.random() < 0.15:
            # Mostly of a few things that stand there, so that one made earlier is met.
            words = [choose.choice(LIVE), str(choose.choice([1, 2, 3]) if choose.random() < 0.8 else self.number())]
            for _ in range(choose.randint(0, 4)):
                words.append(choose.choice([str(self.number()), "-", "0", "output", "../launch.json", "inf", self.text()]))
            # One that waits for ever is broken off by what comes.
            text = " ".join(words).encode("utf-8", "surrogatepass") + choose.choice([b"", b"\n", b"\nbytes"])
            letter = b"L"
            if self.ids and choose.random() < 0.5:
                words[2:3] = [str(choose.choice(self.ids))]
                text = " ".join(words).encode("utf-8", "surrogatepass")
        else:
            name, request = choose.choice(self.requests)
            value = self.of_schema(request["request"])
            text = name.encode() + choose.choice([b"", b"", b" row", b" row again", b" again"]) + b"\n" + self.bytes_of(self.value_around(value))
            letter = b"Q"
        if choose.random() < 0.05:
            letter = bytes([choose.choice(b"HQLXYNCETZ\0\xff")])
        size = len(text)
        if choose.random() < 0.03:
            size = choose.choice([0, size + 1, max(0, size - 1), 2**20, 2**28, 2**32 - 1])
        return letter + struct.pack(">I", size) + text

    def case(self):
        greeting = {"protocol": 1, "command": "fq-fuzz", "lock-timeout": 5, "damaged": self.random.random() < 0.1}
        text = json.dumps(greeting).encode()
        if self.random.random() < 0.05:
            text = self.bytes_of(self.value_around(greeting))
        data = b"H" + struct.pack(">I", len(text)) + text
        for _ in range(self.random.choice([1, 1, 2, 3, 8, 20])):
            data += self.frame()
        return data


def ended(engine, data):
    """Asks, and returns how the engine ended; None when it did not."""
    ours, theirs = socket.socketpair()
    process = subprocess.Popen(engine, stdin=theirs, stdout=theirs, stderr=subprocess.PIPE)
    theirs.close()
    ours.settimeout(PATIENCE_S)
    try:
        try:
            ours.sendall(data)
            ours.shutdown(socket.SHUT_WR)
            while ours.recv(65536):
                pass
        except (BrokenPipeError, ConnectionResetError):
            pass
        said = process.communicate(timeout=PATIENCE_S)[1]
        return process.returncode, said.decode(errors="replace")
    except (socket.timeout, subprocess.TimeoutExpired):
        process.kill()
        process.communicate()
        return None, ""
    finally:
        ours.close()


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--first", type=int, default=1)
    options.add_argument("--cases", type=int, default=300)
    options.add_argument("--seconds", type=float, default=0)
    options.add_argument("--schema", default="/usr/libexec/requests.json")
    options.add_argument("--id", type=int, action="append", default=[])
    options.add_argument("engine", nargs="+")
    given = options.parse_args()
    with open(given.schema, encoding="utf-8") as file:
        schema = json.load(file)
    until = time.monotonic() + given.seconds
    seed = given.first
    while time.monotonic() < until if given.seconds else seed < given.first + given.cases:
        code, said = ended(given.engine, Maker(schema, seed, given.id).case())
        # A connection that went while it was being answered ends its engine as by a hang-up.
        if code is None or (code < 0 and code != -1) or code in BAD_CODES or "Sanitizer" in said or "runtime error" in said:
            print(f"case {seed}: {'it does not end' if code is None else f'it ended with {code}'}\n{said}")
            return 1
        seed += 1
    print(f"{seed - given.first} cases")
    return 0


if __name__ == "__main__":
    sys.exit(main())
