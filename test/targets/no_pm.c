/* SPDX-License-Identifier: GPL-2.0-or-later */
/* no_pm.c - a program that maps no PM. */
#include "target.h"

int main(void)
{
	puts("no persistent memory here");
	return 0;
}
