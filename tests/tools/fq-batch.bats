#!/usr/bin/env bats
# fq-batch: scripts, their directives and the jobs that run them.

load helper

setup() { make_store 2:2:2; }

# script NAME LINE...: an executable's text in a file.
script() { local name=$1; shift; printf '%s\n' "$@" >"$name"; }

@test "a script runs once, with its arguments, and tells a file" {
  # Whatever the number of slots: one task, all of the node's cores, output in fq-ID.out, the script's exit code.
  local id
  script run.sh '#!/bin/sh' 'echo "$# $2 size=$FLUX_JOB_SIZE cpus=$(nproc)"' 'echo oops >&2' 'exit 3'
  id=$(fq-batch -n2 run.sh a 'b  c')
  check 3 "" "" fq-job status "$id"
  expect "2 b  c size=1 cpus=$(nproc)
oops" "$(cat fq-*.out)"
  expect "run.sh 1 1" "$(fq-jobs -a -n -o '{name} {ntasks} {nnodes}' "$id")"
}

@test "a script over several nodes runs on the first" {
  # -N alone takes whole nodes; the store keeps the output with --output=none.
  local id
  id=$(fq-batch -N2 --output=none --wrap 'echo $FLUX_JOB_NNODES nodes, task $FLUX_TASK_RANK of $FLUX_JOB_SIZE')
  check 0 "2 nodes, task 0 of 1" "" fq-job attach "$id"
  expect "2 node[0-1]" "$(fq-jobs -a -n -o '{nnodes} {nodelist}' "$id")"
  [ ! -e "fq-$id.out" ]
}

@test "the script is the one of the submission" {
  # It is kept in the jobspec: what happens to the file afterwards changes nothing.
  local id
  fq-queue stop --quiet
  script run.sh '#!/bin/sh' 'echo "as submitted"'
  id=$(fq-batch -n1 --output=out run.sh)
  rm run.sh
  fq-queue start --quiet
  check 0 "" "" fq-job status "$id"
  expect "as submitted" "$(cat out)"
}

@test "a script may be read from standard input" {
  # Its name is then batch.
  local id
  id=$(printf '#!/bin/sh\necho piped "$@"\n' | fq-batch -n1 --output=out)
  check 0 "" "" fq-job status "$id"
  expect piped "$(cat out)"
  expect batch "$(fq-jobs -a -n -o '{name}' "$id")"
}

@test "--wrap makes a script of a command or of standard input" {
  # The operands are joined by blanks, as typed to a shell.
  local ids
  ids=$(fq-batch -n1 --output=1 --wrap -- echo 'one;' echo two
        echo 'echo three' | fq-batch -n1 --output=2 --wrap)
  # shellcheck disable=SC2086
  check 0 "" "" fq-job status $ids
  expect "one
two
three" "$(cat 1 2)"
  expect "batch echo" "$(fq-jobs -a -n -o '{name}' | sort | xargs)"
}

@test "--dry-run prints the jobspec" {
  # The script is a file of it (RFC 37), the command runs that file; nothing is stored.
  script run.sh '#!/bin/sh' '# fq: -n3 -c2 -g1' 'true'
  expect '{"data": "#!/bin/sh\n# fq: -n3 -c2 -g1\ntrue\n", "encoding": "utf-8", "mode": 33216}
["{{tmpdir}}/script", "x"] {"per_slot": 1}
[{"count": 3, "label": "task", "type": "slot", "with": [{"count": 2, "type": "core"}, {"count": 1, "type": "gpu"}]}]
fq-{{id}}.out' "$(fq-batch --dry-run run.sh x | "$PYTHON" -c '
import json, sys
spec = json.load(sys.stdin)
system = spec["attributes"]["system"]
dump = lambda v: json.dumps(v, sort_keys=True)
print(dump(system["files"]["script"]))
print(dump(spec["tasks"][0]["command"]), dump(spec["tasks"][0]["count"]))
print(dump(spec["resources"]))
print(system["shell"]["options"]["output"]["stdout"]["path"])')"
  check 0 "" "" fq-jobs -a -n
}

