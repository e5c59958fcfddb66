/* SPDX-License-Identifier: Apache-2.0
 *
 * comments.h - what the leading comment of a litmus file says. */
#ifndef SIMTLAB_MEMMODEL_COMMENTS_H
#define SIMTLAB_MEMMODEL_COMMENTS_H

#include "memmodel/test.h"

/* Fills description and expectations. The comment lines before the test are
 * its description; lines of the form
 *
 *     //! expect MODEL: holds|fails|outside [, race-free|races]
 *
 * state the verdict that its author derived from the rules. False, with a
 * diagnostic, when such a line is malformed. */
bool read_comments(struct arena *arena, struct diags *diags, struct test *test);

#endif
