# SPDX-License-Identifier: GPL-2.0-or-later
# Verbs for tests of shards: check --shard and merge.  Sourced after lib.sh.
#
#   whole REC OPTION...            check the recording REC with these options, in one piece; sets $expected_status
#   shard REC K/N OPTION...        the same for one part, into part.K
#   expect_shards_of_pair PROGRAM OPTION...   the same for a program of test/pairs, with 1, 2, 3 and 7 shards
#   shards REC N OPTION...         all parts, then merge them into out.merged, and compare with `whole`
#   expect_merged                  out.merged has what out.whole has, but for times, names of directories and stats.shards

json_of() { jq 'del(.stats.seconds, .stats.shards)' "$1/findings.json"; }
# Without times, rates and line breaks.
text_of() {
	sed -e '/^recorded /s/ *[0-9.]* s$//; /^tested /s/ *[0-9.]* s$//' -e "s#$1#DIR#g" "$1/report.txt" | tr -s ' \n' ' ' |
		sed 's#, [0-9 ]*/s\>##g' | tr ' ' '\n'
}
sarif_of() { sed "s#$1#DIR#g" "$1/findings.sarif"; }

whole() {
	local rec=$1
	shift
	run "$BLACKOUT" check --no-progress --out out.whole "$@" "$rec"
	expected_status=$status
	[ "$status" -le 1 ] || fail "exit status is $status"
}

shard() {
	local rec=$1 part=$2
	shift 2
	run "$BLACKOUT" check --no-progress --quiet --shard "$part" --out "part.${part%/*}" "$@" "$rec"
}

expect_merged() {
	local what
	expect_status "$expected_status"
	for what in json text sarif; do
		"${what}_of" out.whole >"expected.$what"
		"${what}_of" out.merged >"got.$what"
		expect_same "expected.$what" "got.$what"
	done
}

shards() {
	local rec=$1 total=$2 k parts=()
	shift 2
	rm -rf part.* out.merged
	for ((k = 1; k <= total; k++)); do
		shard "$rec" "$k/$total" "$@"
		[ "$status" -le 1 ] || fail "exit status of shard $k/$total is $status"
		jq -e ".stats.shard == {\"index\": $k, \"total\": $total}" "part.$k/findings.json" >jq.out ||
			fail "part.$k does not say which part it is"
		grep -q '^complete 1$' "part.$k/shard" || fail "part.$k is not complete"
		parts=("part.$k" "${parts[@]}")
	done
	run "$BLACKOUT" merge --no-progress --out out.merged "${parts[@]}"
	expect_merged
	jq -e ".stats.shards == {\"total\": $total, \"missing\": []}" out.merged/findings.json >jq.out ||
		fail "stats.shards is $(jq -c .stats.shards out.merged/findings.json)"
}

# Record the program of a pair, and check it in one piece and in shards.
expect_shards_of_pair() { # PROGRAM OPTION...
	local program=$1 n
	shift
	rm -rf rec pool.rec*
	pair_run "$program" rec "$@"
	[ "$status" -le 1 ] || fail "exit status of $program is $status"
	whole rec "${pair_options[@]}"
	[ "$(jq '.findings | length' out.whole/findings.json)" -gt 0 ] || fail "$program has no finding"
	for n in 1 2 3 7; do
		shards rec $n "${pair_options[@]}"
	done
}
