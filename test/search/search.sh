# SPDX-License-Identifier: GPL-2.0-or-later
# The commands of the tests of the input search.  Source this file after test/lib.sh.
#
#   expect_searched NAME...   `blackout search` finds exactly what the //! comments of each program of test/search name,
#                             within $SEARCH_SECONDS (60)
#   expect_known NAME...      the seed of each program shows nothing, and its trigger what the comments name
#   search_programs           prints the names of the programs
#   search_others             those that have another source of input than stdin, or no mistake that must be found
#
# Each program is built by one compiler with one level of optimization, which alternate; with SEARCH=all, by all of them.
# test/search/search.h explains the comments.

PAIR_SOURCES=$ROOT/test/search
. "$ROOT/test/pairs/pair.sh"

: "${SEARCH:=some}" "${SEARCH_SECONDS:=60}"
builds=(gcc-O0 clang-O2 gcc-O2 clang-O0)

search_programs() {
	local file
	for file in "$PAIR_SOURCES"/*.c; do
		basename "$file" .c
	done
}

search_others() {
	(cd "$PAIR_SOURCES" && {
		grep -L '//! ' ./*.c
		grep -lE '^// (symbolic: (file|arg)|expect|run|client)' ./*.c
	}) | sed 's,^\./,,; s,\.c$,,' | sort -u
}

# Builds the program $1 as ./program; $2 is COMPILER-LEVEL.
search_build() {
	need_cpu clwb
	run "${2%-*}" "-${2#*-}" -g -std=gnu11 -D_GNU_SOURCE -I"$ROOT/test/targets" -I"$ROOT/test/pairs" \
		-I"$ROOT/test/search" "$(pair_source "$1")" -o program $(pair_says "$1" link)
	expect_status 0
}

# Puts the files of the program $1 there.  With $2 = "trigger ", those that show the mistake, where there are such.
search_files() {
	local name content
	rm -f pool* list stdin
	printf '%b' "$(pair_says "$1" "${2-}stdin")" >stdin
	while read -r name content; do
		printf '%b' "$content" >"$name"
	done < <(pair_says "$1" file; [ -z "${2-}" ] || pair_says "$1" "${2}file")
	pair_says "$1" "${2-}operations" | sed 's/; */\n/g' >list
}

# Sets `options` and `arguments` to those of the program $1; $2 as above.
search_words() {
	local what client ready
	eval "options=($(pair_says "$1" run | sed "s,@,$PWD/program,g"))"
	arguments=$(pair_says "$1" "${2-}arguments")
	: "${arguments:=$(pair_says "$1" arguments)}"
	: "${arguments:=pool}"
	client=$(pair_says "$1" "${2-}client")
	ready=$(pair_says "$1" ready)
	[ -z "$client" ] || options+=(--client "$PWD/program pool $client" --ready "${ready:-$PWD/pool.socket}")
	[ ! -s list ] || options+=(--ops list)
}

# Searches for $2 seconds, with further options; the result is in the directory `found`.
search_go() {
	local what seconds=$2
	search_files "$1"
	search_words "$1"
	while read -r what; do
		options+=(--symbolic "$what")
	done < <(pair_says "$1" symbolic)
	options+=("${@:3}")
	run "$BLACKOUT" search --no-progress --out found --budget "${seconds}s" "${options[@]}" -- ./program $arguments <stdin
	[ "$status" -le 1 ] || fail "$1 ($build): exit status $status"
	pair_found found >got
}

# The mistake should be found long before the limit.
search_until_found() {
	search_go "$1" "$SEARCH_SECONDS" --fail-on warning --stop-after "$(wc -l <expected)"
	expect_same expected got
}

# A program without a mistake.
search_nothing() {
	search_go "$1" 60 --max-executions 20
	[ ! -s got ] || fail "$1 ($2) has findings: $(cat got)"
}

# What no solver can find need not be found, but then it must be said.
search_incomplete() {
	search_go "$1" 6
	cmp -s expected got && return
	[ "$(jq '.stats.search | .unknown + .concretised' found/findings.json)" -gt 0 ] ||
		fail "$1 ($2): not found, and nothing was left"
	tr -s '\n ' ' ' <found/report.txt >report
	expect_text report "changes persistent memory was not reached: main $1.c:"
}

search_one() {
	local begin=$SECONDS build=$2
	search_build "$1" "$2"
	pair_expected "$1" >expected
	case $(pair_says "$1" expect) in
	incomplete) search_incomplete "$1" "$2" ;;
	*) if [ -s expected ]; then search_until_found "$1" "$2"; else search_nothing "$1" "$2"; fi ;;
	esac
	echo "$1 $2: $((SECONDS - begin)) s, $(jq -c .stats.search found/findings.json)"
}

search_known() {
	local options arguments
	search_build "$1" "$2"
	search_files "$1"
	search_words "$1"
	run "$BLACKOUT" run --no-progress --out seed "${options[@]}" -- ./program $arguments <stdin
	expect_status 0
	pair_found seed >got
	[ ! -s got ] || fail "the seed of $1 ($2) has findings: $(cat got)"
	pair_expected "$1" >expected
	[ -s expected ] || return
	search_files "$1" "trigger "
	search_words "$1" "trigger "
	run "$BLACKOUT" run --no-progress --out trigger "${options[@]}" -- ./program $arguments <stdin
	pair_found trigger >got
	expect_same expected got
}

# Calls $1 with each of the other words, and how it is built.
search_each() {
	local name build number=0 command=$1
	shift
	for name; do
		for build in "${builds[@]}"; do
			[ "$SEARCH" = all ] || [ "$build" = "${builds[number % 4]}" ] || continue
			"$command" "$name" "$build"
		done
		number=$((number + 1))
	done
}

expect_searched() { search_each search_one "$@"; }

expect_known() { search_each search_known "$@"; }
