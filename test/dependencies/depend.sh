# SPDX-License-Identifier: GPL-2.0-or-later
# The command of the dependency tests.  Source this file after test/lib.sh.
#
#   expect_dependencies X  the programs X-O0 and X-O2 of test/dependencies are recorded, and the dependencies of all
#                          their cases are exactly those that the //! comments of X.c or X.cc name (depend.h)
#   expect_dependencies_of SOURCE O2 PROGRAM  the same of a program that was made from this source

: "${DEPENDENCIES:=$BUILD/test/dependencies}"

# Prints the //! comments of the source $1 that hold in the build $2, with their cases: "CASE store y: data x".
depend_expected() {
	awk -v build="$2" '
		match($0, /^CASE\([a-z0-9_]*\)/) { name = substr($0, 6, RLENGTH - 6) }
		(at = index($0, "//! ")) {
			text = substr($0, at + 4)
			if (text ~ /^O[0-9]: / && sub("^" build ": ", "", text) == 0)
				next
			print name, text
		}' "$1" | sort -u
}

# Prints what the recording has in the words of the comments.  $1: the words of the program, $2: the expected lines, which
# say for each case which loads to look at and which words are copied.  Reads a dump.
depend_recorded() {
	awk -v words="$1" -v expected="$2" -f "$ROOT/test/dependencies/depend.awk" | sort -u
}

# Checks the program $3, which is the build $2 of the source $1.
expect_dependencies_of() {
	local source=$1 program=$3
	need_cpu $(sed -n '1,20s,^// needs: *,,p' "$source")
	run "$program" native.pool
	expect_status 0
	"$program" >words
	run "$BLACKOUT" record --quiet --dependencies --out rec -- "$program" pool
	expect_status 0
	depend_expected "$source" "$2" >"expected.$2"
	[ -s "expected.$2" ] || fail "$source expects nothing"
	"$BLACKOUT" dump --no-source rec >dump.txt || fail "no dump"
	depend_recorded words "expected.$2" <dump.txt >"got.$2"
	expect_same "expected.$2" "got.$2"
}

expect_dependencies() {
	local build source
	source=$(ls "$ROOT/test/dependencies/$1".c{,c} 2>/dev/null)
	for build in O0 O2; do
		expect_dependencies_of "$source" $build "$DEPENDENCIES/$1-$build"
	done
}