@test "directives give options, which the command line overrides" {
  # flux: and fq: do the same; repeated options add up.
  local id
  script run.sh '#!/bin/sh' '#FLUX: -n1 --urgency=hold       # a comment' '#FLUX: --job-name="from the script" -t 7' \
    '#FLUX: --env=A=1 --output=none' '# not a directive' '' 'echo $A$B'
  id=$(fq-batch -t 2m --env=B=2 run.sh)
  expect "from the script 0 2m" "$(fq-jobs -n -o '{name} {urgency} {duration!F}' "$id")"
  id=$(fq-batch --urgency=default --env=B=2 run.sh)
  check 0 "12" "" fq-job attach "$id"
}

@test "-v tells the options that stand in the script" {
  # On stderr, with their lines, as a shell would read them.
  script run.sh '#!/bin/sh' '# fq: -n1 -t 1h' "# fq: --requires='host:node0 or host:node1'"
  MASK='s/^ƒ.*/ID/' check 0 "ID" "fq-batch: 'run.sh': line 2: -n1 -t 1h
fq-batch: 'run.sh': line 3: '--requires=host:node0 or host:node1'" fq-batch -v --urgency=hold run.sh
}

@test "blocks of directives keep their lines" {
  # A triple quote at the end of a line takes the lines up to the next one.
  script run.sh '#!/usr/bin/env python3' '"""' 'fq: -n1 --urgency=hold' "fq: --setattr=user.note='''" 'fq: [x]' \
    'fq:   y = "z"  # kept' "fq: '''" '"""' 'print(1)'
  expect '[x]\n  y = "z"  # kept\n' "$(fq-batch --dry-run run.sh | grep -o '"note":"[^}]*"}' |
    "$PYTHON" -c 'import json, sys; print(repr(json.loads("{" + sys.stdin.read())["note"])[1:-1])')"
}

@test "wrong directives are errors with their line" {
  # A wrong form gives 1, a wrong option 2; nothing is stored.
  script run.sh '#!/bin/sh' '# fq: -n1' 'date' '# fq: -t1'
  refuses 1 "fq-batch: 'run.sh': line 4: the directives ended with line 2, '# fq:' comes too late" fq-batch run.sh
  script run.sh '#!/bin/sh' '# fq: -n1' '#fq: -t1'
  refuses 1 "fq-batch: 'run.sh': line 3: expected '# fq:' as in the directives before, got '#fq:'" fq-batch run.sh
  script run.sh '#!/bin/sh' '# flux: --job-name="x'
  refuses 1 "fq-batch: 'run.sh': line 2: no closing quote: '--job-name=\"x'" fq-batch -n1 run.sh
  script run.sh '#!/bin/sh' '# flux: --requires=a|b'
  refuses 1 "fq-batch: 'run.sh': line 2: '|' must be quoted: '--requires=a|b'" fq-batch -n1 run.sh
  script run.sh '#!/bin/sh' '# flux: --nslot=1'
  refuses 2 "fq-batch: 'run.sh': line 2: unknown option '--nslot' (did you mean '--nslots'?)" fq-batch -n1 run.sh
  script run.sh '#!/bin/sh' '# flux: -n'
  refuses 2 "fq-batch: 'run.sh': line 2: option '-n' needs a value: -n N" fq-batch -n1 run.sh
  script run.sh '#!/bin/sh' '# flux: -t 1h' '# flux: -n x'
  refuses 2 "fq-batch: 'run.sh': line 3: --nslots: expected a whole number from 1 to 2147483647, got 'x'" fq-batch run.sh
  script run.sh '#!/bin/sh' '# flux: --flags=foo'
  refuses 2 "fq-batch: 'run.sh': line 2: --flags: unknown flag 'foo'" fq-batch -n1 run.sh
  # What a value refers to may be said without a colon, and elsewhere.
  script run.sh '#!/bin/sh' '# flux: -n1 --env==x'
  refuses 2 "fq-batch: 'run.sh': line 2: --env: '=x': the name of the variable is missing" fq-batch run.sh
  script run.sh '#!/bin/sh' '# flux: --env=FROM=here' '# flux: -n1 --env=TO=$FROM'
  check 0 "here" "" sh -c "fq-batch --dry-run run.sh | grep -o '\"TO\":\"[a-z]*' | cut -d '\"' -f 4"
  script run.sh '#!/bin/sh' '# flux: -n1 --env=TO=$FROM'
  refuses 2 "fq-batch: --env: 'TO=\$FROM': variable 'FROM' is not set" fq-batch run.sh
  script run.sh '#!/bin/sh' '# flux: -n1 -o output.stdout.type=file' '# flux: -o output.stdout.path=out.txt' '# flux: -o input.stdin.type=file' '# flux: -o input.stdin.path=in.txt'
  check 0 '{"stdin":{"path":"in.txt","type":"file"}}' "" sh -c "fq-batch --dry-run run.sh | grep -o '{\"stdin\".*}},' | cut -d , -f 1,2"
  script run.sh '#!/bin/sh' '# flux: -n1 -o output.stdout.type=file' '# flux: -o output.stdout.path=out.txt -o exit-timeout=x'
  refuses 2 "fq-batch: 'run.sh': line 3: --setopt: exit-timeout: invalid duration 'x': expected a number with one of the units ms, s, m, h or d, or inf" fq-batch run.sh
  script run.sh '#!/bin/sh' '# flux: -n1 -o input.stdin.type=file'
  refuses 2 "fq-batch: --setopt: input.stdin: missing key 'path'" fq-batch run.sh
  script run.sh '#!/bin/sh' '# flux: -x' '# flux: -N1'
  check 0 "" "" fq-batch --quiet --urgency=hold run.sh
  check 0 "run.sh" "" fq-jobs -a -n -o '{name}'
}

