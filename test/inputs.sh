# SPDX-License-Identifier: GPL-2.0-or-later
# Verbs of the tests of `record --inputs`.
#
#   conditions TARGET         print the conditions of the branches in rec/ whose other side is code of the target: one a
#                             line, with the value that it had

. "$ROOT/test/lib.sh"

conditions() {
	dump --no-source --events branch | sed -n "s/.*branch *condition \(.*\) other=$1+0x[0-9a-f]*\$/\1/p"
}
