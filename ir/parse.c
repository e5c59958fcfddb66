/* SPDX-License-Identifier: Apache-2.0
 *
 * parse.c - reads .kir text: the module and its declarations.
 *
 * Syntax and names only; rules of types and structure are the verifier's. One
 * statement a line; an error ends the statement, and reading goes on with the
 * next line. Nothing recurses.
 *
 *     text      = "kir 1" { statement }          // to the end of a line: comment
 *     statement = "ptx" N "." N | "target" "sm_" N [ LETTER ] | "address_bits" N
 *               | "debug"
 *               | "file" N STRING                 N counts from 1
 *               | "inline" N ( STRING | "-" ) place   N counts from 1: code of a
 *                                        function inlined by the call at place
 *               | symbol | prototype | function
 *     place     = FILE ":" LINE ":" COLUMN [ "@" INLINE ]      0: unknown
 *     symbol    = space linkage type "@" NAME "size" N "align" N [ "managed" ]
 *                 [ "texture" | "sampler" | "surface" ]
 *                 [ "owner" "@" NAME ]
 *                 [ "{" { "bytes" OFFSET HEX | relocation } "}" ]
 *                                        bytes not given are zero
 *     relocation= "address" OFFSET "size" N "@" NAME [ ("+" | "-") N ]
 *                 [ "generic" ] [ "shift" N ]
 *     prototype = "prototype" NAME "results" { BYTES } "parameters" { BYTES }
 *                 [ "noreturn" ]
 *     function  = ( "kernel" | "function" ) linkage "@" NAME [ "noreturn" ] "{"
 *                 { attribute | variable | list | registers | "^" NAME ":"
 *                 | instruction } "}"
 *     attribute = ( "max_threads" | "required_threads" | "required_cluster" ) N N N
 *               | ( "min_blocks_per_sm" | "max_registers" | "max_cluster_rank"
 *               | "parameter_bytes" | "local_bytes" ) N | "explicit_cluster"
 *     variable  = "var" space type "&" NAME "size" N "align" N [ "at" OFFSET ]
 *                 [ "array" ] [ "ptr" space ALIGN ]
 *                                        without any "at": laid out by ir_lay_out
 *     list      = ( "parameters" | "results" ) { "&" NAME }
 *     registers = "reg" type { "%" NAME }
 *     NAME      = [ letters, digits, _ $ . | STRING ] [ "#" N ]
 *                                        #N tells apart names of the same text
 *     STRING    = '"' ... '"'            with \hh for other bytes, \22 and \5c
 *
 * Instructions: see parse_inst.c. */
#include "ir/parser.h"

#include <ctype.h>
#include <string.h>

#include "ir/words.h"

/* Operands have 28 bits for an index; no text this long reaches that. */
static const size_t text_limit = 1u << 28;
/* Initial values may be much longer than their text; this bounds them. */
static const uint64_t initialised_limit = 256u << 20;

/* --- pieces --------------------------------------------------------------- */

enum ir_type ir_parse_type(struct ir_parser *p)
{
    ir_scan_peek(&p->scan);
    struct loc at = ir_scan_place(&p->scan);
    struct ir_scan_word word = ir_scan_read_word(&p->scan);
    enum ir_type type = ir_type_find(word.text, word.size);

    if (type == IR_TYPE_COUNT && ir_scan_word_is(word, "none"))
        type = IR_none;
    if (type == IR_TYPE_COUNT)
        ir_scan_fail(&p->scan, at, "type expected");
    return type;
}

unsigned ir_parse_choice(struct ir_parser *p, const char *const *names, unsigned count,
                         const char *what)
{
    ir_scan_peek(&p->scan);
    struct loc at = ir_scan_place(&p->scan);
    struct ir_scan_word word = ir_scan_read_word(&p->scan);

    for (unsigned i = 0; i < count; i++)
        if (ir_scan_word_is(word, names[i]))
            return i;
    ir_scan_fail(&p->scan, at, "%s expected", what);
}

uint32_t ir_parse_u32(struct ir_parser *p)
{
    return (uint32_t)ir_scan_read_limited(&p->scan, UINT32_MAX);
}