# bats test_tags=own-store
@test "a directive may name the store" {
  # It goes before $FQ_STORE, as any directive does; the command line goes before both.
  local other=$BATS_TEST_TMPDIR/other
  fq-init --quiet --store "$other" --test-nodes 1:1
  script run.sh '#!/bin/sh' "#fq: -n1 --store=$other --output=none"
  fq-batch --quiet run.sh
  fq-batch --quiet --store "$STORE" --job-name=here run.sh
  check 0 run.sh "" fq-jobs --store "$other" -a -n -o '{name}'
  check 0 here "" fq-jobs -a -n -o '{name}'
  FQ_STORE=$other check 0 "" "" fq-job status $(fq-jobs --store "$other" -a -n -o '{id}')
  script run.sh '#!/bin/sh' '#fq: -n1 --store=/nonexistent/store'
  refuses 1 "fq-batch: there is no store in '/nonexistent/store' (fq init makes one, and fq submit does where none is named)" fq-batch run.sh
}

@test "a script whose interpreter is not there is named by its path" {
  # The copy that would have run, with no tag left in it.
  local id
  script run.sh '#!/no/such' 'true'
  id=$(fq-batch -n1 --output=none run.sh)
  check 127 "" "" fq-job status "$id"
  expect "task 0 on node0: cannot run '/TMPDIR/script': its interpreter '/no/such' is not there" \
    "$(fq-jobs -a -n -o '{exception.note}' "$id" | sed -E "s|'[^']*/script'|'/TMPDIR/script'|")"
}

@test "a directive without its colon is refused" {
  # Before the first line of code; words in a comment are none.
  script run.sh '#!/bin/sh' '#fq -t 5m' true
  refuses 1 "fq-batch: 'run.sh': line 2: a colon is missing before the options, as in '# fq: -t 1h': '#fq -t 5m'" \
    fq-batch -n1 run.sh
  script run.sh '#!/bin/sh' '# flux: -n1' '# flux -t 5m' true
  refuses 1 "fq-batch: 'run.sh': line 3: a colon is missing before the options, as in '# fq: -t 1h': '# flux -t 5m'" \
    fq-batch run.sh
  script run.sh '#!/bin/sh' '# fq runs this' '# fq: -n1' true '# flux -t 5m'
  check 0 "" "" fq-batch --quiet --urgency=hold run.sh
  script run.sh '#!/bin/sh' true '# fq -t would set a limit'
  check 0 "" "" fq-batch --quiet --urgency=hold -n1 run.sh
}

