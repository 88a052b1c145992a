# What tests of fq-imp stand on: the program as root's, setuid, in a mount namespace with users and places of its own, so
# that nothing of the machine changes. The world is made once a file; what tests leave in it is theirs.

. "${BASH_SOURCE[0]%/*}/expect.bash"

LIMIT=${LIMIT:-120}
REPO_BIN=${FQ_BIN_DIR:?}
TOOL=${FQ_IMP_TOOL:?}
MACHINE=0123456789abcdef0123456789abcdef

# world_script: makes the places, then stays until its input ends. Inside, /mnt is everybody's.
make_world() {
  local etc=$BATS_FILE_TMPDIR/etc up=$BATS_FILE_TMPDIR/up
  cp -a /etc "$etc"
  mkdir -m 755 "$etc/fq"
  echo "$MACHINE" >"$etc/machine-id"
  local entry
  for entry in fq:990 fqtest-system:991 fqtest-a:64101 fqtest-b:64102; do
    echo "${entry%:*}:x:${entry#*:}:${entry#*:}::/mnt:/bin/sh" >>"$etc/passwd"
    echo "${entry%:*}:x:${entry#*:}:" >>"$etc/group"
    echo "${entry%:*}:*:19000:0:99999:7:::" >>"$etc/shadow"
  done
  echo "fqtest-both:x:64200:fqtest-a" >>"$etc/group"
  printf '%s\n' 'account required pam_unix.so' 'session required pam_unix.so' >"$etc/pam.d/fq"
  [ "$(sed -n 's/^UID_MIN[ \t]*//p' "$etc/login.defs")" = 1000 ]
  mkfifo "$up" "$BATS_FILE_TMPDIR/stay"
  # shellcheck disable=SC2016
  unshare --mount --propagation private sh -ec '
    mount --bind "$1" /etc
    for place in /run /var/lib /mnt /usr/libexec; do mount -t tmpfs -o mode=755 none "$place"; done
    mkdir /run/user
    chmod 1777 /mnt
    mkdir /usr/libexec/fq
    install -m 4755 "$2/fq-imp" "$3" /usr/libexec/fq
    chmod 755 "/usr/libexec/fq/$(basename "$3")"
    cat >/usr/libexec/fq/fq-tasks
    chmod 755 /usr/libexec/fq/fq-tasks
    /usr/libexec/fq/imp_tool keys /etc/fq
    echo $$ >"$4"
    read line <"$5"' world "$etc" "$REPO_BIN" "$TOOL" "$up" "$BATS_FILE_TMPDIR/stay" 3>&- <<'TASKS' &
#!/bin/sh
# The user's half, of tests: the jobspec is a script.
exec sh -c "$(/usr/libexec/fq/imp_tool jobspec /proc/self/fd/3)"
TASKS
  timeout "$LIMIT" cat "$up" >"$BATS_FILE_TMPDIR/world"
}
end_world() { timeout "$LIMIT" sh -c 'echo >"$0"' "$BATS_FILE_TMPDIR/stay"; }

# make_apart: makes one outside of a test, and WORLD_PID; `end_apart` at the end.
make_apart() {
  BATS_FILE_TMPDIR=$(mktemp -d)
  make_world
  WORLD_PID=$(cat "$BATS_FILE_TMPDIR/world")
}
end_apart() {
  end_world
  umount -q "$BATS_FILE_TMPDIR/etc" || :
  rm -rf "$BATS_FILE_TMPDIR"
}
# install_gate: all programs as root's, the gate, and a place for the store of user fq.
install_gate() {
  # shellcheck disable=SC2016
  nsenter -t "$(cat "$BATS_FILE_TMPDIR/world")" -m -- sh -ec '
    cp -a "$1"/. /usr/libexec/fq
    chown -hR root:root /usr/libexec/fq
    chmod 4755 /usr/libexec/fq/fq-gate /usr/libexec/fq/fq-imp
    install -d -o fq -g fq -m 700 /var/lib/fq' world "$REPO_BIN"
}

world() { nsenter -t "$WORLD_PID" -m -- "$@"; }
# as USER COMMAND...: there, with the user's own ids.
as() {
  local user=$1
  shift
  world setpriv --reuid "$user" --regid "$user" --clear-groups env -i PATH=/usr/libexec/fq:/usr/sbin:/usr/bin:/sbin:/bin "$@"
}
# where NAME: the file /mnt/NAME of the world, from outside.
where() { echo "/proc/$WORLD_PID/root/mnt/$1"; }

# signed USER NAME [RESTARTS [SECONDS [RERUNS]]]: J of the script on stdin, in the file NAME.J of the world.
signed() { as "$1" fq-imp sign store "${3:-0}" "${5:-0}" "${4:-3600}" >"$(where "$2.J")"; }

# message NAME ID [ATTEMPT [J [INDEX VALUES PROOF]]]: for exec, in NAME.message; J is the NAME of its file.
message() {
  [ -e "$(where R)" ] || echo "0 here 0-1 -" >"$(where R)"
  as fq imp_tool message store "$2" "${3:-1}" 0 /mnt/R "/mnt/${4:-$1}.J" "${@:5}" >"$(where "$1.message")"
}

# keeper NAME [INPUT]: runs the message NAME as a keeper does; NAME.out, NAME.err and NAME.code are what comes of it.
keeper() {
  # shellcheck disable=SC2016
  as fq sh -c 'code=$0.code; { cat "$0.message" -; } | { fq-imp exec 2>"$0.err"; echo $? >"$code"; } | cat >"$0.out"' "/mnt/$1" <"${2:-/dev/null}"
}
# came_of NAME: code and outputs.
came_of() {
  printf 'exit %s\n-- out --\n%s\n-- err --\n%s\n' "$(cat "$(where "$1.code")")" "$(cat "$(where "$1.out")")" "$(cat "$(where "$1.err")")"
}
# ran NAME OUT [CODE]: the job ran, wrote OUT, and the user's half ended with CODE.
ran() { expect "$(printf 'exit 0\n-- out --\n%s\n-- err --\nstarted\nended %s' "$2" "${3:-0}")" "$(came_of "$1")"; }
# refused NAME WHY [CODE]: it did not.
refused() { expect "$(printf 'exit %s\n-- out --\n\n-- err --\nfq-imp: %s' "${3:-1}" "$2")" "$(came_of "$1")"; }

# seen_of PID USER: what of the process the user can look into.
seen_of() {
  as "$2" /usr/bin/python3 -c 'import ctypes, os, sys
PTRACE_ATTACH, PIDFD_OPEN, PIDFD_GETFD = 16, 434, 438
pid = int(sys.argv[1])
libc = ctypes.CDLL(None)
found = []
if libc.ptrace(PTRACE_ATTACH, pid, None, None) == 0: found.append("ptrace")
for name in ("mem", "environ", "maps", "io", "stack", "syscall", "auxv", "pagemap", "fd/0", "cwd", "exe"):
    try:
        path = f"/proc/{pid}/{name}"
        if name in ("fd/0", "cwd", "exe"): os.readlink(path)
        elif not open(path, "rb").read(1): continue
        found.append(name)
    except OSError:
        pass
fd = libc.syscall(PIDFD_OPEN, pid, 0)
if fd >= 0 and libc.syscall(PIDFD_GETFD, fd, 0, 0) >= 0: found.append("pidfd_getfd")
print(found)' "$1"
}
