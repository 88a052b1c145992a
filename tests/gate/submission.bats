#!/usr/bin/env bats
# Jobs that users submit to a shared store, through the gate: they run as who signed them, and as nobody else; what was not
# signed so is refused, whoever has a hand in it.

load helper

# group FILE [J]: a SubmitRequest of the jobspec in the world'"'"'s file, with this J.
group() { python3 -c 'import json, sys
group = {"jobspec": {"pieces": [open(sys.argv[1]).read()]}}
if len(sys.argv) > 2: group["J"] = open(sys.argv[2]).read()
print(json.dumps({"groups": [group]}))' "$(where "$1")" ${2:+"$(where "$2")"}; }
# jobspec NAME COMMAND...: writes one into the file.
jobspec() {
  local name=$1
  shift
  as fqtest-a sh -c 'cd /mnt && fq-submit --dry-run "$@"' sh "$@" >"$(where "$name")"
}
sign_for() { as "$1" sh -c 'fq-imp sign "$2" 0 0 3600 <"/mnt/$1"' sh "$2" "${3-fq}" >"$(where "$2.J")"; }
# refuses_submission ERROR USER FILE [J]
refuses_submission() { expect "$1" "$(group "$3" ${4:+"$4"} | speaks "$2" ask submit | sed "s/^E //")"; }

@test "a user's job runs as that user, where it was submitted, with the user's files" {
  # Its output is the user's; another sees that it is there.
  world install -d -o fqtest-a -m 700 /mnt/a
  local id
  id=$(as fqtest-a sh -c 'cd /mnt/a && umask 027 && fq-submit --output=out sh -c "id -un; pwd; umask; cat secret"')
  ended_as fqtest-a "$id"
  expect "fqtest-a
/mnt/a
0027
cat: secret: No such file or directory" "$(world cat /mnt/a/out)"
  expect "fqtest-a" "$(world stat -c %U /mnt/a/out)"
  expect "$id fqtest-a F" "$(as fqtest-b fq-jobs -a -A -n -o '{id} {username} {status_abbrev}')"
  # What one may not write to, one's job may not either.
  as fqtest-b sh -c 'cd /mnt && fq-run --output=/mnt/a/other true' >"$(where b.err)" 2>&1 || true
  [ ! -e "$(where a/other)" ]
  grep -q "cannot open '/mnt/a/other': Permission denied" "$(where b.err)"
}

@test "many jobs of one submission are each what was signed" {
  # Under one signature.
  local ids id
  ids=$(as fqtest-a sh -c 'cd /mnt && fq-submit --cc=1-20 sh -c "echo {cc} \$(id -un)"')
  # shellcheck disable=SC2086
  ended_as fqtest-a $ids
  expect "$(for i in $(seq 20); do echo "$i fqtest-a"; done)" "$(for id in $ids; do as fqtest-a fq-job attach "$id"; done)"
  expect 1 "$(for id in $ids; do as fqtest-a fq-job info "$id" J; echo; done | sort -u | grep -c .)"
}

@test "who has no jobs here cannot submit" {
  # Root and the system's users; the store's own runs as itself.
  refuses 1 "fq-submit: the job cannot be signed: user 'root' is of the system's own, which have no jobs here" \
    world env -i PATH=/usr/libexec/fq:/usr/bin:/bin fq-submit true
  refuses 1 "fq-submit: the job cannot be signed: user 'fqtest-system' is of the system's own, which have no jobs here" \
    as fqtest-system fq-submit true
  ended_as fq "$(as fq sh -c 'cd / && fq-submit true')"
}

@test "what is not signed, or not so, is refused" {
  # By nobody, by another, for another store, another text, a signature that was touched.
  jobspec spec true
  jobspec other false
  refuses_submission "jobs of user 64101 must be signed: they run as that user" fqtest-a spec
  sign_for fqtest-a spec
  refuses_submission "J is signed by user 64101, not by 64102" fqtest-b spec spec.J
  refuses_submission "J is not what was signed for these jobs" fqtest-a other spec.J
  sign_for fqtest-a other elsewhere
  refuses_submission "J is for the store 'elsewhere'" fqtest-a other other.J
  sed -E 's/\.(.)(.)([^.]*)$/.\2\1\3/' "$(where spec.J)" >"$(where forged.J)"
  refuses_submission "the signature of J is wrong" fqtest-a spec forged.J
  expect "" "$(as root fq-jobs -a -A -n)"
}

@test "a request that was signed once runs once, whatever becomes of the store" {
  # Submitted again, after its job was purged, and in a store that is made anew.
  jobspec spec sh -c 'echo ran >>/mnt/runs'
  sign_for fqtest-a spec
  submit() { group spec spec.J | speaks fqtest-a ask submit | sed -E 's/.*\[([0-9]+)\].*/\1/'; }
  local id
  id=$(submit)
  ended_as fqtest-a "$id"
  id=$(submit)
  ended_as fqtest-a "$id"
  expect "F this request has run already" \
    "$(as fqtest-a fq-jobs -a -n -o '{status_abbrev} {exception.note}' "$id" | sed 's/fq-imp: //')"
  as root fq-job purge --num-limit=0 -f >/dev/null
  ended_as fqtest-a "$(submit)"
  until_so no_process_of_the_store
  world find /var/lib/fq -mindepth 1 -delete
  as fq fq-init --quiet --store /var/lib/fq --test-nodes 2:4
  ended_as fqtest-a "$(submit)"
  expect ran "$(world cat /mnt/runs)"
}

@test "what the store says of a job changes nothing of what runs" {
  # Who has taken fq over edits the jobspec that is stored: the tasks run what was signed.
  local id
  as root fq-queue stop --quiet
  id=$(as fqtest-a sh -c 'cd /mnt && fq-submit sh -c "echo signed"')
  refuses 1 "fq-update: job $id is signed: only its duration, queue, bank, project, QoS, constraints, name and attributes.user can be changed; submit it anew" \
    as root fq-update "$id" 'attributes.system.environment.PATH=/mnt/evil'
  as fqtest-a fq-update "$id" duration=5m
  as root fq-queue start --quiet
  ended_as fqtest-a "$id"
  expect signed "$(as fqtest-a fq-job attach "$id")"
}

@test "where fq-imp can do nothing a job fails, says why, and leaves its nodes" {
  local id
  as root fq-queue stop --quiet
  id=$(as fqtest-a sh -c 'cd /mnt && fq-submit true')
  world chmod 755 /usr/libexec/fq/fq-imp
  as root fq-queue start --quiet
  ended_as fqtest-a "$id"
  world chmod 4755 /usr/libexec/fq/fq-imp
  expect "F fq-imp: this program must be root's, and setuid" "$(as fqtest-a fq-jobs -a -n -o '{status_abbrev} {exception.note}' "$id")"
  expect "0" "$(as root fq-resource list -s allocated -n -o '{nnodes}' | head -n 1)"
  as fqtest-a sh -c 'cd /mnt && fq-run true'
  expect "checked 2 jobs: sound" "$(as fq fq-fsck)"
}

@test "fq fsck verifies what users signed" {
  # A job whose signature nobody can verify any more is not to be run; who looks after the store is told.
  local id
  as root fq-queue stop --quiet
  id=$(as fqtest-a sh -c 'cd /mnt && fq-submit true')
  expect "checked 1 job: sound" "$(as fq fq-fsck)"
  world mv /etc/fq/imp.pub /etc/fq/imp.pub.before
  world sh -c 'mkdir -p /mnt/otherkeys; $0 keys /mnt/otherkeys && cp /mnt/otherkeys/imp.pub /etc/fq' /usr/libexec/fq/imp_tool
  run as fq fq-fsck
  world mv /etc/fq/imp.pub.before /etc/fq/imp.pub
  expect "1 job $id: J is signed by a key that is not known here"$'\n'"checked 1 job: 1 finding" "$status $output"
}

@test "hostpids names the processes of a user's job, as this machine knows them" {
  # What the job itself says of them is looked up among its own; another's is nobody's business.
  local id out
  id=$(as fqtest-a sh -c 'cd /mnt && fq-submit -N2 -n4 sleep 4712')
  out=$(as fqtest-a fq-job hostpids "$id")
  expect "node0 node0 node1 node1" "$(tr , '\n' <<<"$out" | cut -d: -f1 | xargs)"
  until_so four_tasks
  expect "$(pgrep -u 64101 -fx 'sleep 4712' | xargs)" "$(tr , '\n' <<<"$out" | cut -d: -f2 | sort -n | xargs)"
  expect "$(cut -d, -f2-3 <<<"$out")" "$(as fqtest-a fq-job hostpids -r 1-2 "$id")"
  refuses 1 "fq-job: job $id belongs to user 64101" as fqtest-b fq-job hostpids "$id"
  as fqtest-a fq-cancel --quiet "$id"
  ended_as fqtest-a "$id"
}
four_tasks() { [ "$(pgrep -u 64101 -cfx 'sleep 4712')" = 4 ]; }
export -f four_tasks

@test "one user's job cannot reach another's, nor what runs the store" {
  # Processes, signals, the store's files and the keeper's.
  world install -d -o fqtest-a -m 700 /mnt/own
  local id
  id=$(as fqtest-b sh -c 'cd /mnt && fq-submit sleep 1000')
  until_so running_tasks_of 64102
  as fqtest-a sh -c 'cd /mnt/own && fq-run sh -c "
    ls /proc | grep -c ^[0-9]; pgrep -u 64102 || echo none; kill -0 -1 2>&1 || echo alone
    cat /var/lib/fq/lock 2>&1 | sed s/.*:.//; ls /proc/1/fd 2>&1 | sed s/.*:.//; echo /run/user/*"' >"$(where seen)" 2>&1 || true
  grep -qx none "$(where seen)"
  # Nor services of its own user, who would run outside what they are asked.
  grep -qx /run/user/64101 "$(where seen)"
  [ "$(grep -c 'Permission denied' "$(where seen)")" -ge 2 ]
  expect R "$(as root fq-jobs -A -n -o '{status_abbrev}' "$id")"
  refuses 1 "fq-cancel: job $id belongs to user 64102" as fqtest-a fq-cancel "$id"
  as fqtest-b fq-cancel "$id"
  ended_as fqtest-b "$id"
}
running_tasks_of() { pgrep -u "$1" -x sleep >/dev/null; }
export -f running_tasks_of

@test "what escapes by setsid and double forks ends with its job" {
  # So nodes that are free are empty.
  local id
  id=$(as fqtest-a sh -c 'cd /mnt && mkfifo escaped && fq-submit sh -c "setsid sh -c \"sleep 4711 & setsid sleep 4711 & echo >escaped\" & read line <escaped"')
  ended_as fqtest-a "$id"
  ! pgrep -u 64101 -fx 'sleep 4711'
}

@test "users and an operator share a machine" {
  # As it is told in the manual: two users, one of them held back, one who looks after the queue.
  local a b
  as fq fq-config load - <<<'access.operators = ["fqtest-b"]'
  as fqtest-b fq-queue stop --quiet -m "upgrade"
  a=$(as fqtest-a sh -c 'cd /mnt && fq-submit --job-name=a sh -c "id -un"')
  grep -q upgrade <<<"$(as fqtest-a fq-job why "$a")"
  as fqtest-b fq-queue start --quiet
  b=$(as fqtest-b sh -c 'cd /mnt && fq-run sh -c "id -un"')
  expect fqtest-b "$b"
  ended_as fqtest-a "$a"
  expect fqtest-a "$(as fqtest-a fq-job attach "$a")"
  refuses 1 "fq-queue: only the owner or an operator may stop a queue" as fqtest-a fq-queue stop
}
