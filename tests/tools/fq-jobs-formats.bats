#!/usr/bin/env bats
# Formats of fq-jobs: fields, columns, those of a user's own.

load helper

setup() { make_store 1:1; }

@test "a job's fields" {
  # Ids in every form, sizes, times, results.
  local id dec
  id=$(fq-submit --job-name=fields -t 90s -S project=p -S user.note=hi sh -c 'exit 2')
  ended "$id"
  dec=$(fq-job id --to=dec "$id")
  check 0 "$id $dec $(fq-job id --to=hex "$id") $(fq-job id --to=dothex "$id") $(fq-job id --to=kvs "$id")" "" \
    fq-jobs -n -o '{id} {id.dec} {id.hex} {id.dothex} {id.kvs}' "$id"
  check 0 "16 16 INACTIVE I FAILED F FAILED F" "" \
    fq-jobs -n -o '{urgency} {priority} {state} {state_single} {status} {status_abbrev} {result} {result_abbrev}' "$id"
  check 0 "1 1 1 0 node0 False 512 2 p" "" \
    fq-jobs -n -o '{ntasks} {nnodes} {ncores} {ranks} {nodelist} {success} {waitstatus} {returncode} {project}' "$id"
  check 0 "1.5m 0:01:30 90.0" "" fq-jobs -n -o '{duration!F} {duration!H} {duration}' "$id"
  check 0 "rank0/core0 rank0/core0 False" "" \
    fq-jobs -n -o '{annotations.sched.resource_summary} {sched.resource_summary} {exception.occurred}' "$id"
  check 0 "$WORK Exit 2" "" fq-jobs -n -o '{cwd} {inactive_reason}' "$id"
}

@test "how a job ended, in words" {
  # Exit codes, signals, 126, 127, time-out, cancel, exception.
  local ids
  ids="$(fq-submit --output=/dev/null sh -c 'exit 1') $(fq-submit sh -c 'kill -9 $$') $(fq-submit nosuch) $(fq-submit /etc/passwd) $(fq-submit -t 100ms tail -f /dev/null) $(fq-submit --input=/nonexistent cat)"
  # shellcheck disable=SC2086
  ended $ids
  # shellcheck disable=SC2086
  check 0 "F Exit 1
F Killed
F command not found
F Command invoked cannot execute
TO Timeout
F Exit 1: input: cannot open '/nonexistent': No such file or directory" "" fq-jobs -n -o '{status_abbrev} {inactive_reason}' $ids
}

@test "formats: width, alignment, fill, truncation, prefixes and conversions" {
  # As Flux: .W cuts, + marks a cut, ?: leaves out empty columns, h puts - for nothing.
  local id
  id=$(fq-submit --urgency=hold --job-name=abcdefghijkl -n1 true)
  check 0 "abcdefghijkl|abcd|abc+|  abcdefghijkl|=abcdefghijkl=" "" \
    fq-jobs -n -o '{name}|{name:.4}|{name:.4+}|{name:>14}|{name:=^14}' "$id"
  check 0 "NAME|NTASKS" "" sh -c "fq-jobs -o '?:{queue:<8}{name}|{ntasks}' | head -n 1"
  check 0 "-|" "" fq-jobs -n -o '{nnodes:h}|{nodelist}' "$id"
}

@test "wrong formats are usage errors that point at the fault" {
  # The field or the character is said.
  refuses 2 "fq-jobs: unknown format 'nosuch' (-o help lists formats and fields)" fq-jobs -o nosuch
  refuses 2 "fq-jobs: format: character 2: unknown field 'nosuch'" fq-jobs -o '{nosuch}'
  refuses 2 "fq-jobs: format: character 2: unknown field 'nam' (did you mean 'name'?)" fq-jobs -o '{nam}'
  refuses 2 "fq-jobs: format: character 1: '{' is not closed by '}'" fq-jobs -o '{id'
  refuses 2 "fq-jobs: format: character 4: field 'id': unknown conversion 'Q' (!d !D !F !H !P or !s)" fq-jobs -o '{id!Q}'
}

