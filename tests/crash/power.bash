# Commands during which the power is cut (power_loss.py), for the tests in this folder.

load helper

setup() {
  [ "$(id -u)" = 0 ] || { echo "needs root"; return 1; }
  make_store 2:2
  fq-queue stop --quiet
}

LIST="fq-jobs -a -n -c 0 -o '{name} {status_abbrev} {returncode} {urgency}'; fq-config show; fq-resource drain -n -o '{nodelist}'
fq-queue status; for id in \$(fq-jobs -a -n -o '{id}' -f inactive); do fq-job attach \$id 2>&1 | cksum; done"

large() { head -c 100000 /dev/zero | tr '\0' x; }

# cut COMMAND...: with at least four different disks: a small commit is one write and one sync.
cut() {
  run "$PYTHON" "$CRASH_DIR/power_loss.py" "$FAULTY_BIN_DIR/check_store" "$LIST" "${MEANWHILE:-}" -- "$@"
  [ "$status" = 0 ] && [ "${output% failures}" -ge 4 ] || { echo "$output"; return 1; }
}
