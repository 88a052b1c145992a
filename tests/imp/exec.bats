#!/usr/bin/env bats
# fq-imp exec: what runs, as whom, in what, and what does not run.

load helper

setup() { read -r WORLD_PID <"$BATS_FILE_TMPDIR/world"; }
setup_file() { make_world; }
teardown_file() { end_world; }

# run_signed ID USER NAME [RESTARTS]: signs the script on stdin and runs it.
run_signed() {
  signed "$2" "$3" "${4:-0}"
  message "$3" "$1"
  keeper "$3"
}

@test "what a user signed runs as that user, in a session of its own" {
  # Ids, groups by the system's databases, a login's environment, no descriptor but the pipes and the job, no limits
  # or signals of who started it; what the keeper says comes on standard input.
  run_signed 1 fqtest-a who <<'JOB'
id
pwd
umask
env | sort | grep -v ^PWD=
ls -l /proc/self/fd | sed 's/.* \([0-9]*\) -> \([a-z/]*\).*/\1 \2/; /^total/d' | sort
grep -E '^(SigBlk|SigIgn|CapEff|CapPrm|NoNewPrivs)' /proc/self/status
JOB
  ran who "uid=64101(fqtest-a) gid=64101(fqtest-a) groups=64101(fqtest-a),64200(fqtest-both)
/
0022
HOME=/mnt
LOGNAME=fqtest-a
PATH=/usr/local/bin:/usr/bin:/bin
SHELL=/bin/sh
USER=fqtest-a
XDG_SESSION_CLASS=background
0 pipe
1 pipe
2 /dev/null
3 /memfd
4 /proc/
SigBlk:	0000000000000000
SigIgn:	0000000000000000
CapPrm:	0000000000000000
CapEff:	0000000000000000
NoNewPrivs:	0"
  signed fqtest-b says <<<'read line; echo "$line"; exit 7'
  message says 2
  echo "a word" >"$(where words)"
  keeper says "$(where words)"
  ran says "a word" 7
}

# gpus FILES ID R: which of the device files a job of that R can open, and which GPUs it hears that it can open.
gpus() {
  echo "$3" >"$(where R)"
  signed fqtest-a "gpus$2" <<JOB
for file in $1; do (: <"\$file") 2>/dev/null && printf '%s ' "\$file"; done
for hidden in $1; do umount "\$hidden" || unshare --user --map-root-user --mount umount "\$hidden"; done 2>/dev/null && echo shows
echo "\${FQ_GPUS_SHOWN-all}"
JOB
  message "gpus$2" "$2"
  keeper "gpus$2"
  cat "$(where "gpus$2.out")"
}

@test "device files of GPUs that a job was not given cannot be opened" {
  # They count by their places on the bus, whatever numbers the driver gives them; where only AMD's are, those; where R has
  # others than there are, nothing is known of them.
  # shellcheck disable=SC2016
  world sh -ec '
    mkdir /mnt/dev
    mount -t tmpfs -o mode=755 none /mnt/dev
    cp -a /dev/null /dev/zero /dev/urandom /dev/fd /mnt/dev
    mkdir /mnt/dev/dri
    for name in nvidia0 nvidia1 nvidiactl dri/card1 dri/renderD128 dri/renderD129; do mknod -m 666 "/mnt/dev/$name" c 1 3; done
    mount -t tmpfs -o mode=755 none /proc/driver
    mount -t tmpfs -o mode=755 none /sys/class
    for gpu in 0000:01:00.0/1/renderD129 0000:81:00.0/0/renderD128; do
      place=${gpu%%/*}
      mkdir -p "/proc/driver/nvidia/gpus/$place" "/sys/class/devices/$place" "/sys/class/drm/${gpu##*/}"
      number=${gpu%/*}
      printf "Model: \t\t any\nDevice Minor: \t %s\n" "${number#*/}" >"/proc/driver/nvidia/gpus/$place/information"
      ln -s ../../devices/"$place" "/sys/class/drm/${gpu##*/}/device"
      ln -s /drivers/amdgpu "/sys/class/devices/$place/driver"
    done
    mkdir /sys/class/drm/card1 /sys/class/drm/card1-DP-1
    ln -s ../../devices/0000:81:00.0 /sys/class/drm/card1/device
    mount --move /mnt/dev /dev'
  local files="/dev/nvidia0 /dev/nvidia1 /dev/nvidiactl /dev/dri/card1 /dev/dri/renderD128 /dev/dri/renderD129"
  expect "/dev/nvidia0 /dev/nvidiactl /dev/dri/card1 /dev/dri/renderD128 1" "$(gpus "$files" 31 "0 here 0 1")"
  expect "/dev/nvidia1 /dev/nvidiactl /dev/dri/renderD129 0" "$(gpus "$files" 32 "0 here 0 0")"
  expect "$files all" "$(gpus "$files" 33 "0 here 0 0-1")"
  expect "/dev/nvidiactl " "$(gpus "$files" 34 "0 here 0 -")"
  expect "$files all" "$(gpus "$files" 35 "0 here 0 0,2")"
  world umount /proc/driver
  expect "/dev/nvidia0 /dev/nvidia1 /dev/nvidiactl /dev/dri/card1 /dev/dri/renderD128 1" "$(gpus "$files" 36 "0 here 0 1")"
  world umount /sys/class /dev
  world rm /mnt/R
}

