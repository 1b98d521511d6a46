# SPDX-License-Identifier: GPL-2.0-or-later
# Verbs for the tests of blackout-cc and blackout-c++.
#
#   each_compiler FUNCTION      call it for gcc and for clang; $kind is the name, and the wrappers use that compiler
#   build NAME ARGS...          blackout-cc ARGS -o NAME, without a message;  build_cxx: blackout-c++
#   disassembled FILE           print its code; an instruction that stands for the call of an entry is shown as that call
#   calls FILE                  print the entries that a file (an object, a program) calls or has undefined, sorted
#   expect_wrapped FILE         our runtime is in it, and libtsan is not

. "$ROOT/test/lib.sh"
sources=$ROOT/test/compiler
cc=$BUILD/blackout-cc
cxx=$BUILD/blackout-c++

each_compiler() {
	local kind
	for kind in gcc clang; do
		command -v $kind >/dev/null || fail "no $kind"
		export BLACKOUT_CC=$kind BLACKOUT_CXX=${kind/gcc/g++}
		BLACKOUT_CXX=${BLACKOUT_CXX/clang/clang++}
		mkdir -p $kind
		cd $kind || exit
		"$1"
		cd ..
	done
	unset BLACKOUT_CC BLACKOUT_CXX
}

build_with() {
	local name=$2
	run "$1" "${@:3}" -o "$name"
	[ "$status" = 0 ] || fail "$kind cannot build $name: ${*:3}"
	[ ! -s err ] || fail "$kind says something about ${*:3}"
}

build() { build_with "$cc" "$@"; }
build_cxx() { build_with "$cxx" "$@"; }

# BO_INLINE_STORES (blackout/atomicity.h)
disassembled() {
	objdump -dr --no-show-raw-insn "$1" | sed -E \
		-e 's/es nopw .*/call __tsan_write2/; s/es nopl .*/call __tsan_write4/; s/es nopq .*/call __tsan_write8/' \
		-e 's/ss nopw .*/call __tsan_volatile_write2/; s/ss nopl .*/call __tsan_volatile_write4/' \
		-e 's/ss nopq .*/call __tsan_volatile_write8/' \
		-e 's/nopw +%fs:.*/call __tsan_write1/; s/nopl +%fs:.*/call __tsan_write16/' \
		-e 's/nopw +%gs:.*/call __tsan_volatile_write1/; s/nopl +%gs:.*/call __tsan_volatile_write16/'
}

calls() {
	disassembled "$1" | grep -oE '(call|jmp).*__tsan_[a-z0-9_]+|R_X86.*__tsan_[a-z0-9_]+' |
		grep -oE '__tsan_[a-z0-9_]+' | sort -u
}

expect_wrapped() {
	readelf -n "$1" >notes 2>&1
	expect_text notes '^  Blackout '
	readelf -d "$1" >dynamic 2>&1
	expect_no_text dynamic 'libtsan'
	nm -u "$1" >undefined 2>&1
	expect_no_text undefined '__tsan_'
}
