/* SPDX-License-Identifier: Apache-2.0
 *
 * rebuild.c - see rebuild.h. */
#include "conformance/rebuild.h"

#include <string.h>

#include "api/objects.h"
#include "codegen/codegen.h"

static const char *first_line(struct arena *arena, const char *text)
{
    return arena_copy(arena, text, strcspn(text, "\n"));
}

static void write_again(struct arena *arena, const struct conform_case *c, struct rebuilt *out)
{
    const struct codegen_options lowest = {0};
    sl_context *context;
    sl_module *module;
    struct text text = {0};

    /* A case without a recording belongs to no chip yet: it is read for the default one. */
    if (sl_context_create(*c->target ? c->target : NULL, &context) != SL_OK) {
        out->error = "there is no profile of the recorded chip";
        return;
    }
    if (sl_module_load(context, SL_FORMAT_PTX, c->recorded->launch.ptx, c->ptx, c->ptx_size,
                       &module) != SL_OK) {
        out->error = first_line(arena, sl_context_error(context));
    } else {
        struct diags diags = {.arena = arena, .name = module->ir->name,
                              .source = module->ir->source,
                              .source_size = module->ir->source_size};
        if (codegen_write(module->ir, &lowest, &text, &diags)) {
            out->ptx = arena_copy(arena, text_string(&text), text.size);
            out->size = text.size;
        } else {
            struct text why = {0};
            diag_print(&why, &diags);
            out->error = first_line(arena, text_string(&why));
            text_free(&why);
        }
    }
    text_free(&text);
    sl_context_destroy(context);
}

const char *case_rebuild(struct arena *arena, struct rebuilt_list *list, struct conform_case *c)
{
    struct rebuilt *found = NULL;
    char hash[SHA256_HEX];

    sha256_hex(c->ptx, c->ptx_size, hash);
    for (uint32_t i = 0; i < list->count; i++)
        if (!strcmp(list->items[i].hash, hash))
            found = &list->items[i];
    if (!found) {
        found = ARENA_PUSH(arena, list);
        *found = (struct rebuilt){.hash = arena_strdup(arena, hash)};
        write_again(arena, c, found);
    }
    c->ptx = found->ptx;
    c->ptx_size = found->size;
    return found->error;
}
