/* SPDX-License-Identifier: Apache-2.0
 *
 * lower.c - the PTX front end as a whole: parse, then lower item by item. */
#include "frontend/ptx/lower.h"

#include "frontend/ptx/ptx.h"

/* More source files than any program has would take too long to compare. */
enum { MAX_FILES = 10000 };

static void index_files(struct lower *l)
{
    if (l->syntax->files.count > MAX_FILES) {
        unsupported(l, (struct loc){0}, "more than %d .file directives", MAX_FILES);
        return;
    }
    for (uint32_t f = 0; f < l->syntax->files.count; f++) {
        const struct ptx_file *file = &l->syntax->files.items[f];
        const char *path = name_string(l, file->path);
        map_set(&l->scratch, &l->files, (const char *)&file->number,
                sizeof file->number, ir_add_file(l->module, path));
    }
    l->function_names =
        ARENA_NEW_ARRAY(&l->scratch, l->syntax->debug_strings.count, const char *);
    for (uint32_t s = 0; s < l->syntax->debug_strings.count; s++) {
        struct ptx_name label = l->syntax->debug_strings.items[s].label;
        map_set(&l->scratch, &l->debug_strings, label.text, label.size, s);
    }
}

static void items(struct lower *l)
{
    for (uint32_t k = 0; k < l->syntax->items.count; k++) {
        const struct ptx_item *item = &l->syntax->items.items[k];
        switch (item->kind) {
        case ITEM_VARIABLE:
            lower_variable(l, item->variable, true);
            break;
        case ITEM_FUNCTION:
            lower_function_item(l, item->function);
            break;
        case ITEM_ALIAS:
            lower_alias(l, item->alias);
            break;
        }
    }
}

/* What only those want to know who write the module again. */
static void left_outs(struct lower *l)
{
    for (uint32_t i = 0; i < l->syntax->left_outs.count; i++)
        ir_leave_out(l->module, l->syntax->left_outs.items[i].at,
                     l->syntax->left_outs.items[i].what);
    for (uint32_t i = 0; i < l->syntax->pragmas.count; i++)
        ir_leave_out(l->module, l->syntax->pragmas.items[i].at, "this pragma");
}

/* What is not extern must have been defined in the end. */
static void check_defined(struct lower *l)
{
    for (uint32_t k = 0; k < l->entities.count; k++) {
        const struct entity *entity = &l->entities.items[k];
        if (entity->kind == ENTITY_FUNCTION && !entity->function->body &&
            entity->function->linkage != LINKAGE_EXTERN)
            diag_error(l->diags, entity->at, "'%.*s' is declared but never defined",
                       NAME_ARGS(entity->function->name));
    }
}

struct ir_module *ptx_read(struct arena *arena, const char *name, const char *text,
                           size_t size, struct diags *diags)
{
    struct lower lower = {.arena = arena, .diags = diags}, *l = &lower;
    struct arena tree = {0};
    uint32_t errors = diags->errors;

    l->syntax = ptx_parse(&tree, text, size, diags);
    l->module = ir_module_new(arena, name ? name : "");
    l->module->source = text;
    l->module->source_size = size;
    l->module->version = l->syntax->version;
    l->module->target = l->syntax->target.sm;
    l->module->target_suffix = l->syntax->target.suffix;
    l->module->address_bits =
        (uint8_t)(l->syntax->address_size ? l->syntax->address_size : 32);
    l->module->debug = l->syntax->debug;
    gate_begin(&l->gate, &l->scratch, l->syntax, diags);
    lower_forms(l);
    index_files(l);
    scope_enter(l);
    items(l);
    lower_redirect(l);
    left_outs(l);
    if (diags->errors == errors) /* else the definition may be what failed */
        check_defined(l);
    arena_free(&l->scratch);
    arena_free(&tree);
    return diags->errors == errors ? l->module : NULL;
}
