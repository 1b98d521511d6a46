# SPDX-License-Identifier: GPL-2.0-or-later
# The verbs of the end-to-end tests.  A test is a bash script of a few lines:
#
#     . "$ROOT/test/lib.sh"
#     expect_events store_plain
#
# It runs in its own empty directory.  It passes if it reaches its end, fails if it calls `fail`, and is skipped if it
# calls `skip`.  test/run sets ROOT, BUILD, BLACKOUT, TARGETS (programs to record) and TOOLS (programs that read
# recordings).
#
#   run COMMAND...            run it; $status is its exit status, stdout and stderr are in the files out and err
#   await COMMAND...          repeat it until it succeeds, even on a slow, busy machine:  await test -e ready
#   apart COMMAND...          exec it, in its own session and with SIGINT enabled, which bash has background commands
#                             ignore:  apart ... & kill -INT $!
#   record TARGET [ARGS...]  record a program of test/targets into rec/; options of `blackout record` in $record_options
#   dump [OPTIONS...]         print the recording in rec/
#   expect_status N           check the exit status of the last run
#   expect_text FILE REGEX    FILE has a line that matches;  expect_no_text FILE REGEX: FILE exists, and has none
#   expect_same A B           two files are equal; prints a diff if not;  expect_different A B: both exist, and differ
#   expect_events TARGET      the complete check of a program with `//!` comments: run, record, compare, rebuild
#   expect_rebuilt            every PM file of rec/ can be rebuilt byte for byte, at the end and at its marks

set -u
trap 'exit 130' INT TERM

: "${ROOT:=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)}"
: "${BUILD:=$ROOT/build}"
: "${BLACKOUT:=$BUILD/blackout}" "${TARGETS:=$BUILD/test/targets}" "${TOOLS:=$BUILD/test/tools}"
export LC_ALL=C
export ASAN_OPTIONS=detect_leaks=0 # the tools exit without freeing memory

record_options=()
status=0

fail() {
	echo "failed: $*"
	if [ -s err ]; then
		echo "stderr of the last command:"
		head -n 20 err
	fi
	exit 1
}

skip() {
	echo "$*"
	exit 77
}

run() {
	"$@" >out 2>err
	status=$?
}

await() {
	local end=$((SECONDS + 120))
	until "$@"; do
		[ $SECONDS -lt $end ] || fail "in vain for two minutes: $*"
		sleep 0.05
	done
}

apart() {
	exec setsid env --default-signal=INT "$@"
}

expect_status() {
	[ "$status" = "$1" ] || fail "exit status is $status instead of $1"
}

expect_text() {
	grep -Eq -e "$2" "$1" || { head -n 40 "$1"; fail "no line of $1 matches $2"; }
}

expect_no_text() {
	[ -e "$1" ] || fail "there is no $1"
	! grep -E -e "$2" "$1" || fail "these lines of $1 match $2"
}

expect_same() {
	diff -u --label "$1 (expected)" --label "$2 (got)" "$1" "$2" || fail "$2 differs from $1"
}

expect_different() {
	[ -s "$1" ] && [ -s "$2" ] || fail "$1 or $2 is empty or not there"
	! cmp -s "$1" "$2" || fail "$1 and $2 are the same"
}

record() {
	local program=$1
	shift
	run "$BLACKOUT" record --quiet --out rec "${record_options[@]}" -- "$TARGETS/$program" "$@"
}

dump() {
	"$BLACKOUT" dump "$@" rec
}

# Print the values of a "// KEY: VALUE" line of a target.
target_says() {
	sed -n "1,20s,^// $2: *,,p" "$ROOT/test/targets/$1.c"
}

# Skip the test if this processor lacks a feature that the target uses.
need_cpu() {
	local flag
	for flag in "$@"; do
		grep -qw "$flag" /proc/cpuinfo || skip "this processor has no $flag"
	done
}

# Are private mount namespaces permitted?  In a chroot and in some containers they are not.
namespaces() {
	unshare -m --propagation private true 2>unshare.err || unshare -rm --propagation private true 2>unshare.err
}

need_namespaces() {
	namespaces || skip "no private mount namespace: $(cat unshare.err)"
}

# Print the //! lines of a target and of the header that holds its main, if any.
expected_events() {
	local file=$ROOT/test/targets/$1.c header
	for header in $(sed -n 's,^#include "\(.*\.h\)"$,\1,p' "$file"); do
		[ "$header" = target.h ] || sed -n 's,^.*//! *,,p' "$ROOT/test/targets/$header"
	done
	sed -n 's,^.*//! *,,p' "$file"
}