void ir_parse_expect_word(struct ir_parser *p, const char *word)
{
    if (!ir_scan_accept_word(&p->scan, word))
        ir_scan_fail(&p->scan, ir_scan_place(&p->scan), "'%s' expected", word);
}

uint32_t ir_parse_place(struct ir_parser *p, struct loc at)
{
    struct ir_location location = {.at = at};
    struct ir_scanner *s = &p->scan;

    location.file = (uint32_t)ir_scan_read_limited(s, p->module->file_count - 1);
    ir_scan_expect(s, ':');
    location.line = ir_parse_u32(p);
    ir_scan_expect(s, ':');
    location.column = ir_parse_u32(p);
    if (ir_scan_accept(s, '@')) {
        struct ir_site *site =
            &p->sites.items[ir_scan_read_limited(s, p->sites.count - 1)];
        location.inlined_at = site->caller;
        location.function = site->function;
    }
    return ir_add_location(p->module, &location);
}

/* Binds a new name; false when it is taken, which is reported. */
bool ir_parse_declare(struct ir_parser *p, struct map *map, const struct ir_scan_name *name,
                    const char *what, uint32_t index)
{
    uint32_t old;

    if (map_get(map, name->key, name->key_size, &old)) {
        diag_error(p->scan.diags, name->at, "%s '%s' is declared twice", what, name->text);
        return false;
    }
    map_set(&p->scratch, map, name->key, name->key_size, index);
    return true;
}

void ir_parse_add_fixup(struct ir_parser *p, struct ir_fixups *list, int what,
                      uint32_t owner, uint32_t index, struct ir_scan_name name)
{
    struct ir_fixup *fixup = ARENA_PUSH(&p->scratch, list);

    fixup->what = what;
    fixup->owner = owner;
    fixup->index = index;
    fixup->name = name;
}

struct ir_scan_name ir_parse_sigil_name(struct ir_parser *p, char sigil)
{
    ir_scan_expect(&p->scan, sigil);
    return ir_scan_read_name(&p->scan);
}

const char *ir_parse_keep(struct ir_parser *p, const char *text)
{
    return arena_strdup(p->arena, text);
}

/* --- the header ----------------------------------------------------------- */

static void read_target(struct ir_parser *p)
{
    ir_scan_peek(&p->scan);
    struct loc at = ir_scan_place(&p->scan);
    struct ir_scan_word word = ir_scan_read_word(&p->scan);
    uint32_t number = 0;
    size_t i = 3;

    if (word.size < 4 || word.size > 9 || memcmp(word.text, "sm_", 3) != 0)
        ir_scan_fail(&p->scan, at, "target such as sm_90 expected");
    for (; i < word.size && isdigit((unsigned char)word.text[i]); i++)
        number = number * 10 + (uint32_t)(word.text[i] - '0');
    p->module->target = number;
    p->module->target_suffix = 0;
    if (i + 1 == word.size && isalpha((unsigned char)word.text[i]))
        p->module->target_suffix = word.text[i++];
    if (i != word.size || !number)
        ir_scan_fail(&p->scan, at, "target such as sm_90 expected");
}

static void read_version(struct ir_parser *p)
{
    uint32_t major = (uint32_t)ir_scan_read_limited(&p->scan, 1000);

    ir_scan_expect(&p->scan, '.');
    p->module->version = major * 10 + (uint32_t)ir_scan_read_limited(&p->scan, 9);
}

static void expect_next(struct ir_parser *p, uint32_t next)
{
    ir_scan_peek(&p->scan);
    struct loc at = ir_scan_place(&p->scan);

    if (ir_scan_read_number(&p->scan) != next)
        ir_scan_fail(&p->scan, at, "the next number is %u", next);
}

static void read_file(struct ir_parser *p)
{
    uint32_t next = p->module->file_count;

    expect_next(p, next);
    struct loc at = ir_scan_place(&p->scan);
    if (ir_add_file(p->module, ir_scan_read_string(&p->scan)) != next)
        ir_scan_fail(&p->scan, at, "the file is named twice");
}

