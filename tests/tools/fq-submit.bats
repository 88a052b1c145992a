#!/usr/bin/env bats
# fq-submit: what is accepted, what is refused and with which words.

load helper

setup() { make_store 2:2:2; }

# jobspec ARGS...: prints what --dry-run makes of the options, without what comes from the surroundings.
jobspec() {
  fq-submit --dry-run --env='-*' "$@" | "$PYTHON" -c '
import json, sys
for line in sys.stdin:
    spec = json.loads(line)
    system = spec["attributes"]["system"]
    for key in ("cwd", "environment"):
        del system[key]
    del system["shell"]["options"]["rlimit"], system["shell"]["options"]["umask"]
    if not system["shell"]["options"]: del system["shell"]
    print(json.dumps(spec, sort_keys=True))'
}

@test "submission prints the job's id in f58 and nothing else" {
  # One line on stdout: ƒ and base 58.
  check 0 "ID" "" sh -c "fq-submit true | sed -E 's/^ƒ[1-9A-HJ-NP-Za-km-z]+$/ID/'"
}

@test "R16.2 a job is validated, stored and handed over before its id is told" {
  # What is refused leaves nothing. While the store cannot be had nothing is told; with the id, all of the job is there.
  refuses 1 "fq-submit: jobspec: attributes.system.duration: expected a number, got a string" fq-submit -S duration=abc true
  refuses 1 "fq-submit: unsatisfiable request: 5 cores requested, the inventory has 4" fq-submit -n5 true
  check 0 "" "" fq-jobs -a -n
  hold_lock
  mkfifo told
  fq-submit --urgency=hold true >told 3>&- &
  exec 4<told
  check 0 "" "" fq-jobs -a -n
  release_lock
  local id
  read -r id <&4
  exec 4<&-
  MASK=$EVENT_MASK check 0 "T submit userid=$(id -u) urgency=0 flags=0 version=1
T validate
T depend
T priority priority=0" "" fq-job eventlog "$id"
  check 0 "S" "" fq-jobs -n -o '{status_abbrev}' "$id"
}

# bats test_tags=own-store
@test "R16.1 ids are unique and sequential, and jobs live under them" {
  # Whoever submits at the same time, in one command or in several; the later the greater.
  local ids n pids=()
  for n in 1 2 3 4 5 6; do
    { fq-submit --urgency=hold --cc=1-3 true; fq-submit --urgency=hold true; } >"ids.$n" 3>&- &
    pids+=($!)
  done
  wait "${pids[@]}"
  ids=$(cat ids.* | xargs -n1 fq-job id --to=dec)
  expect 24 "$(sort -nu <<<"$ids" | wc -l)"
  # In the order of submission they ascend, those of one command without a gap.
  expect "$(sort -n <<<"$ids")" "$(fq-jobs -n -c 0 --sort=t_submit,id -o '{id.dec}')"
  for n in 1 2 3 4 5 6; do
    "$PYTHON" - $(xargs -n1 fq-job id --to=dec <"ids.$n") <<'END'
import sys
a, b, c, d = map(int, sys.argv[1:])
assert (b, c) == (a + 1, a + 2) and d > c, (a, b, c, d)
END
  done
  # The first 40 bits are milliseconds (RFC 19).
  local first second
  first=$(fq-jobs -n -c 0 --sort=id -o '{id.dec} {t_submit}' | head -n 1)
  second=$(fq-submit --urgency=hold true)
  second=$(fq-jobs -n -o '{id.dec} {t_submit}' "$second")
  "$PYTHON" - $first $second <<'END'
import sys
a, ta, b, tb = map(float, sys.argv[1:])
assert abs(((int(b) >> 24) - (int(a) >> 24)) - (tb - ta) * 1000) <= 1, sys.argv
END
  for n in jobspec eventlog; do
    grep -aqF "$(fq-job id --to=kvs "${second%% *}").$n" -r "$STORE/db"
  done
}

@test "ids are printed in ASCII where the locale or the user wants it" {
  # LC_ALL=C and FLUX_F58_FORCE_ASCII print f instead of ƒ; both are accepted again.
  local id
  for id in "$(LC_ALL=C fq-submit true)" "$(FLUX_F58_FORCE_ASCII=1 fq-submit true)"; do
    [[ $id =~ ^f[1-9A-HJ-NP-Za-km-z]+$ ]]
    check 0 "ƒ${id#f}" "" fq-job id --to=f58 "$id"
    ended "$id"
  done
}

