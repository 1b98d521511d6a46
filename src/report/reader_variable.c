/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reader_variable.c - reads `variable` of a finding or a store. */
#include "report/reader_parts.h"

int read_variable(struct reader *r, const json_t *object, struct variable *variable)
{
	const json_t *found = json_object_get(object, "variable");
	struct findings_figure offset = {0}, size = {0};

	if (!found)
		return 0;
	if (!json_is_object(found))
		return reader_fail(r, "variable", "is not an object");
	if (take_text(r, found, "name", true, &variable->text) < 0 ||
	    take_text(r, found, "type", false, &variable->type) < 0 ||
	    take_number(r, found, "offset", false, INT64_MAX, &offset) < 0 ||
	    take_number(r, found, "size", false, INT64_MAX, &size) < 0)
		return -1;
	variable->offset = offset.value;
	variable->size = size.value;
	return 0;
}