static void read_inline(struct ir_parser *p, struct loc at)
{
    struct ir_site site = {0};

    expect_next(p, p->sites.count);
    if (!ir_scan_accept(&p->scan, '-'))
        site.function = ir_parse_keep(p, ir_scan_read_string(&p->scan));
    site.caller = ir_parse_place(p, at);
    const struct ir_location *caller = &p->module->locations[site.caller];
    if (!caller->file && !caller->line && !caller->column && !caller->inlined_at &&
        !caller->function)
        site.caller = 0;
    *ARENA_PUSH(&p->scratch, &p->sites) = site;
}

static const uint64_t *read_sizes(struct ir_parser *p, uint32_t *count)
{
    struct { uint64_t *items; uint32_t count, capacity; } sizes = {0};

    while (isdigit((unsigned char)ir_scan_peek(&p->scan))) {
        uint64_t size = ir_scan_read_number(&p->scan);
        *ARENA_PUSH(p->arena, &sizes) = size;
    }
    *count = sizes.count;
    return sizes.items;
}

static void read_prototype(struct ir_parser *p)
{
    struct ir_prototype prototype = {0};

    ir_scan_peek(&p->scan);
    struct ir_scan_name name = ir_scan_read_name(&p->scan);
    if (!name.empty)
        prototype.name = ir_parse_keep(p, name.text);
    ir_parse_expect_word(p, "results");
    prototype.result_sizes = read_sizes(p, &prototype.result_count);
    ir_parse_expect_word(p, "parameters");
    prototype.parameter_sizes = read_sizes(p, &prototype.parameter_count);
    prototype.noreturn = ir_scan_accept_word(&p->scan, "noreturn");
    ir_scan_end_statement(&p->scan);
    if (ir_parse_declare(p, &p->prototypes, &name, "prototype", p->module->prototype_count))
        ir_add_prototype(p->module, &prototype);
}

/* --- symbols -------------------------------------------------------------- */

static void begin_symbol(struct ir_parser *p, enum ir_space space)
{
    struct ir_symbol symbol = {.space = (uint8_t)space};
    uint32_t index = p->module->symbol_count;

    symbol.linkage = (uint8_t)ir_parse_choice(p, ir_linkage_names, IR_LINKAGE_COUNT,
                                              "linkage");
    symbol.type = (uint8_t)ir_parse_type(p);
    struct ir_scan_name name = ir_parse_sigil_name(p, '@');
    symbol.at = name.at;
    symbol.name = ir_parse_keep(p, name.text);
    ir_parse_expect_word(p, "size");
    symbol.size = ir_scan_read_number(&p->scan);
    ir_parse_expect_word(p, "align");
    symbol.align = ir_parse_u32(p);
    symbol.managed = ir_scan_accept_word(&p->scan, "managed");
    for (uint8_t r = 1; r < IR_REFERENCE_COUNT; r++)
        if (ir_scan_accept_word(&p->scan, ir_reference_names[r]))
            symbol.reference = r;
    bool owned = ir_scan_accept_word(&p->scan, "owner");
    struct ir_scan_name owner = {0};
    if (owned)
        owner = ir_parse_sigil_name(p, '@');
    bool opens = ir_scan_accept(&p->scan, '{');
    ir_scan_end_statement(&p->scan);
    if (!ir_parse_declare(p, &p->globals, &name, "name", index)) {
        p->state = opens ? IR_IN_SKIPPED : IR_IN_MODULE;
        return;
    }
    p->current = ir_add_symbol(p->module, &symbol);
    if (owned)
        ir_parse_add_fixup(p, &p->global_fixups, IR_FIX_OWNER, index, 0, owner);
    p->state = opens ? IR_IN_SKIPPED : IR_IN_MODULE;
    if (!opens)
        return;
    p->relocations.items = NULL;
    p->relocations.count = p->relocations.capacity = 0;
    if (symbol.size > initialised_limit - p->initialised)
        ir_scan_fail(&p->scan, name.at, "initial values are longer than %llu bytes",
                     (unsigned long long)initialised_limit);
    p->initialised += symbol.size;
    p->bytes = arena_alloc(p->arena, symbol.size);
    p->state = IR_IN_SYMBOL;
}

