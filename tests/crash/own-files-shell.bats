#!/usr/bin/env bats
# Calls on the store's own files fail (own-files.bats) under job shells.

load failing

setup() { make_store 1:4; }

# shell_faults CALL...: in each way that these fail, the shell tries until the end is stored: with its own status, and all
# its output or a note that it is not; or the job could not be run. It runs once at most, and its resources are free.
shell_faults() {
  local call how n more id said
  wrap_shells "[ -e '$WORK/fault' ] || exec \"\$0.real\" \"\$@\"
  LD_PRELOAD='$FAILING_FILES_LIBRARY' FQ_FAULT=\"\$(cat '$WORK/fault')\" FQ_FAULT_STORE='$STORE' FQ_FAULT_LOG='$WORK/faults' exec \"\$0.real\" \"\$@\""
  for call; do
    for how in $HOWS; do
      [[ $how != *+ ]] && is_of "$call" "$how" || continue
      n=1 more=1
      while [ "$more" = 1 ]; do
        rm -f faults ran
        echo "$call $how $n" >fault
        id=$(fq-submit sh -c 'echo ran >>ran; head -c 300000 /dev/zero; exit 7')
        ended "$id"
        [ -s faults ] || more=0
        said="$(fq-jobs -n -o '{status_abbrev} {returncode}' "$id") $(cat ran 2>/dev/null) $(fq-job attach "$id" 2>/dev/null | wc -c)"
        case "$said" in
          "F 7 ran "*) [ "${said##* }" = 300000 ] || fq-job eventlog "$id" | grep -q 'note="output is incomplete' ;;
          "F 1  "* | "F 1 ran "* | "F 126  "*) ;;
          *) echo "$call $how $n: $said"; fq-job eventlog "$id"; cat faults; false ;;
        esac
        n=$(next_fault "$n" "$how")
      done
      [ "$said" = "F 7 ran 300000" ]
    done
  done
  rm fault
  all_free
}

@test "files that a job shell opens" { shell_faults open; }
@test "writes of a job shell" { shell_faults write; }
@test "syncs of a job shell, and files that it gives their names" { shell_faults sync rename; }
@test "files that a job shell removes, resizes and makes" { shell_faults remove resize mkdir mkfifo; }