@test "what is not signed as it stands does not run" {
  # Each byte of header, payload and signature that is another; parts of two; another's key; an unsigned one.
  signed fqtest-a good <<<"echo ran"
  signed fqtest-b other <<<"echo ran"
  local J part
  J=$(cat "$(where good.J)")
  /usr/bin/python3 - "$J" "$(where edited)" <<'PY'
import base64, sys
header, payload, signature = sys.argv[1].split(".")
def write(name, *parts): open(f"{sys.argv[2]}.{name}.J", "w").write(".".join(parts))
def edit(text, old, new): return base64.b64encode(base64.b64decode(text).replace(old, new)).decode()
write("user", edit(header, b"64101", b"64102"), payload, signature)
write("name", edit(header, b"sfqtest-a", b"sfqtest-b"), payload, signature)
write("root", edit(header, b"i64101", b"i0"), payload, signature)
write("expiry", edit(header, b"expiry\0i", b"expiry\0i9"), payload, signature)
write("restarts", edit(header, b"restarts\0i0", b"restarts\0i9"), payload, signature)
write("nonce", edit(header, b"nonce\0s", b"nonce\0s0"), payload, signature)
write("payload", header, edit(payload, b"ran", b"RAN"), signature)
flipped = bytearray(base64.b64decode(signature)); flipped[5] ^= 1
write("signature", header, payload, base64.b64encode(flipped).decode())
write("none", header, payload, "none")
write("unsigned", edit(header, b"sed25519", b"snone"), payload, "none")
write("empty", "", "", "")
write("two", header, payload)
write("twice", edit(header, b"userid\0i64101\0", b"userid\0i64101\0userid\0i64102\0"), payload, signature)
write("cut", edit(header, b"restarts\0i0\0", b"restarts\0i0"), payload, signature)
write("bits", header, payload, signature[:-3] + chr(ord(signature[-3]) + 1) + "==")
PY
  echo "$(cut -d. -f1 <<<"$J").$(cut -d. -f2- "$(where other.J)")" >"$(where edited.mixed.J)"
  as fqtest-a mkdir -p /mnt/keys
  as fqtest-a imp_tool keys /mnt/keys
  # shellcheck disable=SC2016
  as fqtest-a sh -c 'echo "echo ran" | imp_tool forge /mnt/keys store 64102 fqtest-b "$0" 1 20000000 00112233445566778899aabbccddeeff 0' "$MACHINE" >"$(where edited.key.J)"
  while read -r part why; do
    message "$part" 10 1 "edited.$part"
    keeper "$part"
    refused "$part" "$why" || { echo "of $part"; false; }
  done <<'CASES'
user the signature of J is wrong
name the signature of J is wrong
root the signature of J is wrong
expiry the signature of J is wrong
restarts the signature of J is wrong
nonce the signature of J is wrong
payload the signature of J is wrong
signature the signature of J is wrong
none the signature of J is wrong
unsigned J is not signed
empty the header of J has no 'version'
two J is not HEADER.PAYLOAD.SIGNATURE
twice the header of J is malformed
cut the header of J is malformed
bits that is no base64
mixed that is no base64
key J is signed by a key that is not known here
CASES
  message good 10
  keeper good
  ran good ran
}

