#!/usr/bin/env bats
# fq-imp sign: what it signs, for whom, and what callers try.

load helper

setup() { read -r WORLD_PID <"$BATS_FILE_TMPDIR/world"; }
setup_file() { make_world; }
teardown_file() { end_world; }

@test "a jobspec is signed for the user who asks" {
  # Header and payload say who, where, when and what; two are never the same.
  signed fqtest-a one 2 60 <<<"echo hello"
  local shown
  shown=$(world /usr/libexec/fq/imp_tool show /mnt/one.J)
  expect "version i1 userid i64101 mechanism sed25519 key sKEY user sfqtest-a store sstore machine s$MACHINE time iT expiry iE nonce sN restarts i2 reruns i0 echo hello" \
    "$(sed -E 's/key s[0-9a-f]{16}/key sKEY/; s/time i[0-9]+/time iT/; s/expiry i[0-9]+/expiry iE/; s/nonce s[0-9a-f]{32}/nonce sN/' <<<"$shown")"
  [[ $shown =~ time\ i([0-9]+)\ expiry\ i([0-9]+) ]]
  [ $((BASH_REMATCH[2] - BASH_REMATCH[1])) = 60 ]
  signed fqtest-a two 2 60 <<<"echo hello"
  ! cmp -s "$(where one.J)" "$(where two.J)"
}

@test "nothing is signed for root, the batch system and the system's users" {
  refuses 1 "fq-imp: user 'root' is of the system's own, which have no jobs here" world /usr/libexec/fq/fq-imp sign store 0 0 60
  refuses 1 "fq-imp: user 'fq' is of the system's own, which have no jobs here" as fq fq-imp sign store 0 0 60
  refuses 1 "fq-imp: user 'fqtest-system' is of the system's own, which have no jobs here" as fqtest-system fq-imp sign store 0 0 60
  refuses 1 "fq-imp: user 'nobody' is of the system's own, which have no jobs here" as 65534 fq-imp sign store 0 0 60
  refuses 1 "fq-imp: user 64999 has no name here" as 64999 fq-imp sign store 0 0 60
}

@test "what is no request is refused" {
  local usage="fq-imp: sign STORE RESTARTS RERUNS SECONDS [COUNT ROOT]"
  refuses 1 "$usage" as fqtest-a fq-imp sign
  refuses 1 "$usage" as fqtest-a fq-imp sign store 0
  refuses 1 "fq-imp: a jobspec has 1 to 4194304 bytes" as fqtest-a fq-imp sign store 0 0 60
  refuses 1 "fq-imp: J names no store" as fqtest-a sh -c 'echo x | fq-imp sign ../store 0 0 60'
  refuses 1 "fq-imp: RESTARTS is not a number from 0 to 4294967295" as fqtest-a sh -c 'echo x | fq-imp sign store -1 0 60'
  refuses 1 "fq-imp: SECONDS is not a number from 0 to 31622400" as fqtest-a sh -c 'echo x | fq-imp sign store 0 0 31622401'
  refuses 1 "fq-imp: J expires before it was signed, or too long after" as fqtest-a sh -c 'echo x | fq-imp sign store 0 0 0'
  refuses 1 "fq-imp: COUNT is at least 1" as fqtest-a sh -c 'echo x | fq-imp sign store 0 0 60 0 AAAA'
  refuses 1 "fq-imp: J has no root of its jobs" as fqtest-a sh -c 'echo x | fq-imp sign store 0 0 60 2 AAAA'
  refuses 1 "fq-imp: there are more than 4194304 bytes" as fqtest-a sh -c 'head -c 1000000000 /dev/zero | fq-imp sign store 0 0 60'
  refuses 2 "fq-imp: expected sign, exec or kill: it is called by fq alone" as fqtest-a fq-imp
  refuses 1 "fq-imp: expected sign, exec or kill: it is called by fq alone" as fqtest-a fq-imp unsign
  refuses 1 "fq-imp: this is for user 'fq' alone" as fqtest-a fq-imp exec
  refuses 1 "fq-imp: this is for user 'fq' alone" as fqtest-a fq-imp kill store 1 1 9
  refuses 1 "fq-imp: this is for user 'fq' alone" world /usr/libexec/fq/fq-imp exec
  # A copy of it has no rights.
  as fqtest-a cp /usr/libexec/fq/fq-imp /mnt/copy
  refuses 1 "fq-imp: this program must be root's, and setuid" as fqtest-a /mnt/copy sign store 0 60
}

