#!/usr/bin/env bats
# fq-bulksubmit: inputs, what is made of them, and the jobs that come of it.

load helper

setup() { make_store 2:4:2; }

# lines ARGS...: what --dry-run prints, without what stands in front of every line.
lines() { fq-bulksubmit --dry-run "$@" </dev/null | sed 's/^bulksubmit: submit //'; }

@test "each line of standard input is a job" {
  # The ids come in the order of the inputs; {} is the input wherever it stands.
  local ids
  ids=$(printf 'one\ntwo words\n\nthree "q"\n' | fq-bulksubmit --output='out.{seq}' --job-name='j{seq1}' echo '<{}>')
  # shellcheck disable=SC2086
  check 0 "" "" fq-job status $ids
  expect '<one>
<two words>
<three "q">' "$(cat out.0 out.1 out.2)"
  # shellcheck disable=SC2086
  expect "j1 j2 j3" "$(fq-jobs -a -n -o '{id.dec} {name}' $ids | sort -n | awk '{print $2}' | xargs)"
}

@test "inputs may follow the command" {
  # ::: lists are combined, :::+ goes along, :::: and ::::+ read files.
  printf 'x\ny\n' >file
  expect "echo 3 1
echo 4 1
echo 3 2
echo 4 2" "$(lines echo '{1}' '{0}' ::: 1 2 ::: 3 4)"
  expect "echo 1 a
echo 2 b
echo 3 a" "$(lines echo '{0}' '{1}' ::: 1 2 3 :::+ a b)"
  expect "x 1
y 1" "$(lines :::: file :::+ 1 | sed 's/$/ 1/')"
  expect "echo 1.x
echo 2.y" "$(lines echo '{}.{}' ::: 1 2 ::::+ file)"
}

@test "without a command each input is a command line" {
  # Words are cut as a shell cuts them.
  local ids
  ids=$(printf '%s\n' 'sh -c "echo one; exit 3"' "printf 'a  b\n'" | fq-bulksubmit --output='out.{seq}')
  # shellcheck disable=SC2086
  check 3 "" "" fq-job status $ids
  expect "one
a  b" "$(cat out.0 out.1)"
  # shellcheck disable=SC2086
  expect "printf sh" "$(fq-jobs -a -n -o '{name}' $ids | sort | xargs)"
  expect "foo
bar" "$(lines ::: foo bar)"
}

@test "parts of inputs have their own substitutions" {
  # Extension, file name, directory, number; of another input by its number.
  expect "0 1 /a/b/c/d.txt /a/b/c/d d.txt /a/b/c d
1 2 /a/b/c/d /a/b/c/d d /a/b/c d
2 3 c.txt c c.txt '' c" "$(lines '{seq}' '{seq1}' '{}' '{.%}' '{./}' '{.//}' '{./%}' ::: /a/b/c/d.txt /a/b/c/d c.txt)"
  expect "d /x" "$(lines '{1./%}' '{0.//}' ::: /x/y ::: a/d.e)"
}

@test "substitutions may stand in options" {
  # Sizes, limits, names, environment, and options that may be repeated.
  expect "-n1 -N1 -c1 -g1 hostname
-n2 -N2 -c2 -g2 hostname" "$(lines -n '{}' -N '{}' -c '{}' -g '{}' hostname ::: 1 2)"
  expect "-t5m --job-name='my 5' --env=A=5 --env=C=1 --env=B=0 true" \
    "$(lines -t '{}m' --job-name='my {}' --env=A='{}' --env=C=1 --env=B='{seq}' true ::: 5)"
  local ids
  ids=$(fq-bulksubmit --urgency=hold -n '{}' -t '{}m' true ::: 1 2 4)
  # shellcheck disable=SC2086
  expect "1:1m 2:2m 4:4m" "$(fq-jobs -n -o '{ntasks}:{duration!F}' $ids | sort | xargs)"
}

@test "templates and variables are kept for whom they are meant" {
  # {{…}} is the shell of the job's, ${…} the script's, braces around other text nobody's.
  expect "--output=flux-0.{{id}}.out echo {{tmpdir}} '\${X}' 'a {b c}'" \
    "$(lines --output='flux-{}.{{id}}.out' echo '{{tmpdir}}' '${X}' 'a {b c}' ::: 0)"
  local id
  id=$(fq-bulksubmit --output='out-{}.{{name}}' --job-name='n{}' sh -c 'X={}; echo ${X}{{id.dec}}' ::: 7)
  check 0 "" "" fq-job status "$id"
  expect "7$(fq-job id --to=dec "$id")" "$(cat out-7.n7)"
}

