/* SPDX-License-Identifier: Apache-2.0
 *
 * words.c - versions and targets as people write them. */
#include "codegen/codegen.h"

#include <stdlib.h>
#include <string.h>

/* Decimal digits only, at least one, below limit. */
static bool number(const char **text, uint32_t limit, uint32_t *value)
{
    const char *at = *text;

    *value = 0;
    for (; *at >= '0' && *at <= '9' && *value < limit; at++)
        *value = *value * 10 + (uint32_t)(*at - '0');
    bool good = at != *text && *value < limit && !(*at >= '0' && *at <= '9');
    *text = at;
    return good;
}

bool codegen_read_version(const char *text, uint32_t *version)
{
    uint32_t major, minor;

    if (!number(&text, 100, &major) || *text++ != '.' || !number(&text, 10, &minor) || *text)
        return false;
    *version = major * 10 + minor;
    return *version != 0;
}

bool codegen_read_target(const char *text, uint32_t *target, char *suffix)
{
    if (strncmp(text, "sm_", 3))
        return false;
    text += 3;
    if (!number(&text, 1000, target) || !*target)
        return false;
    *suffix = *text == 'a' || *text == 'f' ? *text++ : 0;
    return !*text;
}