@test "R16.4 submission stores the job and logs one submit event" {
  # A held job's log begins with submit, with the submitter and the urgency.
  local id
  id=$(fq-submit --urgency=hold true)
  MASK=$EVENT_MASK check 0 "T submit userid=$(id -u) urgency=0 flags=0 version=1
T validate
T depend
T priority priority=0" "" fq-job eventlog "$id"
}

@test "--dry-run prints the jobspec and submits nothing" {
  # A valid version 1 jobspec, on one line; no job, no id; no store is needed.
  expect '{"attributes": {"system": {"duration": 0.0}}, "resources": [{"count": 1, "label": "task", "type": "slot", "with": [{"count": 1, "type": "core"}]}], "tasks": [{"command": ["echo", "a b"], "count": {"per_slot": 1}, "slot": "task"}], "version": 1}' \
    "$(jobspec echo "a b")"
  check 0 "" "" fq-jobs -a -n
  FQ_STORE=/nonexistent run fq-submit --dry-run true
  expect 0 "$status"
}

@test "--dry-run validates" {
  # A jobspec that submission would refuse for its form is refused.
  refuses 1 "fq-submit: jobspec: attributes.system.duration: expected a number, got a string" \
    fq-submit --dry-run --setattr=system.duration=abc true
  refuses 1 "fq-submit: jobspec: attributes.system.duration: expected a number, got a string" \
    fq-submit --setattr=system.duration=abc true
}

