/* SPDX-License-Identifier: Apache-2.0
 *
 * report_json.h - what the forms of a report that are made of JSON share. */
#ifndef SIMTLAB_API_REPORT_JSON_H
#define SIMTLAB_API_REPORT_JSON_H

#include <jansson.h>

/* Bytes that are not UTF-8 (file names, kernel names) become '?'. */
json_t *json_text(const char *text);

#endif
