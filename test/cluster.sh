# SPDX-License-Identifier: GPL-2.0-or-later
# Verbs for tests of --cluster: a recording of the example, and its findings without shards, to compare with.
#
#     . "$ROOT/test/cluster.sh"
#     cluster_prepare                    # records into rec; `expected` has the findings of an unsharded check
#     cluster_check --cluster local ...  # run check on it, into res; `hold` makes recovery wait until it is removed
#     expect_findings res                # they are the expected ones, and complete
#
#   cluster_shard_pid K N    print the process of shard K, once it is there

kv=$BUILD/examples/kv
# Recovery sees a copy of the folder of the pool; changes elsewhere are seen at once.
recover="while [ -e '$PWD/hold' ]; do sleep 0.05; done; $kv check pm/pool"
cluster_options=(--no-progress --timeout 300 --recover "$recover")

# All but times, and what only one of them has.
cluster_facts() { jq 'del(.stats.seconds, .stats.shards)' "$1/findings.json"; }

cluster_prepare() {
	mkdir -p pm
	"$kv" create pm/pool
	run "$BLACKOUT" record --quiet --out rec -- "$kv" fill pm/pool 100
	expect_status 0
	run "$BLACKOUT" check "${cluster_options[@]}" --out whole rec
	expect_status 1
	cluster_facts whole >expected
}

cluster_check() { "$BLACKOUT" check "${cluster_options[@]}" --out res "$@" rec; }

expect_findings() {
	cluster_facts "$1" >got
	expect_same expected got
}

cluster_shard_pid() {
	local i
	for i in /proc/[0-9]*; do
		[ "$(tr '\0' ' ' 2>/dev/null <"$i/cmdline" | grep -c -e "check --shard $1/$2 --out $PWD/")" = 1 ] &&
			grep -qsx "Name:	blackout" "$i/status" && echo "${i##*/}" && return
	done
	return 1
}

# Nothing runs any more, and nothing is left of the shards.
expect_no_shards() {
	! pgrep -f "check --shard .* --out $PWD/" >left || fail "shards are left running: $(cat left)"
}