@test "sizes per task become slots, cores and GPUs" {
  # -n, -c, -g, -N and -x give the resources that Flux gives them.
  res() { jobspec "$@" true | "$PYTHON" -c '
import json, sys
def show(v):
    name = v["type"] + ("!" if v.get("exclusive") else "") + str(v["count"])
    return name + ("(" + ",".join(map(show, v["with"])) + ")" if "with" in v else "")
spec = json.load(sys.stdin)
print(",".join(map(show, spec["resources"])), spec["tasks"][0]["count"])'; }
  expect "slot4(core1) {'per_slot': 1}" "$(res -n4)"
  expect "slot4(core3,gpu2) {'per_slot': 1}" "$(res -n4 -c3 -g2)"
  expect "node!2(slot1(core1)) {'per_slot': 1}" "$(res -N2)"
  expect "node2(slot2(core1)) {'per_slot': 1}" "$(res -N2 -n4)"
  expect "node!2(slot2(core1)) {'per_slot': 1}" "$(res -N2 -n4 -x)"
  expect "node2(slot2(core1)) {'total': 3}" "$(res -N2 -n3)"
  expect "slot3(core1) {'per_slot': 1}" "$(res --cores=3)"
}

@test "sizes that contradict each other are usage errors" {
  # The options are named, nothing is submitted.
  refuses 2 "fq-submit: --nodes=3: more nodes than tasks (--ntasks=2)" fq-submit -N3 -n2 true
  refuses 2 "fq-submit: --exclusive needs --nodes" fq-submit -x true
  refuses 2 "fq-submit: --gpus-per-node needs --nodes" fq-submit --gpus-per-node=1 true
  refuses 2 "fq-submit: --tasks-per-node needs --nodes or --cores" fq-submit --tasks-per-node=2 true
  refuses 2 "fq-submit: --tasks-per-core needs --nodes or --cores" fq-submit --tasks-per-core=2 true
  refuses 2 "fq-submit: --cores=3: cannot be divided among 2 nodes" fq-submit -N2 --cores=3 true
  refuses 2 "fq-submit: --ntasks cannot be used with --cores" fq-submit -n3 --cores=1 true
  check 0 "" "" fq-jobs -a -n
}

@test "numbers that are none are usage errors" {
  # The option, what it takes and what was given.
  local text
  for text in 0 -1 x '' 1.5 ' 1' 0x2 2147483648 99999999999999999999; do
    refuses 2 "fq-submit: --ntasks: expected a whole number from 1 to 2147483647, got '$text'" fq-submit -n "$text" true
  done
  refuses 2 "fq-submit: --cores-per-task: expected a whole number from 1 to 2147483647, got '0'" fq-submit -c 0 true
  refuses 2 "fq-submit: --gpus-per-task: expected a whole number from 0 to 2147483647, got 'a'" fq-submit -g a true
  refuses 2 "fq-submit: --nodes: expected a whole number from 1 to 2147483647, got '0'" fq-submit -N0 true
}

@test "a job that can never run is refused at once, with the reason" {
  # More nodes, cores, cores a node, GPUs or nodes of a kind than there are: nothing is stored.
  refuses 1 "fq-submit: unsatisfiable request: 3 exclusive nodes requested, the inventory has 2" fq-submit -N3 true
  refuses 1 "fq-submit: unsatisfiable request: 5 cores requested, the inventory has 4" fq-submit -n5 true
  refuses 1 "fq-submit: unsatisfiable request: 3 cores on one node requested, the largest node has 2 cores" fq-submit -c3 true
  refuses 1 "fq-submit: unsatisfiable request: 3 GPUs on one node requested, no node has more than 2 GPUs" fq-submit -g3 true
  refuses 1 "fq-submit: unsatisfiable request: 2147483647 cores on one node requested, the largest node has 2 cores" \
    fq-submit -n2147483647 -c2147483647 true
  refuses 1 "fq-submit: unsatisfiable request: no node matches the constraint 'fast'" \
    fq-submit --requires=fast true
  refuses 1 "fq-submit: unsatisfiable request: no node matches the constraint 'host:node9'" \
    fq-submit --requires=host:node9 true
  check 0 "" "" fq-jobs -a -n
}

@test "slots that fit no combination of nodes are refused at once" {
  # Three slots of two cores exceed two nodes of two cores, although three slots of one would fit.
  refuses 1 "fq-submit: unsatisfiable request: 3 slots of 2 cores requested, the inventory has 2" fq-submit -n3 -c2 true
}

@test "time limits are minutes or durations" {
  # A bare number is minutes; ms, s, m, h and d; 0 is no limit.
  limit() { jobspec -t "$1" true | sed -E 's/.*"duration": ([0-9.]+).*/\1/'; }
  expect "300.0 1.5 0.25 5400.0 172800.0 0.0 30.0" \
    "$(for t in 5 1.5s 250ms 1.5h 2d 0 0.5; do limit $t; done | xargs)"
}

@test "wrong time limits are usage errors" {
  # The text is quoted and the units are said.
  local form="expected a number with one of the units ms, s, m, h or d, or inf"
  refuses 2 "fq-submit: --time-limit: invalid duration 'foo': $form" fq-submit -t foo true
  refuses 2 "fq-submit: --time-limit: invalid duration '5x': unknown unit 'x', expected ms, s, m, h or d" fq-submit -t 5x true
  refuses 2 "fq-submit: --time-limit: invalid duration '': $form" fq-submit -t "" true
  refuses 2 "fq-submit: --time-limit: invalid duration 'nan': $form" fq-submit -t nan true
  refuses 2 "fq-submit: --time-limit: invalid duration '-1': a duration cannot be negative" fq-submit -t -1 true
  refuses 2 "fq-submit: --time-limit: invalid duration '1e400': too large, write inf for a duration without end" fq-submit -t 1e400 true
  check 0 "" "" fq-job wait "$(fq-submit -t inf true)"
}

# bats test_tags=own-store
@test "urgencies have numbers and names" {
  # 0 to 31, hold, default, expedite; else a usage error.
  urgency() { fq-submit --dependency=begin-time:+1h --urgency="$1" true | xargs fq-jobs -n -o '{urgency}'; }
  expect "0 16 31 0 5 31" "$(for u in hold default expedite 0 5 31; do urgency $u; done | xargs)"
  local text
  for text in 32 -1 x '' 1.5; do
    refuses 2 "fq-submit: --urgency: expected 0 to 31, hold, default or expedite, got '$text'" \
      fq-submit --urgency="$text" true
  done
}

@test "R33.25 a queue that does not exist is refused" {
  # Where no queues are configured every name is unknown.
  refuses 1 "fq-submit: queue 'batch' does not exist: no queues are configured" fq-submit -q batch true
}

@test "the command is missing" {
  # Nothing to run, an empty name and bytes that no jobspec can carry are usage errors.
  refuses 2 "fq-submit: COMMAND is missing (usage: fq-submit [OPTION...] COMMAND [ARG...])" fq-submit
  refuses 2 "fq-submit: COMMAND is missing (usage: fq-submit [OPTION...] COMMAND [ARG...])" fq-submit -n2 --
  refuses 2 "fq-submit: the command to run is empty" fq-submit ""
  MASK='s/'\''.*'\''/BYTES/' refuses 2 "fq-submit: BYTES is not valid UTF-8, which a jobspec cannot carry" \
    fq-submit echo $'a\xff'
}

@test "unknown options are usage errors with a near match" {
  # Long options are not abbreviated, but an abbreviation is understood enough to help.
  refuses 2 "fq-submit: unknown option '--tim' (did you mean '--time-limit'?)" fq-submit --tim 5 true
  refuses 2 "fq-submit: unknown option '--time-limits' (did you mean '--time-limit'?)" fq-submit --time-limits=5 true
  refuses 2 "fq-submit: unknown option '--frobnicate'" fq-submit --frobnicate true
  refuses 2 "fq-submit: unknown option '-Z'" fq-submit -Z true
  refuses 2 "fq-submit: unknown option '-Z'" fq-submit -xZ true
  refuses 2 "fq-submit: option '--queue' needs a value: --queue NAME" fq-submit --queue
  refuses 2 "fq-submit: option '-n' needs a value: -n N" fq-submit -n
  refuses 2 "fq-submit: option '--quiet' takes no value" fq-submit --quiet=yes true
}

@test "options end at the command and at --" {
  # What follows the command is its own; -- is consumed once.
  expect '["ls", "-n5", "--quiet", "--"]' "$(jobspec ls -n5 --quiet -- | grep -o '\["ls".*--"\]')"
  expect '["--", "-x"]' "$(jobspec -- -- -x | grep -o '\["--".*-x"\]')"
}

