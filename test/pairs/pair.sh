# SPDX-License-Identifier: GPL-2.0-or-later
# The verb of the pair tests; to be sourced after test/lib.sh.
#
#   expect_pair X       X-buggy gives exactly the findings that its //! comments name, with status 1 if one is an error;
#                       X-fixed gives none of those kinds, and no error

: "${PAIRS:=$BUILD/test/pairs}"

pair_source() { echo "$ROOT/test/pairs/$1.c"; }

pair_says() { sed -n "1,20s,^// $2: *,,p" "$(pair_source "$1")"; }

# The //! comments of a program: kind, severity, line, and the platforms where the comment names them.
pair_expected() {
	awk -F '//! ' 'NF > 1 {
		n = split($2, each, "; *")
		for (i = 1; i <= n; i++) {
			split(each[i], word, " ")
			print word[1], word[2], NR, word[3]
		}
	}' "$(pair_source "$1")" | sort
}

# The findings of a run in the same words; the platforms only where they are fewer than asked for.
pair_found() {
	jq -r '(.target.platforms | length) as $asked | .findings[] |
		"\(.kind) \(.severity) \(.location.line) \(if (.platforms | length) < $asked then .platforms | join(",") else "" end)"' \
		"$1/findings.json" | sort
}

# Run one program of a pair into the directory $2.
pair_run() {
	local flags=()
	grep -q 'CLWB(' "$(pair_source "$1")" && flags+=(clwb)
	grep -q 'CLFLUSHOPT(' "$(pair_source "$1")" && flags+=(clflushopt)
	need_cpu "${flags[@]}"
	run "$BLACKOUT" run --out "$2" $(pair_says "$1" run) -- "$PAIRS/$1" "pool.$2"
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
