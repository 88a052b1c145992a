#!/usr/bin/env bats
# fq-hostlist: lists of hosts (RFC 29), with the options of flux-hostlist.

load helper

setup() { prepare; }

# hosts WANTED ARG...: what fq-hostlist prints for the arguments.
hosts() {
  local wanted=$1
  shift
  check 0 "$wanted" "" fq-hostlist "$@"
}

@test "lists are put one after the other and compressed" {
  # Order and duplicates stay; empty lists print nothing; no store is used.
  hosts 'foo[1-3]' foo1 foo2 foo3
  hosts 'foo[1-3]' 'foo[1-3]'
  hosts 'host[1,0,5,4]' host1 host0 host5 host4
  hosts 'host[1,1,1]' host1 host1 host1
  hosts 'n[098-101],x' 'n[098-099]' n100,n101 x
  hosts '' ''
  FQ_STORE=/nonexistent hosts n1 n1
}

@test "standard input is the source where none is given" {
  # Hosts and lists between blanks or lines, alone or beside other sources; once only.
  check 0 "foo[1-3]" "" sh -c 'printf "foo1 foo2 foo3" | fq-hostlist'
  check 0 "foo[1-3]" "" sh -c 'printf "foo1\nfoo2\nfoo3" | fq-hostlist'
  check 0 "foo[1-3],a,b" "" sh -c 'printf "\n foo[1-2]\tfoo3\r\n\na,b\n" | fq-hostlist -'
  check 0 "n[1-4]" "" sh -c 'echo "n[2-3]" | fq-hostlist n1 - n4'
  check 0 "n[1-2]" "" sh -c 'echo n2 | fq-hostlist n1 stdin'
  check 0 "0" "" fq-hostlist --count
  refuses 2 "fq-hostlist: standard input can be read once only" fq-hostlist - n1 stdin
  refuses 1 "fq-hostlist: standard input: line 2: invalid hostlist 'n[1-': expected a number at character 5" \
    sh -c 'printf "n1\nn2 n[1-\n" | fq-hostlist'
}

@test "-e expands" {
  # Separated by blanks, or by what -d gives, in which \n is a new line.
  hosts "foo1 foo2 foo3" -e 'foo[1-3]'
  hosts "foo1
foo2
foo3" --expand --delimiter='\n' 'foo[1-3]'
  hosts "n08:n09:n10" -ed: 'n[08-10]'
  hosts "a, b, a" -e -d ', ' a,b,a
  hosts "" -e ''
  check 0 "n1-ib n2-ib" "" fq-hostlist -e 'n[1-2]-ib'
}

@test "-c counts" {
  # Duplicates count; an empty list has none.
  hosts 10 -c 'foo[1-10]'
  hosts 3 --count a b a
  hosts 0 -c ''
  hosts 16777216 -c 'n[0-16777215]'
}

@test "-n chooses by index" {
  # From the start, or with - from the end, in list order; after -x; with -e.
  hosts foo2 --nth=1 'foo[1-10]'
  hosts foo10 --nth=-1 'foo[1-10]'
  hosts 'foo[2,4-5]' -n 1,3-4 'foo[1-10]'
  hosts 'foo[7-8,10]' -n -1,3-4 'foo[1-10]'
  hosts "foo2 foo4 foo5" -e --nth=1,3-4 'foo[1-10]'
  hosts 'foo[7-8]' -x foo5 -n 5-6 'foo[1-10]'
  refuses 1 "fq-hostlist: hostlist has no host of index 10: it has 10 hosts" fq-hostlist -n 10 'foo[1-10]'
  refuses 1 "fq-hostlist: hostlist has no host of index 10: it has 10 hosts" fq-hostlist -n 1,10 'foo[1-10]'
  refuses 1 "fq-hostlist: hostlist has no host of index 11 from the end: it has 10 hosts" fq-hostlist -n -11 'foo[1-10]'
  refuses 1 "fq-hostlist: hostlist has no host of index 0 from the end: the last one is 1" fq-hostlist -n -0 'foo[1-10]'
  refuses 2 "fq-hostlist: --nth: invalid idset '1,x': expected a number at character 3" fq-hostlist -n 1,x a
}