@test "options may be joined and given twice" {
  # -n2 = -n 2 = --ntasks=2; the last of several wins.
  expect "$(jobspec -n 2 -t 5m true)" "$(jobspec --ntasks=7 -t1 -n2 -t5m true)"
}

@test "--job-name names the job; else the program does" {
  # The name is the command's last path component.
  local id
  fq-submit --urgency=hold --job-name="two words" true >/dev/null
  fq-submit --urgency=hold /bin/echo hello >/dev/null
  fq-submit --urgency=hold --job-name="日本" true >/dev/null
  expect "two words|echo|日本" "$(fq-jobs -n -o '{name}' | paste -sd'|')"
}

@test "--quiet prints no id" {
  # The job is stored nevertheless.
  check 0 "" "" fq-submit --quiet --urgency=hold --job-name=silent true
  check 0 "silent" "" fq-jobs -n -o '{name}'
}

@test "--cc makes a job for each id" {
  # As many ids as numbers; {cc} in arguments and names; FLUX_JOB_CC and FQ_JOB_CC in the environment.
  local ids
  ids=$(fq-submit --cc=1-2,7 --job-name="copy{cc}" --output="out.{cc}" sh -c 'echo {cc} $FLUX_JOB_CC $FQ_JOB_CC')
  expect 3 "$(wc -l <<<"$ids")"
  # shellcheck disable=SC2086
  check 0 "" "" fq-job status $ids
  expect "1 1 1
2 2 2
7 7 7" "$(cat out.1 out.2 out.7)"
  expect "copy1 copy2 copy7" "$(fq-jobs -a -n -o '{name}' | sort | xargs)"
}

@test "--bcc makes copies that do not know their number" {
  # {cc} is replaced, FLUX_JOB_CC is not set.
  check 0 "" "" fq-job status $(fq-submit --bcc=4 --output=out sh -c 'echo {cc} "[$FLUX_JOB_CC$FQ_JOB_CC]"')
  expect "4 []" "$(cat out)"
}

@test "{cc} may stand where an option wants a number" {
  # Copies may differ in size, not in strings only.
  local ids
  ids=$(fq-submit --urgency=hold --cc=1-2 -n{cc} -t {cc}m true)
  # shellcheck disable=SC2086
  expect "1:1m 2:2m" "$(fq-jobs -n -o '{ntasks}:{duration!F}' $ids | xargs)"
}