@test "the key is read from root's own file and from nothing else" {
  # Links, FIFOs, files that others may read or own, and a directory that is not root's, are refused, and never waited for.
  local key=/etc/fq/imp.key
  try() { refuses 1 "fq-imp: $1" as fqtest-a sh -c 'echo x | timeout 60 fq-imp sign store 0 0 60'; }
  world cp -a $key /etc/kept
  world sh -c "mv $key /etc/elsewhere; ln -s /etc/elsewhere $key"
  try "cannot open '$key': Too many levels of symbolic links"
  world sh -c "rm $key; mkfifo -m 600 $key"
  try "'$key' is not root's alone"
  world sh -c "rm $key; cp -a /etc/kept $key; chmod 640 $key"
  try "'$key' is not root's alone"
  world sh -c "chmod 600 $key; chown fq $key"
  try "'$key' is not root's alone"
  world sh -c "rm $key; mkdir -m 700 $key"
  try "'$key' is not root's alone"
  world sh -c "rmdir $key"
  try "cannot open '$key': No such file or directory"
  world sh -c "cp -a /etc/kept $key; chown fq /etc/fq"
  try "'/etc/fq' is not root's alone"
  world sh -c "chown root /etc/fq; chmod 775 /etc/fq"
  try "'/etc/fq' is not root's alone"
  world sh -c "chmod 755 /etc/fq; echo AAAA >$key"
  try "a key has not 32 bytes"
  world sh -c "head -c 70000 /dev/zero >$key"
  try "'$key' is too long"
  world cp -a /etc/kept $key
  signed fqtest-a again <<<x
}

@test "what a caller leaves the signer does not matter" {
  # Closed and full descriptors, limits at nothing, ten thousand variables, blocked and pending signals: J comes, or nothing.
  local limit J
  as fqtest-a sh -c 'echo x | fq-imp sign store 0 0 60 2>&-' >"$(where closed.J)"
  refuses 75 "fq-imp: cannot read the input: Bad file descriptor" as fqtest-a sh -c 'fq-imp sign store 0 0 60 <&-'
  refuses 75 "fq-imp: cannot write: Bad file descriptor" as fqtest-a sh -c 'echo x | fq-imp sign store 0 0 60 >&-'
  refuses 75 "fq-imp: cannot write: No space left on device" as fqtest-a sh -c 'echo x | fq-imp sign store 0 0 60 >/dev/full'
  refuses 75 "" as fqtest-a sh -c 'echo x | fq-imp sign store 0 0 60 >/dev/full 2>/dev/full'
  for limit in as core cpu data fsize locks memlock msgqueue nice nofile nproc rss rtprio sigpending stack; do
    # Where the program cannot even be loaded there is no J.
    J=$(as fqtest-a sh -c 'echo x | prlimit --"$0"=0:0 fq-imp sign store 0 0 60' "$limit" 2>/dev/null) || J=
    [ "$J" = "" ] || [[ $J == *.*.* ]]
  done
  as fqtest-a /usr/bin/python3 -c 'import os, signal, sys
env = {f"NAME_{i}": "x" * 50 for i in range(10000)}
env.update(LD_PRELOAD="/mnt/evil.so", LD_LIBRARY_PATH="/mnt", GCONV_PATH="/mnt", MALLOC_CHECK_="3", TZ="/mnt/x")
signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
signal.setitimer(signal.ITIMER_REAL, 1000)
signal.signal(signal.SIGPIPE, signal.SIG_IGN)
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
os.kill(os.getpid(), signal.SIGWINCH)
r, w = os.pipe()
os.write(w, b"x")
os.close(w)
os.dup2(r, 0)
os.execve("/usr/libexec/fq/fq-imp", ["x" * 5000, "sign", "store", "0", "0", "60"], env)' >"$(where hostile.J)"
  [[ $(cat "$(where hostile.J)") == *.*.* ]]
  # A pending signal that ends a process ends this one before it has read the key.
  run as fqtest-a /usr/bin/python3 -c 'import os, signal
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
os.kill(os.getpid(), signal.SIGTERM)
os.execv("/usr/libexec/fq/fq-imp", ["fq-imp", "sign", "store", "0", "0", "60"])' </dev/null
  [ "$status" = 143 ]
  # Without arguments, not even a name.
  run as fqtest-a /usr/bin/python3 -c 'import ctypes; ctypes.CDLL(None).execve(b"/usr/libexec/fq/fq-imp", None, None)'
  [ "$status" != 0 ]
}

@test "nobody looks into the signer" {
  # While it waits for its input: no tracing, no memory, no environment, no descriptors by /proc.
  mkfifo "$(where slow)"
  chmod 666 "$(where slow)"
  nsenter -t "$WORLD_PID" -m -- setpriv --reuid fqtest-a --clear-groups /usr/libexec/fq/fq-imp sign store 0 0 60 <>"$(where slow)" >/dev/null 3>&- &
  local pid=$! seen
  until_so grep -qx fq-imp "/proc/$pid/comm"
  seen=$(seen_of "$pid" fqtest-a)
  kill "$pid"
  wait "$pid" || :
  expect "[]" "$seen"
}
