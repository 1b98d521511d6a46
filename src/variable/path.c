/* SPDX-License-Identifier: GPL-2.0-or-later */
/* path.c - see path.h.
 *
 * A walk goes down the types, from the object to the smallest thing that contains all the bytes.  Where several members
 * are possible it goes down each of them on a copy of its state, and chooses afterwards. */
#include "variable/path.h"

#include <dwarf.h>
#include <stdio.h>
#include <string.h>

#include "variable/type.h"

#define DEPTH_MAX 24
#define DIMENSIONS_MAX 8
#define LISTED_MAX 3 /* members that are named one by one */

struct walk {
	struct path path;
	const struct line_words *words;
	const struct object *object;
	size_t used;      /* characters of path.text */
	bool started;     /* path.text has a part after the name of the object */
	bool overflow;    /* path.text is too short */
	Dwarf_Die type;   /* where the walk is */
	struct extent in; /* the bytes, relative to it */
	int depth;
};

static bool walk_on(struct walk *w);

/* ---- text ---- */

static void text_add(struct walk *w, const char *text)
{
	size_t length = strlen(text);

	if (w->used + length >= sizeof(w->path.text)) {
		w->overflow = true;
		return;
	}
	memcpy(w->path.text + w->used, text, length + 1);
	w->used += length;
}

static void text_begin(struct walk *w)
{
	bool wrap = w->object->pointed && *w->object->text == '*';

	text_add(w, wrap ? "(" : "");
	text_add(w, w->object->text);
	text_add(w, wrap ? ")" : "");
}

static void text_add_member(struct walk *w, const char *name)
{
	if (!name || name_is_reserved(name))
		return;
	if (!w->started)
		text_begin(w);
	text_add(w, !w->started && w->object->pointed ? "->" : ".");
	text_add(w, name);
	w->started = true;
	w->path.member = name;
}

static void text_add_index(struct walk *w, bool known, uint64_t index)
{
	char text[32] = "[]";

	if (known)
		snprintf(text, sizeof(text), "[%llu]", (unsigned long long)index);
	if (!w->started)
		text_begin(w);
	text_add(w, text);
	w->started = true;
}

/* Without any part after it, the object itself is what has the name. */
static bool text_end(struct walk *w)
{
	if (!w->started) {
		text_add(w, w->object->pointed ? "*" : "");
		text_add(w, w->object->text);
	}
	return !w->overflow;
}

/* ---- ends of the walk ---- */

/* The walk ends here: `size` bytes have the name. */
static bool walk_end(struct walk *w, uint64_t size)
{
	if (w->in.stride_count)
		return false;
	w->path.leaf = w->type;
	w->path.exact = w->in.offset == 0 && w->in.size == size;
	if (!w->path.rank)
		w->path.rank = w->path.member ? PATH_MEMBER : PATH_TARGET;
	return text_end(w);
}

static bool walk_leaf(struct walk *w)
{
	uint64_t size = type_size(&w->type);

	if (w->in.offset < 0 || (uint64_t)w->in.offset + w->in.size > size)
		return false;
	w->path.size = size;
	return walk_end(w, size);
}

/* ---- arrays ---- */

/* Remove the strides that are multiples of `unit`; false: there is none. */
static bool strides_take(struct extent *in, uint64_t unit)
{
	size_t kept = 0;

	for (size_t i = 0; i < in->stride_count; i++)
		if (in->strides[i] % (int64_t)unit != 0)
			in->strides[kept++] = in->strides[i];
	bool taken = kept < in->stride_count;
	in->stride_count = kept;
	return taken;
}

static int64_t modulo(int64_t a, uint64_t b)
{
	int64_t rest = a % (int64_t)b;

	return rest < 0 ? rest + (int64_t)b : rest;
}

/* The sizes of an array's parts: of an element of the first dimension, of the second, and so on.  Returns how many. */
static size_t array_units(Dwarf_Die *array, uint64_t element, uint64_t units[DIMENSIONS_MAX], uint64_t *first_count)
{
	uint64_t counts[DIMENSIONS_MAX];
	size_t dimensions = 0;
	Dwarf_Die die;

	if (dwarf_child(array, &die) != 0)
		return 0;
	do {
		uint64_t bound;

		if (dwarf_tag(&die) != DW_TAG_subrange_type)
			continue;
		if (dimensions == DIMENSIONS_MAX)
			return 0;
		if (number_of(&die, DW_AT_count, &bound))
			counts[dimensions++] = bound;
		else
			counts[dimensions++] = number_of(&die, DW_AT_upper_bound, &bound) ? bound + 1 : 0;
	} while (dwarf_siblingof(&die, &die) == 0);
	if (!dimensions)
		return 0;
	units[dimensions - 1] = element;
	for (size_t i = dimensions - 1; i > 0; i--) {
		if (!counts[i] || counts[i] > INT64_MAX / 4 / units[i])
			return 0;
		units[i - 1] = units[i] * counts[i];
	}
	*first_count = counts[0];
	return dimensions;
}