@test "wrong --cc are usage errors" {
  # Idsets follow RFC 22.
  refuses 2 "fq-submit: --cc: invalid idset '3-1': range '3-1' does not ascend at character 1" fq-submit --cc=3-1 true
  refuses 2 "fq-submit: --cc: the set of ids is empty" fq-submit --cc= true
  refuses 2 "fq-submit: --cc: more than 10000000 ids" fq-submit --cc=0-99999999 true
  refuses 2 "fq-submit: --cc cannot be used with --bcc" fq-submit --cc=1 --bcc=2 true
  check 0 "" "" fq-jobs -a -n
}

@test "all copies are submitted or none" {
  # One copy that can never run: nothing is stored.
  refuses 1 "fq-submit: copy 5: unsatisfiable request: 5 cores requested, the inventory has 4" fq-submit --cc=1-5 -n{cc} true
  # What holds for all names none, whatever varies.
  refuses 1 "fq-submit: queue 'nosuch' does not exist: no queues are configured" \
    fq-submit -q nosuch --requires='host:node{cc}' --cc=0-2 true
  refuses 1 "fq-submit: copy 7: unsatisfiable request: no node matches the constraint 'host:node7'" \
    fq-submit --requires='host:node{cc}' --cc=0,7-8 true
  check 0 "" "" fq-jobs -a -n
}

@test "--wait waits for all and returns the largest exit code" {
  # Ids are printed first; the code is 3 of 1, 2, 3.
  run fq-submit --wait --cc=1-3 sh -c 'exit {cc}'
  expect "3 3" "$status ${#lines[@]}"
  expect "1 2 3" "$(fq-jobs -a -n -o '{returncode}' "${lines[@]}" | sort | xargs)"
  run fq-submit --wait --quiet true
  expect "0 " "$status $output"
}

@test "shell options are stored as given" {
  # -o KEY, -o KEY=VALUE with JSON or text, dotted keys.
  expect '{"exit-on-error": 1, "exit-timeout": 1.5, "nosetpgrp": false, "oom": {"adjust": 7}, "output": {"mode": "append"}}' \
    "$(jobspec -o exit-on-error -o output.mode=append -o exit-timeout=1.5 -o 'oom={"adjust": 7}' -o nosetpgrp=false true |
      sed -E 's/.*"options": (\{.*\})\}\}\}, "resources.*/\1/')"
  refuses 2 "fq-submit: --setopt: 'a..b': part of the key is empty" fq-submit -o a..b true
}

@test "shell options that the shell does not know are refused" {
  # With a near match; an attribute that is one, too; nothing is stored.
  refuses 2 "fq-submit: --setopt: unknown shell option 'nonsense'" fq-submit -o nonsense true
  refuses 2 "fq-submit: --setopt: unknown shell option 'exit-timout' (did you mean 'exit-timeout'?)" \
    fq-submit -o exit-timout=3s true
  refuses 2 "fq-run: --setopt: cpu-affinity: expected on, off, per-task or map:LIST, got 'bogus'" \
    fq-run -o cpu-affinity=bogus true
  refuses 2 "fq-submit: --setopt: exit-timeout: invalid duration 'x': expected a number with one of the units ms, s, m, h or d, or inf" \
    fq-submit -o exit-timeout=x true
  local where="fq-submit: jobspec: attributes.system.shell.options"
  refuses 1 "$where: unknown shell option 'umsk' (did you mean 'umask'?)" fq-submit -S system.shell.options.umsk=022 true
  refuses 1 "$where: unknown shell option 'umsk' (did you mean 'umask'?)" \
    fq-submit --dry-run -S system.shell.options.umsk=022 true
  refuses 1 "$where.umask: expected an octal number from 0 to 0777" fq-submit -S system.shell.options.umask=u true
  refuses 1 "fq-submit: jobspec: attributes.system.files.x/y: expected a plain file name" \
    fq-submit -S 'system.files={"x/y": "text"}' true
  check 0 "" "" fq-jobs -a -n
}

