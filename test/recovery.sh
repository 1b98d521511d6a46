# SPDX-License-Identifier: GPL-2.0-or-later
# Verbs of the tests of recovery (src/run/recovery.h).  They need no recording: test/tools/recover runs a command on
# states that are directories.
#
#   state NAME VALUE       make a state of `pool`: states/NAME/pool, 64 KiB, starting with the number VALUE; "none":
#                          without a pool, "empty": size 0
#   recover ARGS...        run it on all states, with the user's own pool in place; the output is in `out`
#   expect_verdicts TEXT   the outcomes of the states: "v0 exit status 0, v100 SIGSEGV"
#   expect_mode MODE       the mode in which all of them ran
#   expect_clean           the user's files are unchanged, and no file or process is left behind
#   each_mode FUNCTION     call it for every mode of recovery; $how has the options of the tool

. "$ROOT/test/lib.sh"

export RECOVER_STAGES=$PWD/stages
mkdir -p stages states
printf 'the user' >pool
printf 'one\ntwo\nthree\n' >pool.conf
: >out
: >err

recovers=$TARGETS/recovers

state() {
	local dir=states/$1
	mkdir -p "$dir"
	case $2 in
	none) ;;
	empty) : >"$dir/pool" ;;
	*)
		printf "\\x$(printf %x $(($2 % 256)))\\x$(printf %x $(($2 / 256)))" >"$dir/pool"
		truncate -s 65536 "$dir/pool"
		;;
	esac
}

recover() {
	local name states=()
	for name in states/*; do
		states+=("state=$name")
	done
	before=$(ls -A)
	run "$TOOLS/recover" pm="$PWD/pool" "${states[@]}" "$@"
}

verdicts() {
	sed -n 's,^states/\([a-z0-9]*\): \([^(]*\) (.*,\1 \2,p' out | paste -sd, | sed 's/,/, /g'
}

expect_verdicts() {
	[ "$status" = 0 ] || fail "recover has status $status"
	[ "$(verdicts)" = "$1" ] || { cat out; fail "the verdicts are: $(verdicts)"; }
}

expect_mode() {
	! grep '^states/.*(' out | grep -v "($1)\$" || fail "not all states ran by $1"
	expect_text out "^mode: $1\$"
}

# Is a recovery of this test running?
running() {
	local pid
	for pid in $(pgrep -f "$recovers"); do
		[ "$(readlink "/proc/$pid/cwd")" = "$PWD" ] && tr '\0' ' ' <"/proc/$pid/cmdline" && return 0
	done
	return 1
}

expect_clean() {
	[ "$(cat pool)" = 'the user' ] || fail "the user's pool was changed"
	[ "$(ls -A)" = "$before" ] || { ls -lA; fail "files were left, or are gone"; }
	[ -z "$(ls -A stages)" ] || { ls -lAR stages; fail "stages were left"; }
	! running || fail "a process was left"
}

each_mode() {
	for how in mode=namespace mode=fork-server 'mode=fork-server namespaces=no' mode=redirect mode=in-place; do
		"$@"
	done
}
