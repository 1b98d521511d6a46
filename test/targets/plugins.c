/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plugins.c - libraries that come and go: code at an address is not always the same code. */
// link: -ldl
// events: store
#include "target.h"

#include <dlfcn.h>
#include <libgen.h>

static void call(const char *directory, const char *name, char *p)
{
	char path[4096];
	void *handle;
	void (*plugin_store)(char *);

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	handle = dlopen(path, RTLD_NOW);
	if (!handle)
		fprintf(stderr, "%s\n", dlerror());
	CHECK(handle);
	*(void **)&plugin_store = dlsym(handle, "plugin_store");
	CHECK(plugin_store);
	fprintf(stderr, "%s at %p\n", name, *(void **)&plugin_store);
	plugin_store(p);
	CHECK(dlclose(handle) == 0);
}

int main(int argc, char **argv)
{
	char *p, *directory = dirname(strdup(argv[0]));

	CHECK(argc == 2);
	p = pool_create(argv[1]);
	begin(p);
	call(directory, "plugin_a", p);      //! store pool+0x0 8 0xa
	call(directory, "plugin_b", p + 8);  //! store pool+0x8 8 0xb
	call(directory, "plugin_a", p + 16); //! store pool+0x10 8 0xa
	call(directory, "plugin_b", p + 24); //! store pool+0x18 8 0xb
	end(p);
	return 0;
}