@test "attributes are stored as given" {
  # -S KEY=VALUE is below attributes, a bare key below attributes.system; ^KEY=FILE reads JSON.
  echo '{"x": [1]}' >value.json
  jobspec -S user.note=hi -S project=p -S ^user.file=value.json true >spec
  expect '"user": {"file": {"x": [1]}, "note": "hi"}' "$(grep -o '"user": {.*"hi"}' spec)"
  expect '"project": "p"' "$(grep -o '"project": "p"' spec)"
  refuses 2 "fq-submit: --setattr: cannot open 'nosuch': No such file or directory" fq-submit -S ^user.x=nosuch true
  refuses 2 "fq-submit: --setattr: 'attributes.system.a.': part of the key is empty" fq-submit -S a. true
}

@test "wrong flags, signals, limits and environment files are usage errors" {
  # Each message begins with the option that was given.
  refuses 2 "fq-submit: --flags: unknown flag 'foo'" fq-submit --flags=foo true
  refuses 2 "fq-submit: --qos: expected a name, got ''" fq-submit --qos= true
  refuses 2 "fq-submit: --signal: 'FOO' is not a signal" fq-submit --signal=FOO true
  refuses 2 "fq-submit: --rlimit: no limit is called 'foo'" fq-submit --rlimit=foo=1 true
  refuses 2 "fq-submit: --rlimit: 'nofile=x': expected a whole number or unlimited, got 'x'" fq-submit --rlimit=nofile=x true
  refuses 2 "fq-submit: --rlimit: no limit is called 'nofil' (did you mean 'nofile'?)" fq-submit --rlimit=-nofil true
  refuses 2 "fq-submit: --env-file: cannot open 'nosuch': No such file or directory" fq-submit --env-file=nosuch true
  refuses 2 "fq-submit: --env: cannot open 'nosuch': No such file or directory" fq-submit --env=^nosuch true
}

@test "wrong dependencies are usage errors, missing jobs are refused" {
  # The scheme, the id and the time each have a form.
  local form="expected f58 (ƒ… or f…), dotted hexadecimal, 0x and hexadecimal digits, emoji or a decimal number"
  refuses 2 "fq-submit: --dependency: dependency 'foo': unknown scheme 'foo', expected one of after, afterany, afterok, afternotok, afterexcept, begin-time, singleton" \
    fq-submit --dependency=foo true
  refuses 2 "fq-submit: --dependency: dependency 'afterok:xyz': invalid job id 'xyz': $form" \
    fq-submit --dependency=afterok:xyz true
  refuses 2 "fq-submit: --begin-time: begin time 'yesterday': expected a time as '+1h', '18:30', '3pm', 'noon', 'tomorrow 8:00', 'friday', 'Dec 24' or '2026-12-24T18:30'" \
    fq-submit --begin-time=yesterday true
  refuses 1 "fq-submit: dependency 'afterok:ƒ1': job ƒ1 does not exist" fq-submit --dependency=afterok:ƒ1 true
  refuses 1 "fq-submit: dependency 'afterok:1': job 1 does not exist" fq-submit --dependency=afterok:1 true
  refuses 2 "fq-submit: --dependency: dependency 'afterok:1:2': invalid job id '1:2': expected f58 (ƒ… or f…), dotted hexadecimal, 0x and hexadecimal digits, emoji or a decimal number (one dependency a job: afterok:1 and another afterok:…)" \
    fq-submit --dependency=afterok:1:2 true
  refuses 2 "fq-submit: --dependency: dependency 'afterok:1?type=in': 'afterok' takes no key 'type'" fq-submit --dependency='afterok:1?type=in' true
  refuses 2 "fq-submit: --queue: expected a name, got ''" fq-submit -q '' true
}

@test "--help offers no dependency that is refused" {
  # Each scheme in the help page can be submitted.
  local id scheme
  id=$(fq-submit --urgency=hold --job-name=first true)
  for scheme in $(fq-submit --help | grep -e --dependency | grep -oE 'after[a-z]*:ID|singleton'); do
    run fq-submit --urgency=hold --job-name=second --dependency="${scheme/ID/$id}" true
    expect "0 $scheme" "$status $scheme"
  done
}