@test "--cc and --bcc copy the job of each input" {
  # {cc} is replaced after the inputs, in the set of copies itself they may stand.
  local ids
  ids=$(fq-bulksubmit --cc=1-2 --output='out-{}-{cc}' sh -c 'echo {cc}{}$FLUX_JOB_CC' ::: a b)
  # shellcheck disable=SC2086
  check 0 "" "" fq-job status $ids
  expect "1a1 2a2 1b1 2b2" "$(cat out-a-1 out-a-2 out-b-1 out-b-2 | xargs)"
  expect 5 "$(fq-bulksubmit --urgency=hold --bcc='0-{}' true ::: 1 2 | wc -l)"
  expect "--cc=1-2 echo 1
--cc=1-2 echo 2" "$(lines --cc=1-2 echo '{}' ::: 1 2)"
}

@test "--define makes methods" {
  # A small part of Python, refused before anything is submitted where it is more than that.
  expect "-n2 --job-name=1 hostname
-n4 --job-name=2 hostname" "$(lines --define=p2='2**int(x)' --job-name='{}' -n '{.p2}' hostname ::: 1 2)"
  expect "007 ABC" "$(lines --define=pad='x.zfill(3)' --define=up='x.upper()' '{0.pad}' '{1.up}' ::: 7 ::: abc)"
  refuses 2 "fq-bulksubmit: --define: 'r=__import__(x)': column 11: there is no function '__import__' (there are int, str, len)" \
    fq-bulksubmit --define='r=__import__(x)' '{.r}' ::: os
  refuses 2 "fq-bulksubmit: --define: 'h=int(x)/2': column 7: '/' would give fractions (// divides whole numbers)" \
    fq-bulksubmit --define='h=int(x)/2' '{.h}' ::: 1
  refuses 2 "fq-bulksubmit: --define: 'p2': expected NAME=CODE" fq-bulksubmit --define=p2 '{.p2}' ::: 1
  refuses 2 "fq-bulksubmit: {.p2} of 'a': 'a' is not a whole number" \
    fq-bulksubmit --define='p2=2**int(x)' -n '{.p2}' true ::: 1 a
  check 0 "" "" fq-jobs -a -n
}

@test "--sep separates the inputs of files" {
  # White space, or a text in which escapes stand for characters.
  sep() { printf "$2" | fq-bulksubmit --dry-run --sep="$1" echo '{}' | sed 's/^.*echo //' | xargs; }
  expect "a b c" "$(sep none 'a b\n\tc')"
  expect "a b c" "$(sep '\0' 'a\0b\0c')"
  expect "a b" "$(sep ', ' 'a, b')"
  refuses 2 "fq-bulksubmit: --sep: the separator is empty (none is white space)" fq-bulksubmit --sep= true
  refuses 2 "fq-bulksubmit: --sep: '\\q': after a backslash comes n, t, r, 0, \\ or xHH" \
    fq-bulksubmit --sep='\q' true
}

@test "--shuffle submits in random order" {
  # Every input once, with its own number.
  local inputs shuffled
  inputs=$(seq 0 99)
  # shellcheck disable=SC2086
  shuffled=$(lines --shuffle echo '{seq}:{}' ::: $inputs)
  expect "$(paste -d: <(echo "$inputs") <(echo "$inputs"))" "$(sed 's/echo //' <<<"$shuffled" | sort -n)"
  [ "$(sort -t' ' -k2n <<<"$shuffled")" != "$shuffled" ]
}

@test "--wait returns the largest exit code" {
  # Ids are printed first.
  run fq-bulksubmit --wait sh -c 'exit {}' ::: 0 3 1
  expect "3 3" "$status ${#lines[@]}"
}

@test "options end at the command" {
  # What follows it is its own, up to the inputs.
  expect "echo a --job-name=foo" "$(lines echo '{}' --job-name=foo ::: a)"
}

@test "inputs that make no sense are usage errors" {
  # The delimiter is quoted; nothing is stored.
  refuses 2 "fq-bulksubmit: no inputs on standard input" fq-bulksubmit echo '{}'
  refuses 2 "fq-bulksubmit: no inputs follow ':::'" fq-bulksubmit echo '{}' :::
  refuses 2 "fq-bulksubmit: '::::' takes one file, got 2" fq-bulksubmit echo '{}' :::: a b
  refuses 1 "fq-bulksubmit: cannot open 'nosuch': No such file or directory" fq-bulksubmit echo '{}' :::: nosuch
  refuses 2 "fq-bulksubmit: ':::+' goes along with inputs before it, and there are none" fq-bulksubmit echo '{}' :::+ a
  check 0 "" "" fq-jobs -a -n
}

