#!/usr/bin/env bats
# What the completions offer from the store: ids with names, queues, states, fields. bash is asked; fish and zsh too
# where they are installed. (tests/docs.py looks at their options.)

load helper

COMPLETIONS=$(cd "$TESTS_DIR/../../completions" && pwd)

setup() {
  make_store 1:2
  printf '[queues.batch]\n[queues.debug]\n[policy.jobspec.defaults.system]\nqueue = "batch"\n' >config.toml
  fq-config load config.toml
  FIRST=$(fq-submit --urgency=hold --job-name=first true)
  SECOND=$(fq-submit --urgency=hold --job-name=second true)
  OTHER=$(fq-submit --urgency=hold -q debug --job-name=other true)
  ENDED=$(fq-submit --job-name=gone true)
  ended "$ENDED"
}

# bash_offers LINE [TYPE]: what bash offers at the end of the line, joined by `|`; TYPE 63: as where Tab is pressed twice.
bash_offers() {
  bash --norc -c '
    . "$0/bash/fq"
    COMP_LINE=$1 COMP_POINT=${#1} COMP_TYPE=$2
    read -ra COMP_WORDS <<<"$1"
    [[ $1 == *" " ]] && COMP_WORDS+=("")
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _fq_complete
    printf "%s\n" "${COMPREPLY[@]}"' "$COMPLETIONS" "$1" "${2:-9}" | paste -sd'|'
}

fish_offers() {
  fish --no-config -c 'set -p fish_complete_path $argv[1]; complete -C $argv[2]' "$COMPLETIONS/fish" "$1" | sort | paste -sd'|'
}

@test "bash offers ids with their names" {
  # Active ones to what acts on jobs, all to what looks at them; in ASCII where an f is typed; after a word of a list, too.
  expect "$FIRST|$SECOND|$OTHER" "$(bash_offers 'fq cancel ')"
  expect "$FIRST  first|$SECOND  second|$OTHER  other" "$(bash_offers 'fq-cancel ' 63)"
  expect "$FIRST|$SECOND|$OTHER|$ENDED" "$(bash_offers 'fq job attach ')"
  expect "f${FIRST#ƒ}|f${SECOND#ƒ}|f${OTHER#ƒ}" "$(bash_offers 'fq cancel f')"
  expect "$SECOND" "$(bash_offers "fq job urgency $SECOND")"
  expect "$FIRST|$SECOND|$OTHER|$ENDED" "$(bash_offers 'fq submit --dependency=afterok:')"
  FQ_STORE=$WORK/none expect "" "$(FQ_STORE=$WORK/none bash_offers 'fq cancel ')"
  expect "$FIRST|$SECOND|$OTHER" "$(FQ_STORE=$WORK/none bash_offers "fq cancel --store $STORE ")"
}

@test "bash offers queues, states and fields" {
  # Queues of this store; for lists after each comma.
  expect "batch|debug" "$(bash_offers 'fq submit -q ')"
  expect "debug" "$(bash_offers 'fq submit --queue=d')"
  expect "debug" "$(bash_offers 'fq queue stop d')"
  expect "all|batch|debug" "$(bash_offers 'fq jobs -q ')"
  expect "batch,debug" "$(bash_offers 'fq jobs -q batch,d')"
  expect "run|running" "$(bash_offers 'fq jobs -f r')"
  expect "run,failed" "$(bash_offers 'fq jobs -f run,f')"
  expect "name" "$(bash_offers 'fq jobs --sort na')"
  expect "t_submit,name" "$(bash_offers 'fq jobs --sort=t_submit,na')"
  mkdir -p "$HOME/.config/fq"
  printf '[formats.mine]\nformat = "{id}"\n' >"$HOME/.config/fq/jobs.toml"
  expect "default|long|deps|start|endreason|mine|help" "$(bash_offers 'fq jobs -o ')"
  expect "submit|start|shell.init|shell.start|shell.task-exit" "$(bash_offers "fq job wait-event $FIRST s")"
}

@test "bash offers the documents of a job" {
  # Its own, and what services keep with it, by their names; where there is no such job, nothing.
  local id
  id=$(fq-submit sh -c 'cd "$FLUX_JOB_GUEST_DIR" && touch application tools.gdb')
  ended "$id"
  fq-job data "$id" trace /dev/null
  expect "guest.application|guest.exec.eventlog|guest.output|guest.tools.gdb" "$(bash_offers "fq job info $id guest.")"
  expect "J|R|data.trace|eventlog|guest.application|guest.exec.eventlog|guest.output|guest.tools.gdb|jobspec" \
    "$(bash_offers "fq job info $id ")"
  expect "trace" "$(bash_offers "fq job data $id ")"
  touch file1 file2
  expect "file1|file2" "$(bash_offers "fq job data $id trace file" | tr '|' '\n' | sort | paste -sd'|')"
  expect "" "$(bash_offers "fq job info ƒ1 ")"
}

@test "fish offers the same, with the names as descriptions" {
  # Where it is installed.
  command -v fish >/dev/null || return 0
  expect "$(printf '%s\tfirst\n%s\tsecond\n%s\tother\n' "$FIRST" "$SECOND" "$OTHER" | sort | paste -sd'|')" "$(fish_offers 'fq cancel ')"
  expect "$(printf '%s\tsecond' "$SECOND")" "$(fish_offers "fq job urgency $SECOND")"
  expect "batch debug" "$(fish_offers 'fq submit -q ' | tr '|' '\n' | cut -f1 | xargs)"
  expect "batch debug" "$(FQ_STORE=$WORK/none fish_offers "fq submit --store $STORE -q " | tr '|' '\n' | cut -f1 | xargs)"
  expect "debug" "$(fish_offers 'fq queue stop d' | cut -f1)"
  expect "run running" "$(fish_offers 'fq jobs -f r' | tr '|' '\n' | cut -f1 | xargs)"
  expect "name" "$(fish_offers 'fq jobs --sort na' | cut -f1)"
  expect "batch bulksubmit" "$(fish_offers 'fq b' | tr '|' '\n' | cut -f1 | grep '^b' | xargs)"
}

@test "zsh offers the same, with the names as descriptions" {
  # On a terminal, where both are installed.
  command -v zsh >/dev/null && command -v tmux >/dev/null || return 0
  mkdir -p dot
  printf 'PS1="%%%% "; fpath=(%q $fpath); autoload -Uz compinit; compinit -u -d dot/dump; setopt auto_list no_list_ambiguous no_beep\n' "$COMPLETIONS/zsh" >dot/.zshrc
  zsh_shows() { "$PYTHON" "$TESTS_DIR/screen.py" 100x20 until '^%$' press "'$1'" press Tab until "$2" show press C-u press "'exit'" press Enter until '^exit' -- env ZDOTDIR="$PWD/dot" zsh -i; }
  run zsh_shows 'fq cancel ' other
  expect "$FIRST -- first
$SECOND -- second
$OTHER -- other" "$(grep -e ' -- ' <<<"$output" | sed -E 's/ +-- / -- /')"
  expect "batch debug" "$(zsh_shows 'fq submit -q ' '^batch' | grep '^batch' | xargs)"
  expect "run running" "$(zsh_shows 'fq jobs -f r' '^run ' | grep '^run ' | xargs)"
}
