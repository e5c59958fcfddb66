/* SPDX-License-Identifier: Apache-2.0
 *
 * parse_function.c - kernels, device functions and their directives.
 *
 * PTX ISA, "Kernel and Function Directives", "Performance-Tuning
 * Directives". */
#include "frontend/ptx/parse.h"

#include <string.h>

void parse_signature_list(struct parser *p, struct ptx_variable **items,
                          uint32_t *count)
{
    uint32_t base = p->variables.count;

    parse_expect(p, '(', "'('");
    if (!p->failed && p->token.kind != ')')
        do
            parse_parameter(p);
        while (parse_accept(p, ','));
    parse_expect(p, ')', "')'");
    *count = p->variables.count - base;
    *items = ARENA_NEW_ARRAY(p->arena, *count, struct ptx_variable);
    if (*count)
        memcpy(*items, &p->variables.items[base], *count * sizeof **items);
    p->variables.count = base;
}

/* Directives with numbers: how many at least and at most. */
static bool number_directive(uint32_t word, uint32_t *least, uint32_t *most)
{
    *least = 1;
    *most = 1;
    switch (word) {
    case W_maxntid:
    case W_reqntid:
    case W_reqnctapercluster:
        *most = 3;
        return true;
    case W_minnctapersm:
    case W_maxnctapersm:
    case W_maxnreg:
    case W_maxclusterrank:
    case W_abi_preserve:
    case W_abi_preserve_control:
        return true;
    case W_explicitcluster:
    case W_blocksareclusters:
        *least = 0;
        *most = 0;
        return true;
    default:
        return false;
    }
}

/* Between the parameters and the body; they repeat in any order. */
static void directives(struct parser *p, struct ptx_function *function)
{
    PTX_LIST(struct ptx_directive) list = {0};

    while (!p->failed && p->token.kind == TOKEN_DOTTED) {
        uint32_t least, most, word = parse_word(p);
        struct ptx_directive directive = {.word = word, .at = p->token.at};
        if (word == W_noreturn) {
            parse_advance(p);
            function->signature.noreturn = true;
        } else if (word == W_pragma) {
            parse_advance(p);
            do {
                directive.text = p->token.text;
                parse_expect(p, TOKEN_STRING, "a string");
                *ARENA_PUSH(p->arena, &list) = directive;
            } while (parse_accept(p, ','));
            parse_expect(p, ';', "';'");
        } else if (number_directive(word, &least, &most)) {
            parse_advance(p);
            directive.values[0] = directive.values[1] = directive.values[2] = 1;
            while (directive.count < most &&
                   (!directive.count || parse_accept(p, ',')))
                directive.values[directive.count++] = parse_count(p, "a number");
            *ARENA_PUSH(p->arena, &list) = directive;
        } else {
            parse_error(p, p->token.at, "'.%.*s' is no directive of a function",
                        NAME_ARGS(p->token.text));
        }
    }
    function->directives = list.items;
    function->directive_count = list.count;
}

void parse_function(struct parser *p, enum ptx_linkage linkage)
{
    struct ptx_function *function = ARENA_NEW(p->arena, struct ptx_function);

    function->linkage = linkage;
    function->is_entry = parse_word(p) == W_entry;
    parse_advance(p);
    if (parse_at_word(p, "noreturn")) { /* as some compilers place it */
        parse_advance(p);
        function->signature.noreturn = true;
    }
    if (!function->is_entry && p->token.kind == '(')
        parse_signature_list(p, &function->signature.returns,
                             &function->signature.return_count);
    function->at = p->token.at;
    function->name = parse_name(p, "the name of a function");
    if (!p->failed && p->token.kind == '(')
        parse_signature_list(p, &function->signature.parameters,
                             &function->signature.parameter_count);
    directives(p, function);
    if (p->token.kind == '{') {
        bool header_failed = p->failed;
        if (!header_failed)
            function->body = parse_block(p);
    } else if (!parse_accept(p, ';')) {
        parse_expected(p, "'{' or ';'");
    }
    if (!p->failed)
        *ARENA_PUSH(p->arena, &p->module->items) =
            (struct ptx_item){.kind = ITEM_FUNCTION, .function = function};
}
