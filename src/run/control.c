/* SPDX-License-Identifier: GPL-2.0-or-later */
/* control.c - see control.h. */
#include "run/control.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"
#include "base/vec.h"
#include "image/tree.h"

/* A path and its actual place, before both are written to the page. */
struct route {
	const char *original;
	char *actual;
	struct scene_identity identity;
};

struct routes {
	struct route *at;
	size_t count, room;
};

static int route_order(const void *a, const void *b)
{
	return strcmp(((const struct route *)a)->original, ((const struct route *)b)->original);
}

static void routes_add(struct routes *routes, const char *original, const char *actual, struct scene_identity identity)
{
	struct route route = {.original = original, .actual = strdup(actual), .identity = identity};

	BUG_ON(!route.actual);
	vec_push(routes, route);
}

static void routes_sort(struct routes *routes)
{
	if (routes->count)
		qsort(routes->at, routes->count, sizeof(*routes->at), route_order);
}

static void routes_free(struct routes *routes)
{
	for (size_t i = 0; i < routes->count; i++)
		free(routes->at[i].actual);
	vec_free(routes);
}

static size_t routes_bytes(const struct routes *routes)
{
	size_t bytes = routes->count * sizeof(struct stub_entry);

	for (size_t i = 0; i < routes->count; i++)
		bytes += strlen(routes->at[i].original) + strlen(routes->at[i].actual) + 2;
	return bytes;
}

static uint32_t text_put(struct stub_page *page, uint32_t *used, const char *text)
{
	uint32_t at = *used;

	strcpy((char *)page + at, text);
	*used += (uint32_t)strlen(text) + 1;
	return at;
}

static void routes_put(struct stub_page *page, uint32_t table, uint32_t *used, const struct routes *routes)
{
	struct stub_entry *entries = (void *)((char *)page + table);

	for (size_t i = 0; i < routes->count; i++) {
		entries[i].original = text_put(page, used, routes->at[i].original);
		entries[i].actual = text_put(page, used, routes->at[i].actual);
		entries[i].device = routes->at[i].identity.device;
		entries[i].inode = routes->at[i].identity.inode;
	}
}

static void page_fill(struct stub_page *page, size_t bytes, const struct routes *paths, const struct routes *dirs)
{
	uint32_t used = sizeof(*page) + (uint32_t)((paths->count + dirs->count) * sizeof(struct stub_entry));

	page->version = STUB_VERSION;
	page->bytes = (uint32_t)bytes;
	page->path_count = (uint32_t)paths->count;
	page->dir_count = (uint32_t)dirs->count;
	page->paths = sizeof(*page);
	page->dirs = page->paths + (uint32_t)(paths->count * sizeof(struct stub_entry));
	routes_put(page, page->paths, &used, paths);
	routes_put(page, page->dirs, &used, dirs);
}

/* In a namespace the state is already at the original paths. */
static void routes_collect(struct routes *paths, struct routes *dirs, const struct scene *scene, bool covered)
{
	char actual[2 * PATH_MAX];

	for (size_t i = 0; i < origin_path_count(scene->origin); i++) {
		const char *path = origin_path(scene->origin, i);
		BUG_ON(!scene_path(scene, path, actual, sizeof(actual)));
		routes_add(paths, path, covered ? path : actual, scene->identities[i]);
	}
	for (size_t i = 0; i < scene->count; i++)
		routes_add(dirs, scene->dirs[i].original, covered ? scene->dirs[i].original : scene->dirs[i].path,
			   (struct scene_identity){0});
	routes_sort(paths);
	routes_sort(dirs);
}

static int page_create(struct control *control, const struct scene *scene, bool covered, struct err *err)
{
	struct routes paths = {0}, dirs = {0};
	char path[PATH_MAX];

	if (path_make(path, sizeof(path), err, "%s/" STUB_FILE_PAGE, control->dir) < 0)
		return -1;
	routes_collect(&paths, &dirs, scene, covered);
	size_t bytes = sizeof(*control->page) + routes_bytes(&paths) + routes_bytes(&dirs);
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd >= 0 && ftruncate(fd, (off_t)bytes) == 0) {
		void *page = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		control->page = page == MAP_FAILED ? NULL : page;
	}
	if (control->page)
		page_fill(control->page, bytes, &paths, &dirs);
	else
		err_sys(err, "cannot create %s", path);
	if (fd >= 0)
		close(fd);
	routes_free(&paths);
	routes_free(&dirs);
	return control->page ? 0 : -1;
}

static int fifo_create(const struct control *control, const char *name, struct err *err)
{
	char path[PATH_MAX];

	if (path_make(path, sizeof(path), err, "%s/%s", control->dir, name) < 0)
		return -1;
	int fd = mkfifo(path, 0600) < 0 ? -1 : open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	return fd < 0 ? err_sys(err, "cannot create %s", path) : fd;
}

int control_open(struct control *control, const struct scene *scene, bool serve, bool covered, struct err *err)
{
	*control = (struct control){.request = -1, .reply = -1};
	if (path_make(control->dir, sizeof(control->dir), err, "%s/%s", scene->path, serve ? "serve" : "redirect") < 0)
		return -1;
	tree_remove(control->dir);
	if (mkdir(control->dir, 0700) < 0)
		return err_sys(err, "cannot create %s", control->dir);
	if (page_create(control, scene, covered, err) < 0)
		return -1;
	control->page->serve = serve;
	control->page->covered = covered;
	atomic_store(&control->page->processor, -1);
	if (!serve)
		return 0;
	control->request = fifo_create(control, STUB_FILE_REQUEST, err);
	control->reply = control->request < 0 ? -1 : fifo_create(control, STUB_FILE_REPLY, err);
	return control->reply < 0 ? -1 : 0;
}

void control_close(struct control *control)
{
	if (control->page) {
		munmap(control->page, control->page->bytes);
		if (control->request >= 0)
			close(control->request);
		if (control->reply >= 0)
			close(control->reply);
		tree_remove(control->dir);
	}
	*control = (struct control){.request = -1, .reply = -1};
}