@test "substitutions that there are not are usage errors" {
  # The word or the option is said; nothing is stored.
  refuses 2 "fq-bulksubmit: command '{1}': {1}: there is 1 input, {0}" fq-bulksubmit '{1}' ::: 0 1 2
  refuses 2 "fq-bulksubmit: -n'{2}': {2}: there are 2 inputs, {0} to {1}" fq-bulksubmit -n '{2}' true ::: 0 ::: 1
  refuses 2 "fq-bulksubmit: --env='A={f}': {f}: there is no such substitution" fq-bulksubmit --env='A={f}' true ::: 0
  refuses 2 "fq-bulksubmit: command '{.base}': {.base}: there is no method 'base' (there are %, /, //, /%)" \
    fq-bulksubmit '{.base}' ::: 0
  refuses 2 "fq-bulksubmit: command '{cc}': {cc} needs --cc or --bcc" fq-bulksubmit '{cc}' ::: 0
  check 0 "" "" fq-jobs -a -n
}

@test "one job that cannot be refuses them all" {
  # Options that make no job, and jobs that can never run.
  refuses 2 "fq-bulksubmit: --ntasks: expected a whole number from 1 to 2147483647, got 'x'" \
    fq-bulksubmit -n '{}' true ::: 1 2 x
  refuses 1 "fq-bulksubmit: input '1024': unsatisfiable request: 1024 cores requested, the inventory has 8" \
    fq-bulksubmit -n '{}' true ::: 1 2 1024
  refuses 1 "fq-bulksubmit: inputs '1024', 'b': unsatisfiable request: 1024 cores requested, the inventory has 8" \
    fq-bulksubmit -n '{0}' echo '{1}' ::: 1 1024 :::+ a b
  refuses 1 "fq-bulksubmit: input 'a', copy 9: unsatisfiable request: 9 cores requested, the inventory has 8" \
    fq-bulksubmit --cc=8-9 -n '{cc}' echo '{}' ::: a b
  refuses 1 "fq-bulksubmit: input 'nosuch': unsatisfiable request: no node matches the constraint 'nosuch'" \
    fq-bulksubmit --requires='{}' true ::: host:node0 nosuch
  # A taken job between two that are refused alike; of copies whose number varies, the right one.
  refuses 1 "fq-bulksubmit: input '1000': unsatisfiable request: 1000 cores requested, the inventory has 8" \
    fq-bulksubmit -n '{}' true ::: 1000 1 1000
  refuses 1 "fq-bulksubmit: input '2,9', copy 9: unsatisfiable request: 9 cores requested, the inventory has 8" \
    fq-bulksubmit --cc='{}' -n '{cc}' true ::: 1-3 4 2,9
  # What is said against all of them names none.
  refuses 1 "fq-bulksubmit: unsatisfiable request: 1000 cores requested, the inventory has 8" \
    fq-bulksubmit -n '{}' true ::: 1000 1000 1000
  refuses 1 "fq-bulksubmit: unsatisfiable request: 1000 cores requested, the inventory has 8" \
    fq-bulksubmit -n 1000 echo '{}' ::: a b
  refuses 1 "fq-bulksubmit: queue 'q' does not exist: no queues are configured" fq-bulksubmit -q q -n '{}' true ::: 1 2
  refuses 2 "fq-bulksubmit: ''b': no closing quote" fq-bulksubmit ::: a "'b"
  check 0 "" "" fq-jobs -a -n
}

@test "many inputs are few transactions" {
  # A transaction has one time: ten thousand jobs have few, and each has the input that its id says.
  fq-queue stop --quiet
  seq 10000 | fq-bulksubmit echo '{}' >ids
  expect 10000 "$(wc -l <ids)"
  expect '["echo","9999"]' "$(fq-job info "$(sed -n 9999p ids)" jobspec | grep -oF '["echo","9999"]')"
  fq-jobs -n -c 0 -o '{t_submit}' >times
  expect 10000 "$(wc -l <times)"
  [ "$(sort -u times | wc -l)" -le 100 ]
  fq-cancel --all --quiet
}

@test "--dry-run shows all options" {
  # Those without a substitution, too, as a shell would read them.
  expect "-n2 -t5m --job-name=j.a --env='-*' --env=SEQ=0 -x -l echo a
-n2 -t5m --job-name=j.b --env='-*' --env=SEQ=1 -x -l echo b" \
    "$(lines -n2 -t5m --job-name='j.{}' --env='-*' --env='SEQ={seq}' -l -x -N1 echo '{}' ::: a b | sed 's/ -N1//')"
}
