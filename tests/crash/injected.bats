#!/usr/bin/env bats
# What the kernel seldom answers: strace has it say so.

load helper

setup() { make_store 1:2; }

# answered WHAT COMMAND...: runs it with this answer to some of its calls (strace(1), inject=). Output and code are the
# command's.
answered() { strace -qq -f -o trace -e trace="${1%%:*}" -e inject="$1" "${@:2}"; }

HINT="(locks and syncs must be this machine's own: use --store with a local directory)"

# on_type TYPE COMMAND...: runs it where every file system is of this type (statfs(2), hexadecimal).
on_type() {
  local bytes
  bytes=$(printf '%08x' "0x$1" | sed -E 's/(..)(..)(..)(..)/\4\3\2\1/')
  answered "statfs:poke_exit=@arg2=${bytes}00000000" "${@:2}"
}

# on_fuse TYPE COMMAND...: runs it where every file system is one of FUSE, of this type.
on_fuse() {
  sed "s/ - [^ ]* / - $1 /" /proc/self/mountinfo >mounts
  on_type 65735546 unshare --mount sh -c 'mount --bind mounts "/proc/$$/mountinfo" && exec "$@"' sh "${@:2}"
}

@test "a store on a network file system" {
  # Everybody refuses it, and none is made there.
  local name type command
  for command in "fq-jobs" "fq-queue status" "fq-submit true" "fq-cancel --all" "fq-run true" "fq-tick"; do
    # shellcheck disable=SC2086
    refuses 1 "${command%% *}: the store '$STORE' is on a network file system, NFS $HINT" on_type 6969 $command
  done
  while read -r type name; do
    refuses 1 "fq-submit: the store '$STORE' is on a network file system, $name $HINT" on_type "$type" fq-submit true
  done <<'TYPES'
517b SMB
ff534d42 SMB
fe534d42 SMB
5346414f AFS
6b414653 AFS
73757245 Coda
00c36400 Ceph
0bd00bd0 Lustre
19830326 BeeGFS
47504653 GPFS
20030528 OrangeFS
aad7aaea PanFS
18031977 WekaFS
beefdead StorNext
01161970 GFS2
7461636f OCFS2
786f4256 vboxsf
bacbacbc vmhgfs
7c7c6673 prl_fs
TYPES
  refuses 1 "fq-init: the store '$WORK/new' is on a network file system, NFS $HINT" \
    on_type 6969 fq-init --store "$WORK/new" --test-nodes 1:2
  [ ! -e new ]
  check 0 "works" "" on_type ef53 fq-run echo works
}

@test "a store on FUSE" {
  # Refused where it is of other machines, and used where it is of this one.
  local type command
  [ "$(id -u)" = 0 ] || { echo "needs root"; false; }
  for type in fuse.sshfs fuse.glusterfs fuse.ceph; do
    for command in "fq-jobs" "fq-submit true"; do
      # shellcheck disable=SC2086
      refuses 1 "${command%% *}: the store '$STORE' is on a network file system, $type $HINT" on_fuse "$type" $command
    done
  done
  for type in fuseblk fuse.gocryptfs virtiofs; do
    check 0 "works" "" on_fuse "$type" fq-run echo works
  done
}

# bats test_tags=fuse
@test "a FUSE file system of the kernel's" {
  # It is found among the mounts; what is local is asked to make the directory, and this one cannot.
  local mount=(unshare --mount "$CRASH_DIR/fuse_mount.py")
  mkdir place
  refuses 1 "fq-init: the store '$WORK/place/store' is on a network file system, fuse.sshfs $HINT" \
    "${mount[@]}" fuse.sshfs ada@host:/dir place fq-init --store "$WORK/place/store" --test-nodes 1:2
  refuses 1 "fq-init: cannot create directory '$WORK/place/store': Function not implemented" \
    "${mount[@]}" fuse.gocryptfs /home/ada/.crypt place fq-init --store "$WORK/place/store" --test-nodes 1:2
}

@test "a merger waits for the lock, to plan and to install" {
  # Another one has it when it comes: what it has merged is not thrown away.
  local n i before
  mkdir bin
  ln "$FQ_BIN_DIR"/* bin 2>/dev/null || cp -Pf "$FQ_BIN_DIR"/* bin
  rm bin/fq-tick # who leaves files would start it
  for n in 1 2; do
    for i in 1 2 3 4 5 6; do
      bin/fq-submit --urgency=hold --quiet --cc=1-4 --env="FILL=$n$i{cc}$(head -c 100000 /dev/zero | tr '\0' x)" true
    done
    before=$(ls "$STORE"/db/*.sst | wc -l)
    strace -qq -f -o trace -P "$STORE/lock" -e trace=flock -e inject=flock:error=EAGAIN:when="$n" fq-tick --compact
    grep -q INJECTED trace
    [ "$(ls "$STORE"/db/*.sst | wc -l)" -lt "$before" ] || { cat trace; false; }
  done
}
