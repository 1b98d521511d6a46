# SPDX-License-Identifier: GPL-2.0-or-later
# Verbs for the tests of --detect races, on test/races/list.c.
#
#   list_build [ARGS...]        compile it as ./list with blackout-cc, with these options
#   races OUT ACTION ARGS...    record `list pool ACTION` into OUT, on a new pool, with --detect races
#   again OUT ARGS...           the same from the recording, with the reports in OUT.again
#   line MARK                   the number of the line of list.c with that comment
#   found OUT                   print the races: kind, severity, line of the store, lines of the loads

. "$ROOT/test/lib.sh"

list_build() {
	"$BUILD/blackout-cc" -g -O0 -pthread "$@" "$ROOT/test/races/list.c" -o list 2>cc.err ||
		{ cat cc.err; fail "list.c cannot be compiled"; }
}

races() {
	local out=$1 action=$2
	shift 2
	rm -f pool
	run "$BLACKOUT" run --no-progress --fail-on warning --detect races --out "$out" "$@" -- ./list pool $action
}

again() {
	local out=$1
	shift
	run "$BLACKOUT" check --no-progress --fail-on warning --detect races --out "$out.again" "$@" "$out"
}

line() { grep -n "$1\$" "$ROOT/test/races/list.c" | head -n 1 | cut -d : -f 1; }

found() {
	jq -c '[.findings[] | [.kind, .severity, .location.line, [.related[] | select(.role == "load").location.line]]]' \
		"$1/findings.json"
}

# The head alone races, with its load.
expect_head() {
	found "$1" >got
	echo "[[\"persistency-race\",\"warning\",$(line '//! race'),[$(line '//+ head')]]]" >expected
	expect_same expected got
}

expect_none() {
	found "$1" >got
	echo '[]' >expected
	expect_same expected got
}

expect_note() {
	jq -e --arg note "$2" 'any(.notes[]; test($note))' "$1/findings.json" >jq.out ||
		fail "no note '$2': $(jq -c .notes "$1/findings.json")"
}
