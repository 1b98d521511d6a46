/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_input.c - the layer as a whole (bo_input.h). */
#include "bo_input.h"

#include "bo_shadow.h"

Bool clo_bo_inputs = False;
Bool clo_bo_inputs_check = False;
Int clo_bo_inputs_most = BO_INPUTS_MOST;

void bo_input_init(void)
{
	bo_expr_init((UInt)clo_bo_inputs_most);
	bo_memory_init();
	bo_source_init();
	bo_input_init_blocks();
	bo_shadow_init();
	VG_(track_die_mem_munmap)(bo_memory_clear);
}

void bo_input_redefine(void)
{
	bo_source_redefine();
	bo_input_redefine_tables();
	bo_tell_redefine();
}
