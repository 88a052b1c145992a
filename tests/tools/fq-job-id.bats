#!/usr/bin/env bats
# fq-job id: the forms of a job id (RFC 19).

load helper

setup() { prepare; }

@test "an id has a form for every use" {
  # The forms of one id, as Flux prints them.
  check 0 "41171288064" "" fq-job id --to=dec ƒ25jAcZD
  check 0 "0x996000000" "" fq-job id --to=hex ƒ25jAcZD
  check 0 "0000.0009.9600.0000" "" fq-job id --to=dothex ƒ25jAcZD
  check 0 "ƒ25jAcZD" "" fq-job id --to=f58 ƒ25jAcZD
  check 0 "f25jAcZD" "" fq-job id --to=f58plain ƒ25jAcZD
  check 0 "job.0000.0009.9600.0000" "" fq-job id --to=kvs ƒ25jAcZD
}

@test "every form is accepted" {
  # Each gives the same number, which is the form where none is named; several ids are printed one a line.
  check 0 "41171288064
41171288064
41171288064
41171288064
41171288064
41171288064" "" fq-job id ƒ25jAcZD f25jAcZD 41171288064 0x996000000 0000.0009.9600.0000 job.0000.0009.9600.0000
}

@test "emoji go there and back" {
  # The form is one of RFC 19's, printed and accepted.
  check 0 "ƒ25jAcZD" "" fq-job id -t f58 "$(fq-job id --to=emoji ƒ25jAcZD)"
}

@test "the ends of the range" {
  # 0 and 2^64-1 are ids; one more is none.
  check 0 "ƒ1
ƒ1
ƒ1" "" fq-job id --to=f58 0 f111 0x0
  check 0 "18446744073709551615" "" fq-job id --to=dec ffff.ffff.ffff.ffff
  check 0 "ffff.ffff.ffff.ffff" "" fq-job id --to=dothex "$(fq-job id --to=f58 18446744073709551615)"
  run --separate-stderr fq-job id 18446744073709551616
  expect 2 "$status"
  [[ $stderr == "fq-job: invalid job id '18446744073709551616': "* ]]
}

@test "the locale chooses the letter" {
  # ASCII in the C locale and where FLUX_F58_FORCE_ASCII is set.
  LC_ALL=C check 0 "f25jAcZD" "" fq-job id --to=f58 41171288064
  FLUX_F58_FORCE_ASCII=1 check 0 "f25jAcZD" "" fq-job id --to=f58 41171288064
  LC_ALL=C.UTF-8 check 0 "ƒ25jAcZD" "" fq-job id --to=f58 41171288064
}

@test "what is no id is refused with the forms" {
  # Empty, other letters, base 58's missing letters, too large, signs.
  local text form="expected f58 (ƒ… or f…), dotted hexadecimal, 0x and hexadecimal digits, emoji or a decimal number"
  for text in "" x xyz +1; do
    refuses 2 "fq-job: invalid job id '$text': $form" fq-job id -- "$text"
  done
  for text in -1 f0 fO fI fl f ƒ 0x 0xg 1.2.3 0000.0009.9600 0000.0009.9600.0000.0 0000.0009.9600.000g 12a bank-halt 1e5 '1
2'; do
    run --separate-stderr fq-job id -- "$text"
    expect "2 $text" "$status $text"
    expect "" "$output"
    [[ $stderr == "fq-job: invalid job id '"* ]]
    expect 1 "$(wc -l <<<"$stderr")"
  done
}

@test "ids come from standard input where none is given" {
  # One a line, blanks around it ignored; at least one.
  check 0 "1
41171288064" "" sh -c 'printf " ƒ2 \nf25jAcZD\n" | fq-job id'
  refuses 1 "fq-job: expected job ids on standard input, one a line" fq-job id
  run --separate-stderr sh -c 'printf "ƒ2\nxyz\n" | fq-job id'
  expect "1 1" "$status $output"
  [[ $stderr == "fq-job: invalid job id 'xyz': "* ]]
}

@test "options of id" {
  # An unknown form is a usage error that lists all forms; no store is needed.
  refuses 2 "fq-job: --to: unknown job id form 'octal': expected one of dec, hex, dothex, f58, f58plain, kvs, emoji, words" fq-job id --to=octal 1
  FQ_STORE=/nonexistent check 0 "ƒ2" "" fq-job id -tf58 1
}

@test "words are those of the list that is installed" {
  # RFC 19's example, by the places of its words; where there is no list, the other forms go on.
  local places='620 1181 900 1389 963 0' share=$PWD/share
  mkdir -p share/fq
  for first in {a..c}; do printf '%s\n' "$first"{a..z}{a..z}; done | sed 1626q >share/fq/words
  local words
  # shellcheck disable=SC2086
  words=$(for place in $places; do sed -n "$((place + 1))p" share/fq/words; done | paste -sd-)
  XDG_DATA_DIRS=/nowhere:$share check 0 "${words:0:11}--${words:12}" "" fq-job id --to=words 6731191091817518
  FQ_WORDS=$share/fq/words check 0 6731191091817518 "" fq-job id "$words"
  export XDG_DATA_DIRS=/nowhere
  check 1 "" "fq-job: the words of job ids are not installed here: expected mnemonicode's list in /usr/share/fq/words (FQ_WORDS names another file; the other forms need none)" fq-job id --to=words 1
  head -n 1625 share/fq/words >short
  FQ_WORDS=short refuses 1 "fq-job: 'short' is no list of words for job ids: expected 1626 words of a to z at least" \
    fq-job id --to=words 1
}

@test "--help names every form that --to takes" {
  # emoji and words included.
  local form
  for form in dec hex dothex f58 f58plain kvs emoji words; do
    fq-job id --help | grep -e '--to' | grep -qw "$form"
  done
}