@test "--flags=debug tells more in the event log" {
  # What is asked for on the job's behalf: resources, and its start; a held job asks for nothing.
  local id
  id=$(fq-submit --flags=debug,waitable true)
  ended "$id"
  expect "submit validate depend priority debug.alloc-request alloc debug.start-request start finish release free clean" \
    "$(fq-job eventlog "$id" | cut -d' ' -f2 | xargs)"
  expect "submit validate depend priority" \
    "$(fq-job eventlog "$(fq-submit --flags=debug --urgency=hold true)" | cut -d' ' -f2 | xargs)"
  expect "submit validate depend priority alloc start finish release free clean" \
    "$(fq-submit --flags=novalidate --wait true | xargs fq-job eventlog | cut -d' ' -f2 | xargs)"
}

@test "wrong constraints are usage errors" {
  # The column of the fault is said (RFC 35).
  refuses 2 "fq-submit: --requires: constraint '(': column 2: expected a term after '(', got the end" \
    fq-submit --requires='(' true
  refuses 2 "fq-submit: --requires: constraint 'a&': column 3: expected a term after '&', got the end" \
    fq-submit --requires='a&' true
}

@test "R33.28 submission while it is disabled is refused, with the reason" {
  # No job is stored; after enable it works.
  fq-queue disable --quiet -m "moving house"
  refuses 1 "fq-submit: job submission is disabled: moving house" fq-submit true
  fq-queue enable --quiet
  run fq-submit --urgency=hold true
  expect 0 "$status"
}

@test "-v says more on stderr, the id alone stays on stdout" {
  # The output can be captured whatever the verbosity.
  run --separate-stderr fq-submit -v --urgency=hold true
  expect "$(fq-job last)" "$output"
}

@test "output that cannot be written is an error" {
  # A full disk and a closed stdout give code 1 and one line, also with --quiet nothing is asked of stdout.
  # A closed one is seen before anything is stored; else the error has the id.
  MASK='s/job ƒ[^)]*/job ID/; s/, ƒ.* to ƒ[^)]*/, ID to ID/' check 1 "" "fq-submit: standard output: No space left on device (submitted job ID)" \
    sh -c 'fq-submit --urgency=hold true >/dev/full'
  MASK='s/, ƒ.* to ƒ[^)]*/, ID to ID/' check 1 "" "fq-submit: standard output: No space left on device (submitted 3 jobs, ID to ID)" \
    sh -c 'fq-submit --urgency=hold --cc=1-3 true >/dev/full'
  check 0 "4" "" sh -c 'fq-jobs -n | wc -l'
  check 1 "" "fq-submit: standard output: Bad file descriptor" sh -c 'fq-submit --urgency=hold true >&-'
  check 1 "" "fq-batch: standard output: Bad file descriptor" sh -c 'fq-batch -n1 --wrap true >&-'
  check 0 "4" "" sh -c 'fq-jobs -n | wc -l'
  check 0 "" "" sh -c 'fq-submit --quiet --urgency=hold true >&-'
}

@test "closed stdin and stderr harm nobody" {
  # A job submitted with descriptors 0 and 2 closed runs, and no file of the store takes their place.
  local id
  id=$(fq-submit --output=out echo fine <&- 2>&-)
  check 0 "" "" fq-job status "$id"
  expect fine "$(cat out)"
}

@test "a jobspec with hostile text survives" {
  # Quotes, newlines, tabs, control characters and long arguments reach the job as they are.
  local text=$'a"b\\c\n\td\x01e\x7f{}$(true)`x`;&|日本'
  fq-submit --output=out printf '%s' "$text" >id
  check 0 "" "" fq-job status "$(cat id)"
  expect "$text" "$(cat out)"
  fq-submit --output=long sh -c 'printf %s "${#1}"' - "$(head -c 100000 /dev/zero | tr '\0' x)" >id
  check 0 "" "" fq-job status "$(cat id)"
  expect 100000 "$(cat long)"
}

