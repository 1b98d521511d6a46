# SPDX-License-Identifier: GPL-2.0-or-later
# Shared code of the tests of killed and swapped runs.  Source it after test/lib.sh, in an empty directory.
#
# It creates the directory `user` with a pool, a hard link and a symbolic link to it, and other files; changes to it;
# records $counter on the pool as ../rec, and makes a crash finding F1 in ../found.
#
#   $counter POOL          one more run; POOL "-" is always `pool`, no matter what the command line says
#   $counter POOL check    a recovery that writes to the pool
#   ours PID               the children of a process that are Blackout processes too
#   all_gone PID...        these processes have ended
#   same                   the directory is unchanged;  expect_untouched shows the difference
#   shell, debugger        replay in place, in a shell or in gdb, until the program they start is killed; ../here exists
#                          while it runs
#   end_visit PID          end the program that such a Blackout process runs, as the user would

cat >counter.c <<'EOF'
#include <fcntl.h>
#include <immintrin.h>
#include <string.h>
#include <sys/mman.h>

struct pool {
	long runs;
	long pad[7];
	long steps[8];
};

static void persist(void *address)
{
	_mm_clflush(address);
	_mm_sfence();
}

int main(int argc, char **argv)
{
	int fd = open(strcmp(argv[1], "-") ? argv[1] : "pool", O_RDWR);
	struct pool *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (fd < 0 || p == MAP_FAILED)
		return 1;
	if (argc > 2) {
		p->steps[0] = 99;
		persist(&p->steps[0]);
		return 0;
	}
	for (int i = 1; i < 8; i++) {
		p->steps[i]++;
		persist(&p->steps[i]);
	}
	p->runs++;
	persist(&p->runs);
	return 0;
}
EOF
gcc -g -O1 -o counter counter.c || fail "gcc"
counter=$PWD/counter
touch err
mkdir user user/sub
truncate -s 4096 user/pool
echo 'of the user' >user/notes
ln -s pool user/link
ln user/pool user/alias
echo 'more of the user' >user/sub/file
cd user || fail "cd"
"$BLACKOUT" record --quiet --out ../rec -- "$counter" pool || fail "record"
"$BLACKOUT" check --no-progress --quiet --detect inject \
	--recover '[ $(od -An -tu8 -j72 -N8 pool) = $(od -An -tu8 -j120 -N8 pool) ]' \
	--out ../found ../rec >../out 2>../err
[ -d ../found/crash/F1 ] || fail "there is no crash finding"
cp pool ../pool.before

# Print names, types, links and contents.
picture() {
	find . -printf '%p %y %n %l\n' | sort
	find . -type f -exec cksum {} + | sort
}
picture >../before
same() { picture | cmp -s - ../before; }
expect_untouched() {
	picture >../now
	expect_same ../before ../now
}

runs() { od -An -tu8 -N8 "${1:-pool}" | tr -d ' '; }

ours() {
	local child
	for child in $(pgrep -P "$1"); do
		[ "$(readlink "/proc/$child/exe")" = "$(readlink -f "$BLACKOUT")" ] && echo "$child"
	done
}

all_gone() {
	local p
	for p in "$@"; do
		[ ! -e "/proc/$p/stat" ] || grep -q ') Z' "/proc/$p/stat" || return 1
	done
}

shell() {
	echo 'echo here >../here; exec sleep 600' >../script
	SHELL=/bin/sh exec "$BLACKOUT" replay --quiet --recovery-mode in-place --shell ../found F1 <../script
}
debugger() { exec "$BLACKOUT" replay --quiet --recovery-mode in-place \
	--gdb-command 'shell echo here >../here; exec sleep 600' ../found F1; }
descendants() {
	local child
	for child in $(pgrep -P "$1"); do
		echo "$child"
		descendants "$child"
	done
}
end_visit() {
	local p
	for p in $(descendants "$1"); do
		[ "$(readlink "/proc/$p/exe")" = "$(readlink -f "$BLACKOUT")" ] || kill -9 "$p" 2>../kill.err
	done
}
