#!/usr/bin/env bats
# Programs that the configuration of a shared store names: root's, from /etc/fq, when it is loaded and whenever they are run.

load helper

setup() {
  # shellcheck disable=SC2034
  WORLD_PID=$(cat "$BATS_FILE_TMPDIR/world")
  as fq fq-init --quiet --store /var/lib/fq --test-nodes 2:4
  world sh -c 'mkdir -p /etc/fq/jobs && printf "#!/bin/sh\nid -un\n" >/etc/fq/jobs/prolog && chmod 755 /etc/fq/jobs /etc/fq/jobs/prolog'
}
# names WHO PROGRAM [KEY]: loads a configuration that names it.
names() { as "$1" fq-config load - <<<"${3:-jobs.prolog.command} = [\"$2\"]"; }
refuses_program() {
  run --separate-stderr names "$@"
  # shellcheck disable=SC2154
  expect "1||fq-config: '$2' may not run for all users: $WHY" "$status|$output|$stderr"
}

@test "a program that is not root's, or not in /etc/fq, is refused, whoever names it" {
  local who
  world install -m 755 -o fq /etc/fq/jobs/prolog /mnt/prolog
  for who in fq root; do
    WHY='programs of the store that users share are root'"'"'s, in /etc/fq'
    refuses_program "$who" /mnt/prolog
    refuses_program "$who" /bin/true
    refuses_program "$who" /etc/fq/../../mnt/prolog
    refuses_program "$who" /etc/fq/./../../mnt/prolog
    refuses_program "$who" /mnt/prolog jobs.epilog.command
    refuses_program "$who" /mnt/prolog job-manager.housekeeping.command
    refuses_program "$who" /bin/true policy.scheduler.command
    refuses_program "$who" /bin/true queues.batch.policy.scheduler.command
  done
  WHY="'/etc/fq/link' is no file"
  world ln -s /mnt/prolog /etc/fq/link
  refuses_program root /etc/fq/link
  WHY="'/etc/fq/place' is no directory"
  world ln -s /mnt /etc/fq/place
  refuses_program root /etc/fq/place/prolog
  WHY="'/etc/fq/jobs/prolog' can be written by others than root"
  world chmod g+w /etc/fq/jobs/prolog
  refuses_program root /etc/fq/jobs/prolog
  WHY="'/etc/fq/jobs/prolog' is not root's"
  world sh -c 'chmod 755 /etc/fq/jobs/prolog && chown fq /etc/fq/jobs/prolog'
  refuses_program root /etc/fq/jobs/prolog
  WHY="'/etc/fq/jobs' is not root's"
  world sh -c 'chown root /etc/fq/jobs/prolog && chown fq /etc/fq/jobs'
  refuses_program root /etc/fq/jobs/prolog
  world chown root /etc/fq/jobs
  expect "" "$(as fqtest-b fq-config get jobs.prolog.command 2>/dev/null)"
}

@test "root's is run before each user's job, and no more once it is not root's alone" {
  local id
  names fq /etc/fq/jobs/prolog
  id=$(as fqtest-a sh -c 'cd /mnt && fq-submit true')
  ended_as fqtest-a "$id"
  expect CD "$(as fqtest-a fq-jobs -a -n -o '{status_abbrev}' "$id")"
  as fq fq-job info "$id" guest.prolog | jq -r '.context.data? // empty' | grep -qx fq
  world chmod o+w /etc/fq/jobs/prolog
  id=$(as fqtest-a sh -c 'cd /mnt && fq-submit true')
  until_so is_drained
  grep -qF "'/etc/fq/jobs/prolog' may not run for all users: '/etc/fq/jobs/prolog' can be written by others than root" <<<"$(as root fq-resource drain)"
}
is_drained() { [ -n "$(nsenter -t "$(cat "$BATS_FILE_TMPDIR/world")" -m -- env -i PATH=/usr/libexec/fq:/usr/bin:/bin fq-resource drain -n)" ]; }
export -f is_drained

@test "of a scheduler the same" {
  world sh -c 'printf "#!/bin/sh\nexit 3\n" >/etc/fq/jobs/scheduler && chmod 755 /etc/fq/jobs/scheduler'
  names fq /etc/fq/jobs/scheduler policy.scheduler.command
  world chmod g+w /etc/fq/jobs/scheduler
  as fqtest-a sh -c 'cd /mnt && fq-submit --quiet true'
  grep -qF "'/etc/fq/jobs/scheduler' may not run for all users: '/etc/fq/jobs/scheduler' can be written by others than root" <<<"$(as fqtest-a fq-queue status 2>&1)"
  # Until then it would be tried again.
  as fq fq-config load /dev/null
  until_so no_process_of_the_store
}
