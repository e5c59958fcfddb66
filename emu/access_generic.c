/* SPDX-License-Identifier: Apache-2.0
 *
 * access_generic.c - the access loops compiled for any host. */
#define ACCESS_TABLE access_table_generic
#include "emu/access_loops.h"
