#!/usr/bin/env bats
# A store at a glance: as a page, as figures for monitoring, as JSON.

load helper

setup() {
  make_store 2:4
  ME=$(id -un)
}

# from_json PATH: the value there in the JSON on stdin.
from_json() {
  "$PYTHON" -c 'import json, sys
value = json.load(sys.stdin)
for name in sys.argv[1].split("/"): value = value[int(name) if name.isdigit() else name]
print(value)' "$1"
}

@test "figures are in the format of Prometheus" {
  fq-account add-bank physics
  fq-account add-user "$ME" physics
  fq-submit --wait --quiet true
  fq-submit --urgency=hold --quiet true
  fq-report --metrics >out.prom
  # Each line is a comment, or a name, labels and a number; each family has HELP and TYPE before its samples.
  grep -Evq '^(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{[a-z]+="([^"\\]|\\.)*"(,[a-z]+="([^"\\]|\\.)*")*\})? [-+0-9.e]+)$' out.prom && cat out.prom && false
  expect 'fq_jobs{queue="",state="completed"} 1
fq_jobs{queue="",state="pending"} 1' "$(grep '^fq_jobs{' out.prom)"
  expect "fq_cores 8
fq_cores_allocated 0" "$(grep '^fq_cores' out.prom)"
  expect 'fq_wait_jobs{queue="",cores="1"} 1
fq_failed_ratio{queue=""} 0
fq_days 1' "$(grep -E '^fq_(wait_jobs|failed_ratio|days)' out.prom | sort -r)"
  grep -Eq '^fq_utilisation_ratio [0-9.e-]+$' out.prom
  # The same as a table.
  fq-report --csv >out.csv
  expect "figure,queue,state,cores,bank,user,userid,date,value" "$(head -1 out.csv)"
  expect "account_shares,,,,physics,$ME,,,1
account_shares,,,,root,,,,1
days,,,,,,,,30
jobs,,completed,,,,,,1
wait_jobs,,,1,,,,,1" "$(grep -E "^(account_shares,.*,(root|$ME)|days|jobs,,completed|wait_jobs)," out.csv | sort)"
  expect 'fq_account_shares{bank="root",user=""} 1
fq_account_shares{bank="physics",user=""} 1
fq_account_shares{bank="physics",user="'"$ME"'"} 1' "$(grep '^fq_account_shares' out.prom)"
}

@test "a page needs nothing else, and has in it what was used" {
  fq-submit --wait --quiet -n4 true
  fq-submit --wait --quiet false || true
  check 0 "" "" fq-report --html -o page.html --title 'my <cluster>'
  "$PYTHON" - <<'PY'
import html.parser
class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__(); self.open = []; self.links = []; self.text = ""
    def handle_starttag(self, tag, attributes):
        self.links += [value for name, value in attributes if name in ("src", "href")]
        if tag not in ("meta",): self.open.append(tag)
    def handle_startendtag(self, tag, attributes): pass
    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag
    def handle_data(self, data): self.text += data
page = Page(); page.feed(open("page.html").read()); page.close()
assert page.open == [], page.open
assert page.links == [], page.links
for words in ("my <cluster>", "Core-hours a day", "Shares and usage", "Delivered shares", "Waits for resources", "50.0 %"):
    assert words in page.text, words
PY
  expect "1 4" "$(fq-report --json | from_json waits/1/jobs) $(fq-report --json | from_json waits/1/cores_from)"
  expect "30 2" "$(fq-report --json | from_json days | tr -cd '{' | wc -c | awk '{print $1/2}') $(fq-report --json --days=2 | from_json days | grep -o "'date'" | wc -l)"
}

@test "core-hours of the days are those that were used" {
  fq-account add-bank physics
  fq-account add-user "$ME" physics
  fq-account charge "$ME" physics --core-seconds=36000 --at="1 days ago"
  day=$(date -d "1 day ago" +%F)
  expect "10.0" "$(fq-report --json --days=3 | from_json days/1/core_hours/physics)"
  expect "$day" "$(fq-report --json --days=3 | from_json days/1/date)"
}

@test "wrong usage is told in one line" {
  refuses 2 "fq-report: as what? give one of --html, --metrics, --csv and --json" fq-report
  refuses 2 "fq-report: as what? give one of --html, --metrics, --csv and --json" fq-report --html --json
  refuses 2 "fq-report: --days: expected a number of days from 1 to 366, got '0'" fq-report --html --days=0
  refuses 1 "fq-report: cannot write 'nowhere/page.html': No such file or directory" fq-report --html -o nowhere/page.html
}

# bats test_tags=own-store
@test "the lines for cron are commands that run" {
  fq-account add-bank physics
  local command count=0
  while read -r _ _ _ _ _ command; do
    check 0 "" "" sh -c "$command" </dev/null
    count=$((count + 1))
  done < <(grep -v '^#\|^$' "$BATS_TEST_DIRNAME/../../examples/crontab")
  expect "4 association_table.csv bank_table.csv fq.html fq.prom" "$count $(ls *.csv fq.* | sort | xargs)"
}