@test "what is no script is refused" {
  # A program, text without an interpreter, a file that is not there; nothing is stored.
  refuses 1 "fq-batch: '$FQ_BIN_DIR/fq': not a script: it is not UTF-8 text" fq-batch -n1 "$FQ_BIN_DIR/fq"
  echo hostname >run.sh
  refuses 1 "fq-batch: 'run.sh': a script begins with '#!' and an interpreter (--wrap puts '#!/bin/sh' in front)" \
    fq-batch -n1 run.sh
  refuses 1 "fq-batch: standard input: the script is empty" fq-batch -n1
  refuses 1 "fq-batch: cannot open 'nosuch': No such file or directory" fq-batch -n1 nosuch
  refuses 1 "fq-batch: standard input: the script is empty" fq-batch -n1 --wrap
  echo >run.sh
  refuses 1 "fq-batch: 'run.sh': the script is empty" fq-batch -n1 run.sh
  check 0 "" "" fq-jobs -a -n
}

@test "the size of a batch job is that of its slots" {
  # It must be given; more than there is is refused with the options' names.
  refuses 2 "fq-batch: --nslots or --nodes is missing (-n1 for one slot of a core, here or in the script: # fq: -n1)" fq-batch --wrap true
  refuses 2 "fq-batch: --nodes=3: more nodes than slots (--nslots=2)" fq-batch -N3 -n2 --wrap true
  refuses 2 "fq-batch: --cores-per-slot: expected a whole number from 1 to 2147483647, got '0'" \
    fq-batch -n1 -c0 --wrap true
  refuses 1 "fq-batch: unsatisfiable request: 5 cores requested, the inventory has 4" fq-batch -n5 --wrap true
  refuses 2 "fq-batch: unknown option '--ntasks' (did you mean '--nslots'?)" fq-batch --ntasks=2 --wrap true
}

@test "directives of other systems are told of where they would have helped" {
  # A size that is missing may stand in the script, as Slurm has it; else it is said that they were not read,
  # on a terminal or not, whether the script is a file or comes by a pipe.
  printf '#!/bin/sh\n#SBATCH -N2\ntrue\n' >run.sh
  local hint="'run.sh': line 2: #SBATCH lines are comments to fq, which reads \`# fq: -n4 -t 1h\`"
  refuses 2 "fq-batch: --nslots or --nodes is missing ($hint)" fq-batch run.sh
  check 0 "" "fq-batch: $hint" fq-batch --quiet --urgency=hold -n1 run.sh
  check 0 "" "fq-batch: standard input: ${hint#*: }" bash -c 'cat run.sh | fq-batch --quiet --urgency=hold -n1'
  check 0 "fq-batch: $hint
exit 0" "" "$PYTHON" "$TESTS_DIR/terminal.py" 120 fq-batch --quiet --urgency=hold -n1 run.sh
}

@test "canceling a batch job ends what its script started" {
  # The script and its children get the signal; the job ends as canceled.
  local id
  mkfifo up
  id=$(fq-batch -n1 --wrap 'sleep 1000 & echo >up; wait')
  timeout "$LIMIT" cat up >/dev/null
  fq-cancel "$id"
  ended "$id"
  expect CA "$(fq-jobs -a -n -o '{status_abbrev}' "$id")"
}

@test "--quiet prints no id" {
  # The job is stored nevertheless.
  check 0 "" "" fq-batch --quiet --urgency=hold -n1 --wrap true
  expect true "$(fq-jobs -n -o '{name}')"
}
