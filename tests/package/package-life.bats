#!/usr/bin/env bats
# What becomes of a machine's queue while the Debian package is replaced, removed and purged, and beside others.

load helper

setup_file() { build_packages; }
setup() { begin_machine; }
teardown() { end_machine; }

@test "jobs go on while another version is installed" {
  # What ran ends as it would have; keys and an administrator's files stay.
  local id key
  installs fqueue
  key=$(machine cat /etc/fq/imp.key)
  echo "# ours" >>"$MACHINE_ROOT/etc/pam.d/fq"
  machine mkfifo -m 666 /tmp/go
  id=$(as fq fq-submit sh -c 'read line </tmp/go; echo "$line"')
  until_so is_over "$id" R
  run installs next
  expect 0 "$status"
  expect "0.1.1" "$(machine dpkg-query -W -f '${Version}' fqueue)"
  expect "$key" "$(machine cat /etc/fq/imp.key)"
  expect "# ours" "$(machine tail -n1 /etc/pam.d/fq)"
  machine sh -c 'echo "it went on" >/tmp/go'
  expect "it went on" "$(as fq fq-job attach "$id")"
  until_so is_over "$id" CD
  expect "Scheduling is started" "$(status_of_queue)"
}

@test "the queue stands still while the package is removed, and goes when it is purged" {
  # What waits waits, what runs ends, and both are there with the next installation.
  local runs waits uid
  installs fqueue
  machine mkfifo -m 666 /tmp/go
  runs=$(as fq fq-submit sh -c 'read line </tmp/go')
  until_so is_over "$runs" R
  waits=$(as fq fq-submit --dependency="afterany:$runs" true)
  run machine dpkg -r fqueue
  expect 0 "$status"
  [[ $output == *"fqueue: jobs that run go on: 1; their end is noted when fq is installed again"* ]]
  machine test ! -e /usr/bin/fq
  machine test -d /var/lib/fq/db
  machine sh -c 'echo >/tmp/go'
  installs fqueue
  until_so is_over "$runs" CD
  until_so is_over "$waits" CD
  expect "Scheduling is started" "$(status_of_queue)"
  machine test ! -e /var/lib/misc/fqueue.stopped
  # With all that runs.
  uid=$(machine id -u fq)
  runs=$(as fq fq-submit sleep 1000)
  until_so is_over "$runs" R
  machine dpkg -P fqueue
  expect "" "$(machine find / -xdev \( -user "$uid" -o -path '/etc/fq' -o -path '/var/lib/fq*' -o -path '/usr/libexec/fq' -o -name 'fqueue*' -path '/usr/*' \) \
    ! -path '/proc/*' 2>/dev/null)"
  refuses 2 "" machine getent passwd fq
  expect "" "$(machine sh -c 'cat /proc/[0-9]*/cmdline | tr "\0" " " | grep -o "[s]leep 1000"')"
}

@test "two users and an operator share a machine from the installation on" {
  # Each has jobs that run as oneself, and no say over others'; an operator has.
  local hers his
  installs fqueue
  machine useradd -m bob
  machine useradd -m olga
  echo 'access.operators = ["olga"]' >"$MACHINE_ROOT/tmp/site.toml"
  machine chmod 644 /tmp/site.toml
  machine fq config load /tmp/site.toml
  hers=$(as ada fq submit sh -c 'id -un; sleep 1000')
  his=$(as bob fq submit --cwd=/tmp sh -c 'id -un')
  expect bob "$(as bob fq job attach "$his")"
  expect "$hers ada" "$(as bob fq jobs -A -n -o '{id} {username}')"
  run as bob fq cancel "$hers"
  expect 1 "$status"
  run as bob fq job attach "$hers"
  expect 1 "$status"
  as olga fq cancel --quiet "$hers"
  until_so is_over "$hers" CA
  # What runs as a user goes on while another version is installed, and ends as it would have.
  machine mkfifo -m 666 /tmp/go
  hers=$(as ada fq submit sh -c 'read line </tmp/go; echo "$line of $(id -un)"')
  until_so is_over "$hers" R
  installs next
  machine sh -c 'echo "the end" >/tmp/go'
  expect "the end of ada" "$(as ada fq job attach "$hers")"
  until_so is_over "$hers" CD
}

@test "it lives beside another fq" {
  # Whichever comes first: /usr/bin/fq is the other package's, which nothing is taken from.
  installs nq
  run installs fqueue
  expect 0 "$status"
  expect another "$(as ada fq)"
  expect "fq 0.1.0" "$(as ada fqueue --version)"
  expect "Scheduling is started" "$(as ada fqueue queue status | tail -n1)"
  machine dpkg -r nq
  expect "fq 0.1.0" "$(as ada fq --version)"
  installs nq
  expect another "$(as ada fq)"
  machine dpkg -P fqueue
  expect another "$(as ada fq)"
  machine dpkg -P nq
  machine test ! -e /usr/bin/fq
}