@test "-F finds indexes" {
  # Of the first place of each host, in the order asked for; all must be there.
  hosts 0 -F foo1 'foo[1-10]'
  hosts 9 --find foo10 'foo[1-10]'
  hosts "0 1" -F 'foo[1-2]' 'foo[1-10]'
  hosts "2 0" -F b,a a,c,b,b
  refuses 1 "fq-hostlist: host 'foo1' is not in the list" fq-hostlist -F 'foo[1-10]' 'foo[2-10]'
  refuses 2 "fq-hostlist: --find: invalid hostlist 'a]': unexpected character at character 2" fq-hostlist -F 'a]' a
}

@test "-x leaves out hosts, or else indexes" {
  # Hosts that are there go, each time they are; if none is there and it is an idset, indexes go.
  hosts 'foo[0,2-10]' -x foo1 'foo[0-10]'
  hosts foo10 -x 'foo[0-9]' 'foo[0-10]'
  hosts b -x a a,b,a
  hosts 'foo[0,2-10]' -x 1 'foo[0-10]'
  hosts foo10 -x 0-9 'foo[0-10]'
  hosts foo10 -x 0-9,99 'foo[0-10]'
  hosts '[2-3]' -x 1 1,2,3
  hosts 'foo[0-10]' -x bar1 'foo[0-10]'
  refuses 2 "fq-hostlist: --exclude: invalid hostlist 'a[': expected a number at character 3" fq-hostlist -x 'a[' a
}

@test "-L limits" {
  # The first, or the last; more than there are is all; 0 is refused.
  hosts 'foo[1-2]' -L 2 'foo[1-10]'
  hosts 'foo[9-10]' -L -2 'foo[1-10]'
  hosts 'foo[1-10]' --limit=10 'foo[1-10]'
  hosts 'foo[1-10]' -L -11 'foo[1-10]'
  hosts '' -L 1 ''
  hosts 'host[1-2]' -u -L2 host2 host1 host3 host1
  local form="expected a number of hosts, or -N for the last N, got"
  refuses 2 "fq-hostlist: --limit: $form '0'" fq-hostlist -L 0 a
  refuses 2 "fq-hostlist: --limit: $form '-x'" fq-hostlist -L -x a
}

@test "-S sorts and -u keeps one of each" {
  # By name, digits, number.
  hosts 'host[0-3]' -S host3 host2 host1 host0
  hosts 'host[1,1-3]' --sort host2 host1 host3 host1
  hosts 'host[1-3]' -u host2 host1 host3 host1
  hosts 'host[1-3]' --unique 'host[1-3]' host2
  hosts 'bar,baz,host[1-3]' --union 'host[1-3]' bar baz
  hosts 'n[9-10,009]' -S n10 n009 n9
}

@test "-i, -m and -X combine lists as sets" {
  # Intersection and symmetric difference are sorted sets; --minus takes a host out as often as it is named.
  hosts 'host[2-3]' -i 'host[1-3]' 'host[2-5]'
  hosts host3 --intersect 'host[1-3]' 'host[2-5]' 'host[3-10]'
  hosts 'host[1-3]' -i 'host[3,1,2,1]' 'host[1-3]'
  hosts '' -i a b
  hosts 'host[1,4-10]' -m 'host[1-10]' 'host[2-3]'
  hosts 'host[1,4]' --minus 'host[1-10]' 'host[2-3]' 'host[5-10]'
  hosts '' -m 'host[1-10]' 'host[1-20]'
  hosts 'host[1,1]' -m 'host[1,1,1]' host1
  hosts host1 -um 'host[1,1,1]' host1
  hosts 'host[1,4-5]' -X 'host[1-3]' 'host[2-5]'
  hosts 'host[1,3,6-10]' --xor 'host[1-3]' 'host[2-5]' 'host[3-10]'
  hosts 'host[1,3,6-10]' -X 'host[3-10]' 'host[1-3]' 'host[2-5]'
}