/* One instruction may store several elements. */
static bool covers_elements(const struct extent *in, uint64_t unit)
{
	return in->offset % (int64_t)unit == 0 && in->size % unit == 0;
}

/* One dimension.  *done: the walk ends with it. */
static bool walk_dimension(struct walk *w, uint64_t unit, bool *done)
{
	struct extent *in = &w->in;

	if (strides_take(in, unit)) {
		/* Anything is a multiple of a byte: only the source can tell that it is this array. */
		if (unit == 1 && (!w->path.member || !line_words_have(w->words, w->path.member)))
			return false;
		in->offset = modulo(in->offset, unit);
		text_add_index(w, false, 0);
		*done = (uint64_t)in->offset + in->size > unit;
		return !*done || covers_elements(in, unit);
	}
	if (in->offset < 0)
		return false;
	uint64_t offset = (uint64_t)in->offset;
	*done = offset % unit + in->size > unit;
	if (*done)
		return true;
	text_add_index(w, true, offset / unit);
	in->offset = (int64_t)(offset % unit);
	return true;
}

static bool walk_array(struct walk *w)
{
	Dwarf_Die element;
	uint64_t units[DIMENSIONS_MAX], count, size = type_size(&w->type);

	if (!type_of_die(&w->type, &element))
		return false;
	uint64_t element_size = type_size(&element);
	size_t dimensions = element_size ? array_units(&w->type, element_size, units, &count) : 0;
	if (!dimensions)
		return false;
	if (!w->in.stride_count && count && w->in.offset >= 0 &&
	    ((uint64_t)w->in.offset + w->in.size > count * units[0]))
		return false;
	w->path.size = size;
	for (size_t i = 0; i < dimensions; i++) {
		bool done;

		if (!walk_dimension(w, units[i], &done))
			return false;
		if (done)
			return walk_end(w, size);
	}
	w->type = element;
	return walk_on(w);
}

/* ---- structs ---- */

static void walk_into(struct walk *w, const struct member *m)
{
	text_add_member(w, m->name);
	w->path.offset += m->offset;
	w->path.size = m->size;
	w->type = m->type;
	w->in.offset -= (int64_t)m->offset;
}

static bool member_overlaps(const struct member *m, const struct extent *in)
{
	return in->offset < (int64_t)(m->offset + m->size) && (int64_t)m->offset < in->offset + (int64_t)in->size;
}

static bool member_contains(const struct member *m, const struct extent *in)
{
	return in->offset >= (int64_t)m->offset && in->offset + (int64_t)in->size <= (int64_t)(m->offset + m->size);
}

static bool member_is_flexible(struct member *m)
{
	Dwarf_Die type;

	return !m->size && type_strip(&m->type, &type) && dwarf_tag(&type) == DW_TAG_array_type;
}

/* Is the element with index 0 of an array where the bytes are? */
static bool element_begins(const struct walk *before, const struct member *m)
{
	struct extent in = before->in;
	Dwarf_Die type, element;

	if (!type_strip(&m->type, &type) || dwarf_tag(&type) != DW_TAG_array_type || !type_of_die(&type, &element))
		return member_contains(m, &in);
	int64_t into = in.offset - (int64_t)m->offset;
	return into >= 0 && (uint64_t)into < type_size(&element);
}

/* Is the place in the array, or one element before it, as in `items[i - 1]`? */
static bool array_is_near(const struct walk *before, struct member *m)
{
	int64_t into = before->in.offset - (int64_t)m->offset;

	if (member_is_flexible(m))
		return into >= -(int64_t)before->in.size;
	int64_t slack = into < 0 ? into + (int64_t)(m->size < 4096 ? m->size : 4096) : 0;
	return into < (int64_t)m->size && slack >= 0;
}

