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

@test "what stands between sort keys and the first field stays" {
  # But for one blank.
  fq-submit --quiet --urgency=hold --job-name=a true
  check 0 "	a" "" fq-jobs -n -o $'sort:-id\t{name}'
  check 0 " a" "" fq-jobs -n -o 'sort:-id  {name}'
  check 0 "a" "" fq-jobs -n -o 'sort:-id {name}'
}

@test "a long name that ends in an array's index keeps it" {
  # What is cut is in the middle; in ASCII where the locale is. Of other names the end is cut.
  fq-submit --quiet --urgency=hold --cc=8,17 --job-name='render-frame-{cc}' true
  fq-submit --quiet --urgency=hold --job-name='render-frames' true
  check 0 "render-…-8|render-f…-8
render…-17|render-…-17
render-fr+|render-fra+" "" fq-jobs -n -o '{name:<10.10+}|{name:<11.11+}'
  LC_ALL=C check 0 "rende+-17" "" sh -c "fq-jobs -n -o '{name:.9+}' | sed -n 2p"
  check 0 "re+" "" sh -c "fq-jobs -n -o '{name:.3+}' | head -n 1"
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
  FLUX_JOBS_FORMAT_DEFAULT=short check 0 "$id mine" "" fq-jobs -n
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

@test "formats of a site, and files in JSON and YAML" {
  # In fq/jobs.toml, fq/jobs.json and fq/jobs.yaml of the directories in XDG_CONFIG_DIRS, the first of which counts most; the user's own count more.
  local id
  id=$(fq-submit --urgency=hold --job-name=mine true)
  mkdir -p near/fq far/fq "$HOME/.config/fq"
  printf '[formats.short]\nformat = "far {name}"\n[formats.other]\nformat = "other {name}"\n[formats.third]\nformat = "far"\n' >far/fq/jobs.toml
  printf '{"formats": {"short": {"format": "near {name}"}, "third": {"description": "it", "format": "near"}}}' >near/fq/jobs.json
  printf '[formats.third]\nformat = "own {name}"\n' >"$HOME/.config/fq/jobs.toml"
  export XDG_CONFIG_DIRS=$PWD/near:relative:$PWD/far
  check 0 "near mine" "" fq-jobs -n -o short
  check 0 "other mine" "" fq-jobs -n -o other
  check 0 "own mine" "" fq-jobs -n -o third
  printf '{"formats": {"short": {"formt": "{name}"}}}' >near/fq/jobs.json
  refuses 1 "fq-jobs: $PWD/near/fq/jobs.json: formats.short.formt: unknown key (did you mean 'format'?)" fq-jobs -o short
  printf '{"formats": {' >near/fq/jobs.json
  run --separate-stderr fq-jobs -o short
  expect 1 "$status"
  [[ $stderr == "fq-jobs: $PWD/near/fq/jobs.json: "* ]]
  rm near/fq/jobs.json
  printf 'formats:\n  short:\n    description: in YAML\n    format: "yaml {name}"\n' >near/fq/jobs.yaml
  check 0 "yaml mine" "" fq-jobs -n -o short
  printf 'formats:\n  short:\n    format: [\n' >near/fq/jobs.yaml
  run --separate-stderr fq-jobs -o short
  expect 1 "$status"
  [[ $stderr == "fq-jobs: $PWD/near/fq/jobs.yaml: line "* ]]
  check 0 "held" "" fq-jobs -n -o '{contextual_info}' "$id"
}

@test "-o get-config=NAME prints a format for a file of formats" {
  # Of each listing; what it prints can be read under another name.
  local id
  id=$(fq-submit --urgency=hold --job-name=mine true)
  check 0 '[formats.deps]
description = "urgency, priority and dependencies"
format = "{id.f58:>12} ?:{queue:<8.8} {name:<10.10+} {urgency:<3} {priority:<12} {state:<8.8} {dependencies}"' "" fq-jobs -o get-config=deps
  mkdir -p "$HOME/.config/fq"
  fq-jobs -o get-config=deps | sed 's/deps/mine/; s/{id.*}"/{name} \\"{urgency}\\""/' >"$HOME/.config/fq/jobs.toml"
  check 0 'mine "0"' "" fq-jobs -n -o mine
  check 0 '[formats.mine]
description = "urgency, priority and dependencies"
format = "{name} \"{urgency}\""' "" fq-jobs -o get-config=mine
  refuses 2 "fq-jobs: unknown format 'dps' (did you mean 'deps'?)" fq-jobs -o get-config=dps
  for command in fq-pgrep "fq-queue list" "fq-resource list" "fq-resource status" "fq-resource drain" "fq-account list-banks"; do
    # shellcheck disable=SC2086
    run $command -o get-config=default
    expect "0 [formats.default]" "$status ${lines[0]}"
  done
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

@test "states and results as emoji" {
  # As Flux shows them.
  local id
  fq-submit --quiet --urgency=hold --job-name=held true
  id=$(fq-submit --job-name=fails false)
  ended "$id"
  check 0 "held 📅 📅 
fails 💀 💩 💩" "" fq-jobs -a -n -o '{name} {state_emoji} {status_emoji} {result_emoji}'
}
