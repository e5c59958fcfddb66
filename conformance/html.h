/* SPDX-License-Identifier: Apache-2.0
 *
 * html.h - the results of a conformance run as one page that needs nothing else. */
#ifndef SIMTLAB_CONFORMANCE_HTML_H
#define SIMTLAB_CONFORMANCE_HTML_H

#include "conformance/rows.h"

void rows_html(struct text *out, const struct rows *rows, const struct rows_options *options);

#endif