/* The ways down that succeeded. */
struct choice {
	struct walk found, begins, named;
	size_t found_count, begins_count, named_count;
	bool begins_named;
};

static void choice_add(struct choice *c, const struct walk *w, bool begins)
{
	bool named = w->path.member && line_words_have(w->words, w->path.member);

	c->found = *w;
	c->found_count++;
	if (begins) {
		c->begins = *w;
		c->begins_count++;
		c->begins_named = named;
	}
	if (named) {
		c->named = *w;
		c->named_count++;
	}
}

/* With an index that is not known: the arrays whose elements have the right size.  `values[i - 1]` may begin where the
 * last of the keys is, so the place alone decides only if it is that of the first element. */
static bool walk_indexed(struct walk *w)
{
	struct choice c = {0};
	Dwarf_Die die;
	struct member m;

	if (!member_first(&w->type, &die))
		return false;
	do {
		struct walk down = *w;

		if (!member_read(&die, &m) || m.bits || !array_is_near(w, &m))
			continue;
		walk_into(&down, &m);
		if (walk_on(&down))
			choice_add(&c, &down, element_begins(w, &m));
	} while (member_next(&die));
	if (c.found_count == 1 && (c.begins_count || !line_words_known(w->words) || c.named_count))
		*w = c.found;
	else if (c.named_count == 1)
		*w = c.named;
	else if (c.begins_count == 1 && (c.begins_named || !line_words_known(w->words)))
		*w = c.begins;
	else
		return false;
	return true;
}

/* The bytes are in one member, or in several bit fields of one storage unit. */
static bool walk_one_member(struct walk *w, size_t *overlapping)
{
	struct choice c = {0};
	Dwarf_Die die;
	struct member m;
	bool bits = false;

	*overlapping = 0;
	if (!member_first(&w->type, &die))
		return false;
	do {
		struct walk down = *w;

		if (!member_read(&die, &m))
			continue;
		*overlapping += member_overlaps(&m, &w->in);
		if (!(m.bits ? member_overlaps(&m, &w->in) : member_is_flexible(&m) || member_contains(&m, &w->in)))
			continue;
		walk_into(&down, &m);
		if (m.bits ? text_end(&down) : walk_on(&down)) {
			down.path.rank = down.path.rank ? down.path.rank : PATH_MEMBER;
			down.path.leaf = m.bits ? m.type : down.path.leaf;
			bits |= m.bits;
			choice_add(&c, &down, true);
		}
	} while (member_next(&die));
	if (c.found_count == 1 && (!bits || *overlapping == 1))
		*w = c.found;
	else if (c.named_count == 1)
		*w = c.named;
	else
		return false;
	return true;
}

/* Only a part of a member may be stored. */
static void walk_into_part(struct walk *w, const struct member *m)
{
	struct walk down = *w;
	int64_t begin = w->in.offset, end = begin + (int64_t)w->in.size;
	int64_t from = (int64_t)m->offset, to = from + (int64_t)m->size;

	down.in.offset = begin > from ? begin : from;
	down.in.size = (uint64_t)((end < to ? end : to) - down.in.offset);
	walk_into(&down, m);
	if (m->bits || !walk_on(&down) || down.path.rank == PATH_MEMBERS)
		text_add_member(w, m->name);
	else
		*w = down;
}

/* Several members: all their names, or the first and the last. */
static bool walk_members(struct walk *w, size_t count)
{
	struct walk one;
	char text[PATH_TEXT_MAX] = "";
	size_t at = 0, used = 0;
	Dwarf_Die die;
	struct member m;

	if (!member_first(&w->type, &die))
		return false;
	do {
		if (!member_read(&die, &m) || !member_overlaps(&m, &w->in))
			continue;
		if (!m.name || name_is_reserved(m.name))
			return false;
		at++;
		if (at != 1 && at != count && count > LISTED_MAX)
			continue;
		one = *w;
		walk_into_part(&one, &m);
		int n = snprintf(text + used, sizeof(text) - used, "%s%s",
				 at == 1              ? ""
				 : count > LISTED_MAX ? " ... "
						      : ", ",
				 one.path.text);
		if (one.overflow || n < 0 || (size_t)n >= sizeof(text) - used)
			return false;
		used += (size_t)n;
		w->path.member = m.name;
	} while (member_next(&die));
	memcpy(w->path.text, text, sizeof(text));
	w->path.rank = PATH_MEMBERS;
	w->path.offset += (uint64_t)w->in.offset;
	w->path.size = w->in.size;
	w->path.leaf = w->type;
	return at != 0;
}