@test "--add-file takes files along" {
  # By their names or by others, with their modes; text in place of a file; the job finds them in its temporary directory.
  printf '#!/bin/sh\necho taken "$@"\n' >tool
  chmod 750 tool
  head -c 300 /dev/urandom >bytes
  local id
  id=$(fq-submit --output=out --add-file=tool --add-file=data:0640=bytes --add-file=note='one\ntwo\n' \
    sh -c '{{tmpdir}}/tool along; cmp "$FLUX_JOB_TMPDIR/data" bytes && cat "$0"; stat -c %a {{tmpdir}}/tool {{tmpdir}}/data {{tmpdir}}/note' '{{tmpdir}}/note')
  printf 'changed' >tool
  ended "$id"
  expect "taken along
one
two
750
640
600" "$(cat out)"
  check 0 "hello" "" fq-run --add-file='run:0700=#!/bin/sh\necho hello\n' '{{tmpdir}}/run'
  printf '#!/bin/sh\ncat "$FLUX_JOB_TMPDIR/note"\n' >job.sh
  id=$(fq-batch -n1 --output=batch.out --add-file=note='from batch\n' job.sh)
  ended "$id"
  expect "from batch" "$(cat batch.out)"
  refuses 2 "fq-submit: --add-file: cannot open 'missing': No such file or directory" fq-submit --add-file=missing true
  refuses 2 "fq-submit: --add-file: '/tmp' is not a regular file" fq-submit --add-file=/tmp true
  refuses 2 "fq-submit: --add-file: 'a/b' is no name of a file" fq-submit --add-file=a/b=tool true
  refuses 2 "fq-submit: --add-file: there is a file 'tool' already" fq-submit --add-file=tool --add-file=tool=bytes true
  refuses 2 "fq-batch: --add-file: there is a file 'script' already" fq-batch -n1 --add-file=script=tool job.sh
  head -c 3000000 /dev/zero >large
  refuses 2 "fq-submit: --add-file: more than 2097152 bytes in all (let the job read large files where they are)" fq-submit --add-file=large true
}

@test "a job's temporary directory is made in TMPDIR" {
  # Which is made where it is missing; in /tmp where that cannot be.
  TMPDIR=$WORK/tmp/new check 0 "$WORK/tmp/new" "" fq-run sh -c 'dirname "$FLUX_JOB_TMPDIR"'
  expect "" "$(ls -A "$WORK/tmp/new")"
  TMPDIR=/proc/nowhere check 0 "/tmp" "" fq-run sh -c 'dirname "$FLUX_JOB_TMPDIR"'
}

@test "{{node.resources}} is JSON" {
  # Of the task's node.
  expect "0-1 2" "$(fq-run -c2 echo '{{node.resources}}' | "$PYTHON" -c 'import json, sys; r = json.load(sys.stdin); print(r["cores"], r["ncores"])')"
}

@test "a name with a slash makes no directory of an output" {
  # It stays as it is elsewhere.
  local id
  id=$(fq-submit --job-name=a/b --output='{{name}}.txt' echo '{{name}}')
  ended "$id"
  expect "a/b" "$(cat a_b.txt)"
  id=$(fq-submit --job-name=.. --output='{{name}}' echo '{{name}}')
  ended "$id"
  expect ".." "$(cat __)"
}

@test "jobs of one submission that would write to the same file are refused" {
  # Unless each has an id in its name, or they append.
  refuses 2 "fq-submit: --output: 3 jobs would write to 'out', each over what the others wrote ({{id}} in the name is the job's id; -o output.mode=append lets them share it)" \
    fq-submit --cc=1-3 --output=out true
  refuses 2 "fq-submit: --error: 2 jobs would write to 'err.{{taskid}}', each over what the others wrote ({{id}} in the name is the job's id; -o output.mode=append lets them share it)" \
    fq-submit --cc=1-2 --output='{{id}}' --error='err.{{taskid}}' true
  refuses 2 "fq-bulksubmit: --output: 2 jobs would write to '{{name}}', each over what the others wrote ({{id}} in the name is the job's id; -o output.mode=append lets them share it)" \
    fq-bulksubmit --output='{{name}}' echo '{}' ::: a b
  fq-submit --quiet --urgency=hold --cc=1-2 --output='out.{{id}}' true
  fq-submit --quiet --urgency=hold --cc=1-2 --output='out.{cc}' true
  fq-submit --quiet --urgency=hold --cc=1-2 --job-name='n{cc}' --output='{{name}}' true
  fq-submit --quiet --urgency=hold --cc=1-2 --output=out -o output.mode=append true
  fq-submit --quiet --urgency=hold --cc=1-2 --output=/dev/null --error=none true
  fq-submit --quiet --urgency=hold --cc=1 --output=out true
  fq-submit --quiet --urgency=hold --cc=1-2 --cwd="$WORK/{cc}" --output=out true
}