@test "formats of a user's own" {
  # From jobs.toml in the directory that XDG names, else ~/.config; help lists them; a wrong file is told only to who asks for one.
  local id
  id=$(fq-submit --urgency=hold --job-name=mine true)
  mkdir -p "$HOME/.config/fq"
  printf '[formats.short]\ndescription = "id and name"\nformat = "{id} {name}"\n' >"$HOME/.config/fq/jobs.toml"
  check 0 "$id mine" "" fq-jobs -n -o short
  check 0 "  short      id and name
             {id} {name}" "" sh -c "fq-jobs -o help | grep -A1 short"
  refuses 2 "fq-jobs: unknown format 'shrt' (did you mean 'short'?)" fq-jobs -o shrt
  FQ_JOBS_FORMAT_DEFAULT=short check 0 "$id mine" "" fq-jobs -n
  FQ_JOBS_FORMAT_DEFAULT='{urgency}' check 0 "0" "" fq-jobs -n
  FQ_JOBS_FORMAT_DEFAULT=short check 0 "       JOBID USER     NAME       ST NTASKS NNODES     TIME INFO" "" sh -c 'fq-jobs -o default | head -n 1'
  mkdir -p other/fq
  printf '[formats.short]\nformat = "{name}"\n[formats.bad]\nformat = "{nme}"\n' >other/fq/jobs.toml
  XDG_CONFIG_HOME=$PWD/other check 0 "mine" "" fq-jobs -n -o short
  XDG_CONFIG_HOME=$PWD/other refuses 2 "fq-jobs: $PWD/other/fq/jobs.toml: formats.bad: format: character 2: unknown field 'nme' (did you mean 'name'?)" fq-jobs -o bad
  printf '[formats.long]\nformat = "{name}"\n' >other/fq/jobs.toml
  XDG_CONFIG_HOME=$PWD/other refuses 1 "fq-jobs: $PWD/other/fq/jobs.toml:1: formats.long: 'long' is a name of fq's own (choose another one)" fq-jobs -o short
  XDG_CONFIG_HOME=$PWD/other check 0 "0" "" fq-jobs -n -o '{urgency}'
  XDG_CONFIG_HOME=$PWD/other check 0 "1" "" sh -c 'fq-jobs -n -o long | wc -l'
}

@test "-o help lists formats and fields and needs no store" {
  # Each named field can be used.
  FQ_STORE=/nonexistent run fq-jobs -o help
  expect 0 "$status"
  local field
  for field in $(sed -n '/^Fields:/,$s/^  \([a-z_.0-9]*\) .*/\1/p' <<<"$output"); do
    run fq-jobs -o "{$field}"
    expect "0 $field" "$status $field"
  done
}

@test "in the C locale ids are ASCII and nothing else changes" {
  # Columns keep their widths.
  local id
  id=$(fq-submit --urgency=hold true)
  LC_ALL=C check 0 "$(printf '%12s %s' "f${id#ƒ}" held)" "" fq-jobs -n -o '{id:>12} {contextual_info}'
  FLUX_F58_FORCE_ASCII=1 check 0 "f${id#ƒ}" "" fq-jobs -n -o '{id}'
}

@test "columns are counted in characters, not bytes" {
  # A name of wide and of accented characters keeps the columns straight.
  fq-submit --quiet --urgency=hold --job-name="日本" true
  fq-submit --quiet --urgency=hold --job-name="éà" true
  check 0 "日本  |
éà    |" "" fq-jobs -n -o '{name:<6}|'
}

@test "names cannot forge lines or colours" {
  # Control characters in a job's name are not printed raw.
  fq-submit --quiet --urgency=hold --job-name=$'a\nb\e[31mc' true
  run fq-jobs -n
  expect 1 "${#lines[@]}"
  [[ $output != *$'\e'* ]]
}