static int hex_value(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static void read_bytes(struct ir_parser *p)
{
    uint64_t size = p->module->symbols[p->current].size;
    uint64_t offset = ir_scan_read_number(&p->scan);

    ir_scan_peek(&p->scan);
    struct loc at = ir_scan_place(&p->scan);
    struct ir_scan_word word = ir_scan_read_word(&p->scan);
    if (offset > size || word.size / 2 > size - offset)
        ir_scan_fail(&p->scan, at, "bytes past the end of the variable");
    if (!word.size || word.size % 2)
        ir_scan_fail(&p->scan, at, "pairs of hexadecimal digits expected");
    for (size_t i = 0; i < word.size; i += 2) {
        int high = hex_value(word.text[i]), low = hex_value(word.text[i + 1]);
        if (high < 0 || low < 0)
            ir_scan_fail(&p->scan, at, "pairs of hexadecimal digits expected");
        p->bytes[offset + i / 2] = (unsigned char)(high * 16 + low);
    }
}

static void read_relocation(struct ir_parser *p)
{
    struct ir_relocation relocation = {.offset = ir_scan_read_number(&p->scan)};

    ir_parse_expect_word(p, "size");
    relocation.bytes = (uint8_t)ir_scan_read_limited(&p->scan, 255);
    struct ir_scan_name name = ir_parse_sigil_name(p, '@');
    if (ir_scan_accept(&p->scan, '+') || ir_scan_peek(&p->scan) == '-')
        relocation.addend = (int64_t)ir_scan_read_number(&p->scan);
    relocation.generic = ir_scan_accept_word(&p->scan, "generic");
    if (ir_scan_accept_word(&p->scan, "shift"))
        relocation.shift = (uint8_t)ir_scan_read_limited(&p->scan, 255);
    ir_parse_add_fixup(p, &p->global_fixups, IR_FIX_RELOCATION, p->current,
                       p->relocations.count, name);
    *ARENA_PUSH(p->arena, &p->relocations) = relocation;
}

static void symbol_statement(struct ir_parser *p)
{
    struct loc at = ir_scan_place(&p->scan);

    if (ir_scan_accept(&p->scan, '}')) {
        struct ir_symbol *symbol = &p->module->symbols[p->current];
        symbol->bytes = p->bytes;
        symbol->relocations = p->relocations.items;
        symbol->relocation_count = p->relocations.count;
        p->state = IR_IN_MODULE;
    } else if (ir_scan_accept_word(&p->scan, "bytes")) {
        read_bytes(p);
    } else if (ir_scan_accept_word(&p->scan, "address")) {
        read_relocation(p);
    } else {
        ir_scan_fail(&p->scan, at, "'bytes', 'address' or '}' expected");
    }
    ir_scan_end_statement(&p->scan);
}

/* --- the module ----------------------------------------------------------- */

static void module_statement(struct ir_parser *p)
{
    struct ir_scanner *s = &p->scan;
    struct loc at = ir_scan_place(s);
    struct ir_scan_word word = ir_scan_read_word(s);

    if (!p->started) {
        if (!ir_scan_word_is(word, "kir") || ir_scan_read_number(s) != 1) {
            s->at = s->size; /* something else: one message is enough */
            ir_scan_fail(s, at, "'kir 1' expected: this is no kernel IR text");
        }
        p->started = true;
        ir_scan_end_statement(s);
        return;
    }
    p->state = ir_scan_opens(s) ? IR_IN_SKIPPED : IR_IN_MODULE; /* should this fail */
    if (ir_scan_word_is(word, "ptx")) {
        read_version(p);
    } else if (ir_scan_word_is(word, "target")) {
        read_target(p);
    } else if (ir_scan_word_is(word, "address_bits")) {
        p->module->address_bits = (uint8_t)ir_scan_read_limited(s, 64);
    } else if (ir_scan_word_is(word, "debug")) {
        p->module->debug = 1;
    } else if (ir_scan_word_is(word, "file")) {
        read_file(p);
    } else if (ir_scan_word_is(word, "inline")) {
        read_inline(p, at);
    } else if (ir_scan_word_is(word, "prototype")) {
        read_prototype(p);
    } else if (ir_scan_word_is(word, "kernel") || ir_scan_word_is(word, "function")) {
        ir_parse_begin_function(p, ir_scan_word_is(word, "kernel"));
        return;
    } else {
        for (unsigned space = 0; space < IR_SPACE_COUNT; space++)
            if (ir_scan_word_is(word, ir_space_names[space])) {
                begin_symbol(p, space);
                return;
            }
        ir_scan_fail(s, at, "unknown statement");
    }
    ir_scan_end_statement(s);
    p->state = IR_IN_MODULE;
}

static void statement(struct ir_parser *p)
{
    switch (p->state) {
    case IR_IN_MODULE:
        module_statement(p);
        break;
    case IR_IN_SYMBOL:
        symbol_statement(p);
        break;
    case IR_IN_FUNCTION:
        ir_parse_function_statement(p);
        break;
    case IR_IN_SKIPPED: /* the body of what could not be read */
        if (ir_scan_peek(&p->scan) == '}')
            p->state = IR_IN_MODULE;
        ir_scan_skip_line(&p->scan);
        break;
    }
}

static void resolve_globals(struct ir_parser *p)
{
    struct ir_module *module = p->module;

    for (uint32_t i = 0; i < p->global_fixups.count; i++) {
        struct ir_fixup *fixup = &p->global_fixups.items[i];
        const struct ir_scan_name *name = &fixup->name;
        uint32_t found;
        if (!map_get(&p->globals, name->key, name->key_size, &found)) {
            diag_error(p->scan.diags, name->at, "nothing is named '%s'", name->text);
            continue;
        }
        bool is_function = found & IR_FUNCTION_BIT;
        ir_operand target =
            ir_operand_make(is_function ? IR_OPERAND_FUNCTION : IR_OPERAND_SYMBOL,
                            found & ~(uint32_t)IR_FUNCTION_BIT);
        if (fixup->what == IR_FIX_OPERAND) {
            module->functions[fixup->owner].operands[fixup->index] = target;
        } else if (fixup->what == IR_FIX_RELOCATION) {
            struct ir_symbol *symbol = &module->symbols[fixup->owner];
            if (fixup->index < symbol->relocation_count)
                ((struct ir_relocation *)symbol->relocations)[fixup->index].target = target;
        } else if (is_function) {
            module->symbols[fixup->owner].owner = ir_operand_index(target) + 1;
        } else {
            diag_error(p->scan.diags, name->at, "the owner '%s' is not a function",
                       name->text);
        }
    }
}

static void read_statements(struct ir_parser *p)
{
    while (ir_scan_next_statement(&p->scan)) {
        if (setjmp(p->scan.recover))
            ir_scan_skip_line(&p->scan);
        else
            statement(p);
    }
    if (!p->started && !p->scan.diags->errors)
        diag_error(p->scan.diags, (struct loc){1, 1},
                   "'kir 1' expected: this is no kernel IR text");
    if (p->state != IR_IN_MODULE)
        diag_error(p->scan.diags, ir_scan_place(&p->scan), "'}' expected");
}

struct ir_module *ir_parse(struct arena *arena, const char *name, const char *text,
                           size_t size, struct diags *diags)
{
    struct ir_parser p = {.arena = arena, .scan = {.text = text, .size = size, .line = 1}};
    uint32_t errors = diags->errors;

    p.scan.diags = diags;
    p.scan.scratch = &p.scratch;
    if (size > text_limit) {
        diag_error(diags, (struct loc){0}, "the text is longer than %zu bytes", text_limit);
        return NULL;
    }
    p.module = ir_module_new(arena, name);
    p.module->source = text;
    p.module->source_size = size;
    *ARENA_PUSH(&p.scratch, &p.sites) = (struct ir_site){0};
    read_statements(&p);
    if (diags->errors == errors)
        resolve_globals(&p);
    arena_free(&p.scratch);
    return diags->errors == errors ? p.module : NULL;
}