@test "what root's own key signed runs only where and as long as it says, for users that may" {
  # Expired, of another store, another machine, for root, the batch system, the system's users, and for who has another's
  # number by now.
  local now name
  now=$(date +%s)
  forged() { world sh -c 'echo "echo ran" | /usr/libexec/fq/imp_tool forge /etc/fq "$@"' forge "${@:2}" >"$(where "$1.J")"; }
  forged expired store 64101 fqtest-a "$MACHINE" $((now - 60)) $((now - 1)) 00000000000000000000000000000001 0
  forged store other 64101 fqtest-a "$MACHINE" "$now" $((now + 60)) 00000000000000000000000000000002 0
  forged machine store 64101 fqtest-a f123456789abcdef0123456789abcdef "$now" $((now + 60)) 00000000000000000000000000000003 0
  forged root store 0 root "$MACHINE" "$now" $((now + 60)) 00000000000000000000000000000004 0
  forged batch store 990 fq "$MACHINE" "$now" $((now + 60)) 00000000000000000000000000000005 0
  forged system store 991 fqtest-system "$MACHINE" "$now" $((now + 60)) 00000000000000000000000000000006 0
  forged renamed store 64101 fqtest-c "$MACHINE" "$now" $((now + 60)) 00000000000000000000000000000007 0
  forged gone store 64999 fqtest-c "$MACHINE" "$now" $((now + 60)) 00000000000000000000000000000008 0
  while read -r name why; do
    message "$name" 20
    keeper "$name"
    refused "$name" "$why"
  done <<'CASES'
expired the signature of J has expired
store J is for the store 'other'
machine J is for another machine
root user 'root' is of the system's own, which have no jobs here
batch user 'fq' is of the system's own, which have no jobs here
system user 'fqtest-system' is of the system's own, which have no jobs here
renamed J was signed by 'fqtest-c', who is 'fqtest-a' now
gone user 64999 has no name here
CASES
}

@test "a request runs once: after its end, under another id, after purge and restore, and at once" {
  # What the store says does not count: root's note does.
  run_signed 30 fqtest-a once <<<"echo ran"
  ran once ran
  local name keepers=()
  for name in again:30:1 attempt:30:2 id:31:1; do
    IFS=: read -r name id attempt <<<"$name"
    message "$name" "$id" "$attempt" once
    keeper "$name"
    refused "$name" "this request has run already" || refused "$name" "attempt $attempt of this job is over"
  done
  # Once it was cancelled, too; even before it ran.
  expect empty "$(as fq fq-imp kill store 32 3 9)"
  signed fqtest-a cancelled <<<"echo ran"
  message cancelled 32 3
  keeper cancelled
  refused cancelled "attempt 3 of this job is over"
  # Ten at once.
  signed fqtest-a many <<<"echo ran"
  for i in 1 2 3 4 5 6 7 8 9 10; do
    message "many$i" "33$i" 1 many
    keeper "many$i" 3>&- &
    keepers+=($!)
  done
  wait "${keepers[@]}"
  expect 1 "$(cat "$(where '')"/many*.out | grep -c ran)"
}

@test "a job may start again as often as it says, while nothing of it has run" {
  # The first times the program cannot be executed.
  signed fqtest-a retry 2 <<<"echo ran"
  world chmod 000 /usr/libexec/fq/fq-tasks
  local attempt
  for attempt in 1 2; do
    message "retry$attempt" 40 "$attempt" retry
    keeper "retry$attempt"
    refused "retry$attempt" "cannot execute /usr/libexec/fq/fq-tasks: Permission denied: Operation canceled" 75
  done
  message stale 40 2 retry
  keeper stale
  refused stale "attempt 2 of this job is over"
  world chmod 755 /usr/libexec/fq/fq-tasks
  message retry3 40 3 retry
  keeper retry3
  ran retry3 ran
  message retry4 40 4 retry
  keeper retry4
  refused retry4 "this request has run already"
  signed fqtest-a never 0 <<<"echo ran"
  world chmod 000 /usr/libexec/fq/fq-tasks
  message never1 41 1 never
  keeper never1
  world chmod 755 /usr/libexec/fq/fq-tasks
  message never2 41 2 never
  keeper never2
  refused never2 "this request was started as often as it allows"
}