@test "-q says by its code whether hosts are left" {
  # Nothing is printed; faults are told all the same.
  hosts '' --quiet 'foo[1-10]'
  check 1 "" "" fq-hostlist -q ''
  check 1 "" "" fq-hostlist --quiet --intersect host1 host2
  check 1 "" "" fq-hostlist -qm 'host[1-10]' 'host[1-20]'
  check 1 "" "" fq-hostlist -qc ''
  refuses 1 "fq-hostlist: host 'b' is not in the list" fq-hostlist -q -F b a
}

@test "ids of jobs stand for their hosts" {
  # In every form; of one that has none nothing. Without a store f1 is a host; with one -f takes it for that where it is no job.
  hosts 'foo[1-2]' foo1 foo2
  hosts fuzzy fuzzy
  refuses 2 "fq-hostlist: invalid job id 'ƒl': no base 58 digit at character 2" fq-hostlist ƒl
  make_store 3:2
  local id held
  id=$(fq-submit -N2 true)
  held=$(fq-submit -N3 --urgency=hold true)
  ended "$id"
  hosts 'node[0-1]' "$id"
  hosts 'node[0-1]' "$(fq-job id --to=dec "$id")"
  hosts 'node[0-1]' "$(fq-job id --to=f58plain "$id")"
  hosts '' "$held"
  hosts node1 --minus "$id" node0
  refuses 1 "fq-hostlist: job fuzzy does not exist (-f takes what is no job for a host)" fq-hostlist fuzzy
  refuses 1 "fq-hostlist: job ƒ2 does not exist" fq-hostlist ƒ2
  hosts fuzzy -f fuzzy
}

@test "instance, local and avail are the hosts of a store" {
  # local is the job within which it runs; -l makes that the source.
  make_store 3:2
  fq-resource drain 1
  hosts 'node[0-2]' instance
  hosts 'node[0,2]' avail
  hosts 'node[0,2]' available
  hosts 'node[0-2]' local
  hosts 3 -lc
  check 0 "node2 1" "" fq-run --requires=host:node2 -N1 sh -c 'echo $(fq-hostlist local) $(fq-hostlist -lc)'
  FQ_STORE=/nonexistent refuses 1 "fq-hostlist: there is no store in '/nonexistent' (fq init makes one, and fq submit does where none is named)" fq-hostlist avail
}

@test "what is no hostlist, or too long, is refused" {
  # The message points at the fault; wide ranges cost nothing, too wide ones are refused at once.
  refuses 1 "fq-hostlist: invalid hostlist 'foo[1-': expected a number at character 7" fq-hostlist 'foo[1-'
  refuses 1 "fq-hostlist: invalid hostlist 'a b': unexpected character at character 2" fq-hostlist 'a b'
  refuses 1 "fq-hostlist: invalid hostlist 'n[0-999999999999]': more than 16777216 hosts at character 2" fq-hostlist 'n[0-999999999999]'
  refuses 1 "fq-hostlist: hostlist would have more than 16777216 hosts" fq-hostlist 'n[0-9999999]' 'm[0-9999999]'
}

@test "options that exclude each other" {
  # One way to combine, one form of output.
  refuses 2 "fq-hostlist: only one of --intersect, --minus and --xor can be used" fq-hostlist -im a b
  refuses 2 "fq-hostlist: only one of --expand, --count and --find can be used" fq-hostlist -ec a
  refuses 2 "fq-hostlist: only one of --expand, --count and --find can be used" fq-hostlist -c -F a a
  refuses 2 "fq-hostlist: unknown option '--locl' (did you mean '--local'?)" fq-hostlist --locl
}
