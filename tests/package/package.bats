#!/usr/bin/env bats
# The Debian package, of this build: what is in it, and what it makes of a throw-away machine.

load helper

setup_file() { build_packages; }
setup() { begin_machine; }
teardown() { end_machine; }

@test "what is in the package" {
  # Everything is root's; two programs are setuid; commands are links to fqueue, and nothing is called fq; lintian finds no error.
  local list
  list=$(dpkg-deb -c "$PACKAGES/fqueue.deb")
  expect "" "$(awk '$2 != "root/root"' <<<"$list")"
  expect $'./usr/libexec/fq/fq-gate\n./usr/libexec/fq/fq-imp' "$(awk '$1 ~ /s/ { print $6 }' <<<"$list")"
  expect "" "$(awk '$1 ~ /^[^l].......w/ { print $6 }' <<<"$list")"
  expect "" "$(awk '$6 == "./usr/bin/fq" || $6 ~ /man1\/fq\.1/' <<<"$list")"
  expect "fqueue" "$(awk '$6 ~ /^.\/usr\/bin\/fq-/ { print $8 }' <<<"$list" | sort -u)"
  expect "/etc/pam.d/fq" "$(dpkg-deb -I "$PACKAGES/fqueue.deb" conffiles)"
  expect "$(cd "$FQ_BIN_DIR" && find . -type l -printf '%f\n' | grep -vx fqueue | sort)" \
    "$(awk '$1 ~ /^l/ { sub(".*/", "", $6); print $6 }' <<<"$list" | sort)"
  expect "" "$(lintian --fail-on none "$PACKAGES/fqueue.deb" 2>/dev/null | grep '^[EW]:')"
}

@test "the package sets up a queue for all users" {
  # Installed, it is there: for users, by the name fq, and with what systemd starts at boot. Nothing is done twice.
  run installs fqueue
  expect 0 "$status"
  expect "700 fq fq /var/lib/fq
600 root root /etc/fq/imp.key
4755 root root /usr/libexec/fq/fq-gate
4755 root root /usr/libexec/fq/fq-imp" "$(machine stat -c '%a %U %G %n' /var/lib/fq /etc/fq/imp.key /usr/libexec/fq/fq-gate /usr/libexec/fq/fq-imp)"
  expect "Scheduling is started" "$(status_of_queue)"
  expect "fq 0.1.0" "$(as ada fq --version)"
  machine test -L /etc/systemd/system/multi-user.target.wants/fq-tick.service
  machine test -L /etc/systemd/system/timers.target.wants/fq-tick.timer
  expect "everything is there: nothing was changed" "$(machine fqueue init --system)"
  local id
  id=$(as fq fq-submit true)
  as fq fq-job attach "$id"
  until_so is_over "$id" CD
  # Where systemd makes what is to be there.
  machine rm -rf /var/lib/fq-imp
  machine systemd-tmpfiles --create fq.conf
  expect "700 root root /var/lib/fq-imp" "$(machine stat -c '%a %U %G %n' /var/lib/fq-imp)"
}
