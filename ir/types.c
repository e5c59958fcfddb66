/* SPDX-License-Identifier: Apache-2.0
 *
 * types.c - the tables of types.h. */
#include "ir/types.h"

#include <string.h>

const struct ir_type_info ir_types[IR_TYPE_COUNT] = {
#define TYPE(name, bits, kind, lane) {#name, bits, sizeof(lane), IR_KIND_##kind},
#include "ir/types.def"
#undef TYPE
};

#define X(name, text) text,
const char *const ir_space_names[IR_SPACE_COUNT] = {IR_SPACES(X)};
const char *const ir_order_names[IR_ORDER_COUNT] = {IR_ORDERS(X)};
const char *const ir_scope_names[IR_SCOPE_COUNT] = {IR_SCOPES(X)};
#undef X

enum ir_type ir_type_register(enum ir_type type)
{
    switch (ir_types[type].bits) {
    case 1: return IR_pred;
    case 8:
    case 16: return IR_b16;
    case 32: return IR_b32;
    case 64: return IR_b64;
    case 128: return IR_b128;
    default: return IR_none;
    }
}

enum ir_type ir_type_find(const char *name, size_t size)
{
    for (int type = 1; type < IR_TYPE_COUNT; type++)
        if (strlen(ir_types[type].name) == size &&
            memcmp(ir_types[type].name, name, size) == 0)
            return (enum ir_type)type;
    return IR_TYPE_COUNT;
}
