# SPDX-License-Identifier: GPL-2.0-or-later
# The commands of the pair tests.  Source this file after test/lib.sh.
#
#   expect_pair X  X-buggy has exactly the findings that its //! comments name, with status 1 if one is an error, and
#   each of its crash
#                       findings can be replayed; X-fixed has no finding of those kinds, and no error
#   expect_reordering X   the same, and only the detector explore finds the mistake
#   expect_invariant X    the same, and the finding names the rule and both stores of the invariant
#   expect_race X         the same, and the finding names the loads of recovery
#   pair_run X DIR [OPTIONS...]  runs one program of a pair, with its results in DIR; $status is the exit status of
#   blackout; the options of the analysis are in the array pair_options
#
# A pair that has operations (ops.h) is judged by its outputs, with the list, the probe and the arguments that its
# comments name.

: "${PAIRS:=$BUILD/test/pairs}" "${PAIR_SOURCES:=$ROOT/test/pairs}"

pair_source() { ls "$PAIR_SOURCES/$1".c{,c} 2>/dev/null; }

pair_says() { sed -n "1,20s,^// $2: *,,p" "$(pair_source "$1")"; }

# Prints the //! comments of a program: kind, severity, line, and the platforms if the comment names them.
pair_expected() {
	awk -F '//! ' 'NF > 1 {
		n = split($2, each, "; *")
		for (i = 1; i <= n; i++) {
			split(each[i], word, " ")
			print word[1], word[2], NR, word[3]
		}
	}' "$(pair_source "$1")" | sort
}

# Prints the findings of a run in the same format; the platforms only if they are fewer than requested.
pair_found() {
	jq -r '(.target.platforms | length) as $asked | .findings[] |
		"\(.kind) \(.severity) \(.location.line) \(if (.platforms | length) < $asked then .platforms | join(",") else "" end)"' \
		"$1/findings.json" | sort
}

# Prints the operations of a program: those that it lists, or those that its grammar gives.
pair_operations() {
	if [ -n "$(pair_says "$1" ops)" ]; then
		pair_says "$1" kind | "$BLACKOUT" ops $(pair_says "$1" ops) - || fail "$1: no list"
	else
		pair_says "$1" op | sed 's/; */\n/g'
	fi
}

pair_run() {
	local flags=() options=() arguments recover program=$1 dir=$2
	shift 2
	grep -Eq '(CLWB|PERSIST)\(' "$(pair_source "$program")" && flags+=(clwb)
	grep -q 'CLFLUSHOPT(' "$(pair_source "$program")" && flags+=(clflushopt)
	need_cpu "${flags[@]}"
	arguments=$(pair_says "$program" arguments)
	recover=$(pair_says "$program" recover)
	pair_operations "$program" >list
	pair_says "$program" probe | sed 's/; */\n/g' >probe
	[ -s list ] && options+=(--ops list) && : "${recover:=$arguments }"
	[ -s probe ] && options+=(--probe probe)
	[ -n "$(pair_says "$program" client)" ] &&
		options+=(--client "$PAIRS/$program pool.$dir $(pair_says "$program" client)" --ready "$PWD/pool.$dir.socket")
	[ -n "$recover" ] && options+=(--recover "$PAIRS/$program pool.$dir $recover")
	pair_options=($(pair_says "$program" run) "${options[@]}" "$@")
	run "$BLACKOUT" run --no-progress --out "$dir" "${pair_options[@]}" \
		-- "$PAIRS/$program" "pool.$dir" $arguments
}

# Checks that every crash finding in $1 fails again in a new process; and in gdb, which must stop in the function that
# fails.  If only the output is wrong, there is no such function.
expect_replayed() {
	local id fails='check \(path='
	[ -s list ] && fails='main \(argc='
	for id in $(jq -r '.findings[] | select(.crash) | .id' "$1/findings.json"); do
		run "$BLACKOUT" replay "$1" "$id"
		expect_status 1
		[ "$(jq -r ".findings[] | select(.id == \"$id\") | .crash.recovery.outcome" "$1/findings.json")" != output ] ||
			expect_text out '^ +expected'
	done
	for id in $(jq -r '.findings[] | select(.crash and .crash.recovery.outcome != "output") | .id' "$1/findings.json"); do
		run "$BLACKOUT" replay "$1" "$id" --gdb --gdb-command backtrace </dev/null
		expect_text out "^#[0-9]+ .*\\b$fails"
	done
}

expect_pair() {
	local kinds
	pair_run "$1-buggy" buggy
	pair_expected "$1-buggy" >expected
	[ -s expected ] || fail "$1-buggy expects nothing"
	expect_status "$(grep -c -m 1 ' error ' expected)"
	pair_found buggy >got
	if [ "$(pair_says "$1-buggy" also)" = performance ]; then
		grep ' error ' got >got.errors
		mv got.errors got
	fi
	expect_same expected got
	expect_replayed buggy

	pair_run "$1-fixed" fixed
	expect_status 0
	pair_found fixed >got
	if [ "$(pair_says "$1-fixed" also)" = performance ]; then
		kinds=$(cut -d ' ' -f 1 expected | sort -u | paste -s -d '|')
		grep -E "^($kinds) | error " got >got.errors
		mv got.errors got
	fi
	[ ! -s got ] || fail "$1-fixed has findings: $(cat got)"
}

# Like expect_pair.  Also checks that only explore finds the mistake: inject, which tests crashes in program order and
# with only the guaranteed stores on media, must find nothing.
expect_reordering() {
	expect_pair "$1"
	run "$BLACKOUT" check --no-progress --detect inject --recover "$PAIRS/$1-buggy pool.buggy check" --out alone \
		buggy
	expect_status 0
	[ "$(jq '.findings | length' alone/findings.json)" = 0 ] || fail "inject alone finds $(pair_found alone)"
	[ "$(jq '[.findings[] | select(.detectors == ["explore"])] | length' buggy/findings.json)" -gt 0 ] ||
		fail "not by explore"
}

# The rule and the lines of both stores.  The comment beside the second store is `//+ RULE`; the first store has the
# finding.
invariant_expected() {
	awk '/\/\/! (ordering|atomicity)-violation/ { first = NR }
		match($0, /\/\/\+ R[AO][123]/) { rule = substr($0, RSTART + 4, 3); second = NR }
		END { print rule, first, second }' "$(pair_source "$1")"
}

invariant_found() {
	jq -r '.findings[] | .invariant | select(.) | "\(.rule) \(.first.line) \(.second.line)"' "$1/findings.json"
}

expect_invariant() {
	expect_pair "$1"
	invariant_expected "$1-buggy" >expected
	invariant_found buggy >got
	expect_same expected got
	jq -e '.findings[] | select(.invariant) | (.detectors | index("invariants")) and (.invariant.because | length > 0)' \
		buggy/findings.json >jq.out || fail "the invariant has no reasons"
}

# The lines of the loads, which have a comment `//+ load`, beside the line of the store that they may see torn.
expect_race() {
	expect_pair "$1"
	awk '/\/\/! persistency-race/ { store = NR }
		/\/\/\+ load/ { load[NR] }
		END { for (line in load) print store, line }' "$(pair_source "$1-buggy")" | sort >expected
	jq -r '.findings[] | select(.kind == "persistency-race") | .location.line as $store | .related[] |
		select(.role == "load") | "\($store) \(.location.line)"' buggy/findings.json | sort -u >got
	expect_same expected got
}
