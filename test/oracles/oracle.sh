# SPDX-License-Identifier: GPL-2.0-or-later
# The verbs of the tests of plug-in oracles.  Source it after lib.sh.
#
#   build_oracle NAME [FLAGS...]       build test/oracles/NAME.c as NAME.so, as the documents say
#   build_example NAME         build examples/NAME.c as NAME.so, by the command in its own comment
#   has_no_host NAME           no process has loaded NAME.so of this directory
#   notes                      print the notes of the last report, one a line
#   kinds                      print the kinds of the findings in blackout.out, with their counts

build_oracle() {
	local name=$1
	shift
	cc -O2 -Wall -fPIC -shared -I"$ROOT/include" "$ROOT/test/oracles/$name.c" -o "$name.so" "$@" ||
		fail "cannot build $name"
}

build_example() {
	local command here=$PWD
	command=$(sed -n '1,20s,^// *build: ,,p' "$ROOT/examples/$1.c")
	[ -n "$command" ] || fail "examples/$1.c does not say how to build it"
	# The command is for the root of the repository.
	(cd "$ROOT" && eval "${command/-o /-o $here/}") || fail "cannot build $1 by: $command"
	[ -e "$1.so" ] || fail "$command made no $1.so"
}

has_no_host() { [ -z "$(grep -ls "$PWD/$1.so" /proc/[0-9]*/maps 2>/dev/null)" ]; }

notes() { sed -n 's/^note: //p' "${1:-out}"; }

kinds() { jq -r '.findings[] | "\(.kind) \(.count)"' "${1:-blackout.out}/findings.json"; }