@test "a job runs again as often as its user has signed, and no more" {
  # Each time in a later attempt.
  local attempt
  signed fqtest-a rerun 0 3600 2 <<<"echo ran"
  for attempt in 1 2 3; do
    message "rerun$attempt" 45 "$attempt" rerun
    keeper "rerun$attempt"
    ran "rerun$attempt" ran
  done
  message stale 45 3 rerun
  keeper stale
  refused stale "this request has run as often as it allows" || refused stale "attempt 3 of this job is over"
  message rerun4 45 4 rerun
  keeper rerun4
  refused rerun4 "this request has run as often as it allows"
}

@test "each row of a bulk request runs once, with its own values and no others" {
  local i name why
  for i in 0 1 2 3 4; do as fqtest-a imp_tool fields "'row $i'" "$i" >"$(where "row$i")"; done
  as fqtest-a imp_tool fields "'row x'" "x" >"$(where rowx)"
  read -r count root < <(as fqtest-a imp_tool root /mnt/row{0,1,2,3,4})
  # shellcheck disable=SC2016
  as fqtest-a sh -c 'imp_tool fields "echo " "; exit " "" | fq-imp sign store 0 0 60 "$@"' sign "$count" "$root" >"$(where bulk.J)"
  for i in 0 1 2 3 4; do as fq imp_tool proof "$i" /mnt/row{0,1,2,3,4} >"$(where "proof$i")"; done
  for i in 0 3 4; do
    message "bulk$i" "5$i" 1 bulk "$i" "/mnt/row$i" "/mnt/proof$i"
    keeper "bulk$i"
    ran "bulk$i" "row $i" "$i"
  done
  : >"$(where none)"
  while read -r name index values proof why; do
    message "$name" 59 1 bulk "$index" "/mnt/$values" "/mnt/$proof"
    keeper "$name"
    refused "$name" "$why"
  done <<'CASES'
twice 3 row3 proof3 this request has run already
values 1 rowx proof1 J was not signed for a job with these values
index 2 row1 proof1 J was not signed for a job with these values
beyond 5 row1 proof1 J was not signed for a job with these values
unproved 1 row1 none J was not signed for a job with these values
template 0 none none J was not signed for a job with these values
CASES
  # One job is not many.
  signed fqtest-a single <<<"echo ran"
  message single 58 1 single 1 /mnt/none /mnt/none
  keeper single
  refused single "J is for one job"
}

@test "only numbers and hosts come to the job unsigned" {
  signed fqtest-a plain <<<"echo ran"
  local R
  for R in '' '0 here 0' '0 here 0 - -' '0 -here 0 -' '0 here 0;id -' 'x here 0 -' '0 h$(id) 0 -' '0 here -1 -' '00 here 0 -'; do
    printf '%s\n' "$R" >"$(where R)"
    message plain 60
    keeper plain
    expect 1 "$(cat "$(where plain.code)")"
  done
  rm "$(where R)"
  # Nor a message that is none, or too long, or a caller whose descriptors are no pipes.
  local sent
  for sent in '' x 5:abc 99999999:x 123456789:x 3:abc '12:1:a1:a1:a1:a' -1: 1:; do
    printf '%s' "$sent" >"$(where odd.message)"
    keeper odd
    expect 1 "$(cat "$(where odd.code)")"
    expect "" "$(cat "$(where odd.out)")"
  done
  refuses 1 "fq-imp: descriptors 0 and 1 must be pipes" as fq bash -o pipefail -c 'fq-imp exec </dev/null | cat'
  refuses 1 "fq-imp: descriptors 0 and 1 must be pipes" as fq sh -c 'echo x | fq-imp exec >/mnt/file'
  refuses 1 "fq-imp: descriptors 0 and 1 must be pipes" as fq sh -c 'echo x | fq-imp exec >&-'
  message plain 60
  keeper plain
  ran plain ran
}

@test "rotated keys verify until what they signed has expired" {
  signed fqtest-a before <<<"echo ran"
  world /usr/libexec/fq/imp_tool keys /etc/fq
  signed fqtest-a after <<<"echo ran"
  local name
  for name in before after; do
    message "$name" "7${#name}"
    keeper "$name"
    ran "$name" ran
  done
  signed fqtest-a kept <<<"echo ran"
  world /usr/libexec/fq/imp_tool keys /etc/fq
  world sed -i -E 's/^(\S+) [0-9]+$/\1 1000/' /etc/fq/imp.pub
  message kept 79
  keeper kept
  refused kept "J is signed by a key that is not known here"
}