/* From here on, members are those of this type. */
static void walk_enter(struct walk *w, const Dwarf_Die *unstripped)
{
	char name[PATH_TEXT_MAX];

	if (!type_name(unstripped, name, sizeof(name)) || name_is_reserved(name))
		return;
	memcpy(w->path.type, name, sizeof(name));
	w->path.offset = 0;
}

static bool walk_struct(struct walk *w)
{
	uint64_t size = type_size(&w->type);
	size_t overlapping;
	struct walk down = *w;

	if (w->in.stride_count)
		return walk_indexed(w);
	if (w->in.offset < 0)
		return false;
	if (walk_one_member(&down, &overlapping)) {
		*w = down;
		return true;
	}
	if ((uint64_t)w->in.offset + w->in.size > size)
		return false;
	if (w->in.offset == 0 && w->in.size == size && overlapping > 1)
		return walk_end(w, size);
	return overlapping > 1 && walk_members(w, overlapping);
}

static bool walk_union(struct walk *w)
{
	struct choice c = {0};
	uint64_t size = type_size(&w->type);
	Dwarf_Die die;
	struct member m;
	bool named = w->started;

	if (!member_first(&w->type, &die))
		return false;
	do {
		struct walk down = *w;

		if (!member_read(&die, &m))
			continue;
		walk_into(&down, &m);
		if (walk_on(&down))
			choice_add(&c, &down, true);
	} while (member_next(&die));
	if (c.found_count == 1)
		*w = c.found;
	else if (c.named_count == 1)
		*w = c.named;
	else
		return named && !w->in.stride_count && w->in.offset >= 0 &&
		       (uint64_t)w->in.offset + w->in.size <= size && walk_end(w, size);
	return true;
}

/* ---- the walk ---- */

static bool walk_on(struct walk *w)
{
	Dwarf_Die unstripped = w->type;

	if (++w->depth > DEPTH_MAX || w->overflow || !type_strip(&unstripped, &w->type))
		return false;
	switch (dwarf_tag(&w->type)) {
	case DW_TAG_structure_type:
	case DW_TAG_class_type: walk_enter(w, &unstripped); return walk_struct(w);
	case DW_TAG_union_type: walk_enter(w, &unstripped); return walk_union(w);
	case DW_TAG_array_type: return walk_array(w);
	case DW_TAG_base_type:
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
	case DW_TAG_enumeration_type:
	case DW_TAG_ptr_to_member_type: return walk_leaf(w);
	}
	return false;
}

static bool type_is_scalar(const Dwarf_Die *type)
{
	Dwarf_Die stripped;

	if (!type_strip(type, &stripped))
		return false;
	switch (dwarf_tag(&stripped)) {
	case DW_TAG_base_type:
	case DW_TAG_pointer_type:
	case DW_TAG_enumeration_type: return true;
	}
	return false;
}

/* A pointer may point to the first of several objects. */
static bool walk_pointed(struct walk *w)
{
	uint64_t unit = type_size(&w->type);
	struct extent *in = &w->in;

	if (!unit)
		return false;
	bool scalar = type_is_scalar(&w->type);
	/* Bytes that a pointer to char points to may be anything. */
	if (scalar && (unit == 1 ? in->size > 1 : !covers_elements(in, unit) && in->size > unit))
		return false;
	if (strides_take(in, unit)) {
		text_add_index(w, false, 0);
		in->offset = modulo(in->offset, unit);
	} else if (scalar && in->offset >= (int64_t)unit) {
		if (in->stride_count)
			return false;
		text_add_index(w, true, (uint64_t)in->offset / unit);
		in->offset = modulo(in->offset, unit);
	}
	if (scalar && in->size > unit) {
		w->path.size = in->size;
		if (!w->started)
			text_add_index(w, false, 0);
		return type_strip(&w->type, &w->type) && walk_end(w, unit);
	}
	return walk_on(w);
}

bool path_find(const struct object *object, const struct extent *extent, const struct line_words *words,
	       struct path *path)
{
	struct walk w = {.words = words, .object = object, .type = object->type, .in = *extent};

	if (!(object->pointed ? walk_pointed(&w) : walk_on(&w)))
		return false;
	*path = w.path;
	return true;
}