# Print the events recorded between begin() and end() of target.h, in the format of the //! lines. $1: kinds of event to
# keep; all by default.
recorded_events() {
	"$BLACKOUT" dump --no-source rec >dump.txt 2>dump.err || fail "dump: $(cat dump.err)"
	awk -F '   *' -v kinds="${1:-}" -v here="$PWD/" '
		BEGIN {
			if (!kinds)
				kinds = "store,ntstore,lockstore,repstore,sysstore,load,clflush,clflushopt,clwb,sfence,mfence,locked," \
					"file,map,unmap,remap,protect,write,truncate,allocate,rename,unlink,fsync,fdatasync," \
					"sync_file_range,syncfs,sync,msync,thread-start,thread-exit,fork,exec,exit,signal"
			n = split(kinds, list, ",")
			for (i = 1; i <= n; i++)
				wanted[list[i]] = 1
		}
		$3 == "store" && $4 ~ / 8 0x626567696e$/ { inside = 1; next }
		$3 == "store" && $4 ~ / 8 0x656e64$/ { inside = 0; next }
		inside && $3 in wanted {
			line = ($2 == "t1" ? "" : $2 " ") $3
			for (i = 4; i <= NF; i++)
				if ($i != "")
					line = line " " $i
			sub(/ pid=[0-9]+/, " pid=N", line)
			while ((at = index(line, here)) > 0)
				line = substr(line, 1, at - 1) substr(line, at + length(here))
			print line
		}' dump.txt
}

# A `*` at the end of an expected line matches anything recorded there.
fill_wildcards() {
	awk 'NR == FNR { got[FNR] = $0; next }
	     /\*$/ {
		prefix = substr($0, 1, length($0) - 1)
		if (substr(got[FNR], 1, length(prefix)) == prefix)
			$0 = got[FNR]
	     }
	     { print }' "$2" "$1"
}

expect_rebuilt() {
	local name path
	rm -rf rebuilt
	mkdir rebuilt
	"$TOOLS/rebuild" rec rebuilt >rebuilt.list 2>rebuilt.err || fail "rebuild: $(cat rebuilt.err)"
	[ -s rebuilt.list ] || fail "the recording holds no PM file"
	while IFS=$'\t' read -r name path; do
		[ "$path" = - ] && continue
		cmp "$path" "rebuilt/$name" || fail "$path was not rebuilt (rebuilt/$name)"
	done <rebuilt.list
}

expect_events() {
	local target=$1
	need_cpu $(target_says "$target" needs)
	record_options+=($(target_says "$target" record))
	mkdir native
	(cd native && "$TARGETS/$target" pool) >native.out 2>&1 || status=$?
	[ "$status" = 77 ] && skip "$(tail -n 1 native.out)"
	[ "$status" = 0 ] || { cat native.out; fail "$target fails when it is not recorded, with status $status"; }
	record "$target" pool
	expect_status 0
	recorded_events "$(target_says "$target" events)" >got
	expected_events "$target" >expected
	[ -s expected ] || fail "$target expects nothing"
	fill_wildcards expected got >expected.filled
	expect_same expected.filled got
	expect_rebuilt
}

# Fold a chain (innermost first, after its number) as the recorder does: go from the outermost frame inwards, and lead a
# call site that already occurs four times back to its innermost occurrence.
fold_recursion() {
	awk '{
		n = 0
		for (i = NF; i >= 2; i--) {
			occurrences = last = 0
			for (k = 1; k <= n; k++)
				if (chain[k] == $i) {
					occurrences++
					last = k
				}
			if (occurrences >= 4)
				n = last
			else
				chain[++n] = $i
		}
		printf "%s", $1
		for (i = n; i >= 1; i--)
			printf " %s", chain[i]
		print ""
	}' "$1"
}

# Check that the contexts of all samples of a target that uses contexts.h equal those of the unwinder in the target. $2:
# an awk program that cuts the chains to what the recorder promises; it reads the unwinder's, then the recorder's.
expect_contexts() {
	record "$1" pool
	expect_status 0
	[ -s out ] || fail "$1 took no samples"
	fold_recursion out | sort -n >unwinder
	"$TOOLS/contexts" rec | sort -n >recorder
	awk "${2:-1}" unwinder recorder >both
	head -n "$(wc -l <unwinder)" both >expected
	tail -n +"$(($(wc -l <unwinder) + 1))" both >got
	expect_same expected got
}