@test "what a batch system in other hands leaves does not matter" {
  # Descriptors, limits, variables, signals and scheduling: the job has none of them.
  signed fqtest-a hostile <<'JOB'
ulimit -n; ulimit -c; nice; env | wc -l; cat /proc/self/oom_score_adj
ls /proc/self/fd | wc -l
JOB
  message hostile 80
  as fq /usr/bin/python3 -c 'import os, resource, signal, sys
os.nice(19)
open("/proc/self/oom_score_adj", "w").write("900")
signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
for number in range(1, 31):
    if number not in (9, 19): signal.signal(number, signal.SIG_IGN)
signal.setitimer(signal.ITIMER_REAL, 0.3)
env = {f"NAME_{i}": "x" * 50 for i in range(10000)}
env.update(LD_PRELOAD="/mnt/evil.so", PAM_x="y", IFS="x", ENV="/mnt/env", BASH_ENV="/mnt/env")
r, w = os.pipe()
os.write(w, open("/mnt/hostile.message", "rb").read())
out, into = os.pipe()
os.set_inheritable(w, True)
if os.fork() == 0:
    can = int(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("CapBnd")), 16) >> 24 & 1
    for limit, most in ((resource.RLIMIT_NOFILE, 20), (resource.RLIMIT_FSIZE, 0), (resource.RLIMIT_NPROC, 1), (resource.RLIMIT_CPU, 1)):
        resource.setrlimit(limit, (most, most if can else resource.getrlimit(limit)[1]))
    os.dup2(r, 0); os.dup2(into, 1)
    os.execve("/usr/libexec/fq/fq-imp", ["fq-imp", "exec"], env)
os.close(into); os.close(r)
sys.stdout.buffer.write(os.read(out, 4096)); sys.stdout.flush()
while True:
    more = os.read(out, 4096)
    if not more: break
    sys.stdout.buffer.write(more)' 2> >(cat >"$(where hostile.err)") | cat >"$(where hostile.out)"
  local files
  files=$(sed -n 's/^Max open files *\([0-9]*\).*/\1/p' /proc/1/limits)
  # Where root may not raise what is the most.
  [ "$files" -le "$(ulimit -Hn)" ] || files=$(ulimit -Hn)
  cores=$(sed -n 's/^Max core file size *\([a-z0-9]*\).*/\1/p' /proc/1/limits)
  expect "$files
$cores
0
7
0
5
started
ended 0" "$(cat "$(where hostile.out)" "$(where hostile.err)")"
}

@test "root's notes and records are in root's own files" {
  # A link, a FIFO or another's file in their place: nothing runs.
  local place
  for place in /var/lib/fq-imp /run/fq-imp; do
    world sh -c 'mv "$0" "$0.kept"; ln -s "$0.kept" "$0"' $place
    run_signed 90 fqtest-a linked <<<"echo ran"
    refused linked "cannot open '$place': Not a directory" || refused linked "cannot open '$place': Too many levels of symbolic links"
    world sh -c 'rm "$0"; mkdir -m 700 "$0"; chown fq "$0"' $place
    run_signed 90 fqtest-a linked <<<"echo ran"
    refused linked "'$place' is not root's alone"
    world sh -c 'rm -r "$0"; mkdir -m 755 "$0"' $place
    run_signed 90 fqtest-a linked <<<"echo ran"
    refused linked "'$place' is not root's alone"
    world sh -c 'rm -r "$0"; mv "$0.kept" "$0"' $place
  done
  world mkfifo -m 600 /run/fq-imp/store.91
  run_signed 91 fqtest-a fifo <<<"echo ran"
  refused fifo "'store.91' is not root's alone"
  world ln -s /etc/passwd /run/fq-imp/store.92
  run_signed 92 fqtest-a link <<<"echo ran"
  refused link "cannot open 'store.92': Too many levels of symbolic links"
}

@test "an account that may not be used runs nothing" {
  world sed -i 's/^fqtest-b:.*/fqtest-b:*:19000:0:99999:7::100:/' /etc/shadow
  run_signed 95 fqtest-b expired <<<"echo ran"
  refused expired "the account of 'fqtest-b' may not be used: User account has expired"
  world sed -i 's/^fqtest-b:.*/fqtest-b:*:19000:0:99999:7:::/' /etc/shadow
}
