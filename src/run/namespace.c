/* SPDX-License-Identifier: GPL-2.0-or-later */
/* namespace.c - see namespace.h. */
#include "run/namespace.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"

static int file_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool written = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return written ? 0 : -1;
}

/* Map every user and group ID to itself. */
static int identity_map(uid_t uid, gid_t gid)
{
	char users[64], groups[64];

	snprintf(users, sizeof(users), "%u %u 1", uid, uid);
	snprintf(groups, sizeof(groups), "%u %u 1", gid, gid);
	return file_write("/proc/self/setgroups", "deny") < 0 || file_write("/proc/self/uid_map", users) < 0 ||
			       file_write("/proc/self/gid_map", groups) < 0
		       ? -1
		       : 0;
}

static int loopback_up(void)
{
	struct ifreq request = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int result = fd < 0 ? -1 : ioctl(fd, SIOCSIFFLAGS, &request);

	if (fd >= 0)
		close(fd);
	return result;
}

static int spaces_make(bool network, struct err *err)
{
	uid_t uid = geteuid();
	gid_t gid = getegid();
	int flags = CLONE_NEWNS | (network ? CLONE_NEWNET : 0);

	/* In a container, root may lack the right to mount; then try a user namespace, as for any other user. */
	if (unshare(flags) < 0) {
		if (unshare(flags | CLONE_NEWUSER) < 0)
			return err_sys(err, "mount namespaces are not permitted");
		if (identity_map(uid, gid) < 0)
			return err_sys(err, "user namespaces are not permitted");
	}
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return err_sys(err, "mounting is not permitted");
	if (network && loopback_up() < 0)
		return err_sys(err, "network namespaces are not permitted");
	return 0;
}

int namespace_try(bool network, struct err *err)
{
	struct err why = {.sentence = "mount namespaces are not permitted"};
	int report[2], status;

	if (pipe2(report, O_CLOEXEC) < 0)
		return err_sys(err, "cannot create a pipe");
	pid_t pid = fork();
	if (pid == 0) {
		int result = spaces_make(network, &why);
		_exit(write(report[1], &why, sizeof(why)) < 0 || result < 0);
	}
	close(report[1]);
	if (pid > 0 && read(report[0], &why, sizeof(why)) < 0)
		why.hint[0] = 0;
	close(report[0]);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (pid > 0 && status == 0)
		return 0;
	return err_set(err, "%s", why.sentence);
}

/* Mount one entry of the original directory, reached through a descriptor of it, on its empty entry in the scene. */
static int other_mount(const struct scene_dir *dir, int original, const char *name, struct err *err)
{
	char from[PATH_MAX], to[2 * PATH_MAX];
	struct stat st;

	if (path_make(from, sizeof(from), err, "/proc/self/fd/%d/%s", original, name) < 0 ||
	    path_make(to, sizeof(to), err, "%s/%s", dir->original, name) < 0)
		return -1;
	if (lstat(from, &st) < 0) /* it has been removed meanwhile */
		return 0;
	/* Ignore other failures: recovery hardly needs an entry that cannot even be mounted. */
	if (mount(from, to, NULL, MS_BIND | MS_REC, NULL) < 0 && (errno == ENOSPC || errno == ENOMEM))
		return err_sys(err, "cannot mount %s", to);
	return 0;
}

/* In a user namespace, a remount must keep the restrictions that the mount had outside. */
static int dir_protect(const char *path)
{
	unsigned long flags = MS_REMOUNT | MS_BIND | MS_RDONLY;
	struct statvfs st;

	if (statvfs(path, &st) < 0)
		return -1;
	flags |= st.f_flag & ST_NOSUID ? MS_NOSUID : 0;
	flags |= st.f_flag & ST_NODEV ? MS_NODEV : 0;
	flags |= st.f_flag & ST_NOEXEC ? MS_NOEXEC : 0;
	flags |= st.f_flag & ST_NOATIME ? MS_NOATIME : 0;
	flags |= st.f_flag & ST_RELATIME ? MS_RELATIME : 0;
	flags |= st.f_flag & ST_NODIRATIME ? MS_NODIRATIME : 0;
	return mount(NULL, path, NULL, flags, NULL);
}

/* Descriptors of a directory and of its scene, opened before anything was mounted over them. */
struct sides {
	const struct scene_dir *dir;
	int original, scene;
};

static int dir_mount(const struct sides *sides, bool read_only, struct err *err)
{
	const struct scene_dir *dir = sides->dir;
	char from[64];

	snprintf(from, sizeof(from), "/proc/self/fd/%d", sides->scene);
	if (mount(from, dir->original, NULL, MS_BIND, NULL) < 0)
		return err_sys(err, "cannot mount over %s", dir->original);
	for (size_t i = 0; i < dir->mounts.count; i++)
		if (other_mount(dir, sides->original, dir->mounts.items[i], err) < 0)
			return -1;
	if (read_only && dir_protect(dir->original) < 0)
		return err_sys(err, "cannot protect %s", dir->original);
	return 0;
}

static int sides_open(struct sides *sides, const struct scene_dir *dir, struct err *err)
{
	*sides = (struct sides){.dir = dir, .original = -1, .scene = -1};
	if (!strcmp(dir->original, "/"))
		return err_set(err, "PM files in / cannot be mounted over");
	if (!dir->is_there)
		return err_set(err, "the directory %s no longer exists", dir->original);
	sides->original = open(dir->original, O_PATH | O_DIRECTORY | O_CLOEXEC);
	sides->scene = open(dir->path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (sides->original < 0 || sides->scene < 0)
		return err_sys(err, "cannot open %s", sides->original < 0 ? dir->original : dir->path);
	return 0;
}

/* A directory comes before the directories inside it. */
static int sides_order(const void *a, const void *b)
{
	const struct sides *x = a, *y = b;
	return strcmp(x->dir->original, y->dir->original);
}

int namespace_enter(const struct scene *scene, const struct namespace_options *options, struct err *err)
{
	struct sides *sides = mem_alloc((scene->count + 1) * sizeof(*sides));
	int result = spaces_make(options->network, err);

	for (size_t i = 0; i < scene->count && result == 0; i++)
		result = sides_open(&sides[i], &scene->dirs[i], err);
	if (result == 0)
		qsort(sides, scene->count, sizeof(*sides), sides_order);
	for (size_t i = 0; i < scene->count && result == 0; i++)
		result = dir_mount(&sides[i], options->read_only, err);
	for (size_t i = 0; i < scene->count && result == 0; i++) {
		close(sides[i].original);
		close(sides[i].scene);
	}
	free(sides);
	return result;
}
