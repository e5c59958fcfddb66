/* SPDX-License-Identifier: Apache-2.0
 *
 * init_report.c - origins of undefined bits, and what is said about their use. */
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "check/init.h"
#include "check/place.h"

/* --- names ------------------------------------------------------------------------------ */

/* A register that is read before it is written has its slot to itself. */
static const char *register_name(const struct program *program, uint32_t operand)
{
    const struct ir_function *function = program->function;

    for (uint32_t i = 0; i < program->count; i++) {
        const struct code *code = &program->code[i];
        const uint32_t lane_operands[] = {code->o.a, code->o.b, code->o.c, code->o.e};
        const ir_operand *sources = ir_sources(function, code->ir);
        if (code->guard == operand)
            return function->registers[ir_operand_index(code->ir->guard)].name;
        for (unsigned s = 0; s < code->sources; s++) {
            uint32_t at = code->operands ? code->operands[code->destinations + s]
                          : s < 4        ? lane_operands[s]
                                         : OPERAND_ABSENT;
            if (at == operand && ir_operand_kind(sources[s]) == IR_OPERAND_REGISTER)
                return function->registers[ir_operand_index(sources[s])].name;
        }
    }
    return NULL;
}

static const char *phrase_of_register(struct init *init, const struct program *program,
                                      uint32_t operand)
{
    const char *name = register_name(program, operand);

    return name ? arena_printf(&init->arena, "register %%%s, which was never written", name)
                : "a register that was never written";
}

/* --- origins ----------------------------------------------------------------------------- */

origin_id origin_of(struct init *init, const struct warp *warp, const struct code *code,
                    const struct ir_function *function, unsigned lane, enum origin_kind kind,
                    const void *what, const char *phrase)
{
    origin_id plain = kind == ORIGIN_GLOBAL ? ORIGIN_PLAIN : 0;

    for (uint32_t i = init->origins.count; i-- > 0;) {
        const struct origin *origin = &init->origins.items[i];
        if (origin->code == code && origin->kind == kind && origin->what == what)
            return (i + 1) * 2 | plain;
    }
    struct origin *origin = ARENA_PUSH(&init->arena, &init->origins);
    *origin = (struct origin){.kind = kind, .what = what, .code = code,
                              .phrase = arena_strdup(&init->arena, phrase)};
    if (code) {
        origin->place = place_of(warp, function, code, lane);
        origin->place.access = kind == ORIGIN_LANE || kind == ORIGIN_ACCUMULATOR ? FINDING_NO_ACCESS : FINDING_READ;
    }
    return init->origins.count * 2 | plain;
}

/* --- values ---------------------------------------------------------------------------------- */

/* A hash of what the instruction's sources hold in the lane, and of its guard. */
static uint64_t values_of(const struct shadow_frame *frame, const struct code *code,
                          unsigned lane)
{
    const struct ir_function *function = frame->program->function;
    const uint32_t lane_operands[] = {code->o.a, code->o.b, code->o.c, code->o.e};
    const ir_operand *sources = ir_sources(function, code->ir);
    const unsigned char *registers = frame->frame->registers;
    uint64_t hash = code->inst;

    for (unsigned s = 0; s <= code->sources; s++) {
        bool guard = s == code->sources;
        ir_operand source = guard ? code->ir->guard : sources[s];
        uint32_t at = guard            ? code->guard
                      : code->operands ? code->operands[code->destinations + s]
                      : s < 4          ? lane_operands[s]
                                       : OPERAND_ABSENT;
        uint64_t value[2] = {0};
        if (at == OPERAND_ABSENT || at & OPERAND_CONSTANT ||
            ir_operand_kind(source) != IR_OPERAND_REGISTER)
            continue;
        enum ir_type width = function->registers[ir_operand_index(source)].width;
        if (width == IR_pred) {
            memcpy(value, registers + at, sizeof *value);
            value[0] = value[0] >> lane & 1;
        } else {
            unsigned size = ir_types[width].lane;
            memcpy(value, registers + at + (size_t)size * lane, size);
        }
        hash = random_at(hash ^ value[0], s) ^ value[1];
    }
    return random_at(hash, lane);
}

/* --- reports ------------------------------------------------------------------------------- */

void report_use(struct init *init, const struct warp *warp, const struct shadow_frame *frame,
                const struct code *code, unsigned lane, const char *kind, const char *use,
                origin_id id, enum finding_access access)
{
    const struct ir_function *function = frame->program->function;
    struct findings *findings = init->state->findings;
    /* What is only stored has decided nothing yet. */
    struct finding finding = {.severity = strcmp(kind, "uninitialised-store")
                                              ? FINDING_ERROR : FINDING_WARNING};
    struct origin *origin = id > 1 ? origin_at(init, id) : NULL;
    struct finding_place here = place_of(warp, function, code, lane);

    here.access = access;
    if (origin && origin->kind == ORIGIN_LANE) {
        if (!init->report_sync)
            return;
        finding.category = FINDING_SYNC;
        finding.severity = FINDING_ERROR;
        finding.kind = "inactive-source";
        finding.where[finding.where_count++] = origin->place;
        if (origin->code != code)
            finding.where[finding.where_count++] = here;
        findings_add(findings, &finding, "%s: the value is undefined, and it decides %s",
                     origin->phrase, use);
        return;
    }
    if (origin && origin->kind == ORIGIN_ACCUMULATOR) {
        if (!init->report_sync)
            return;
        finding.category = FINDING_SYNC;
        finding.kind = "unwaited-wgmma";
        finding.where[finding.where_count++] = here;
        finding.where[finding.where_count++] = origin->place;
        findings_add(findings, &finding,
                     "the results of a wgmma decide %s, and they have been used before "
                     "wgmma.wait_group waited for its group", use);
        return;
    }
    if (!init->report_init)
        return;
    if (origin && origin->kind == ORIGIN_REGISTER && !origin->phrase[0])
        origin->phrase = phrase_of_register(init, frame->program,
                                            (uint32_t)(uintptr_t)origin->what);
    finding.category = FINDING_INIT;
    finding.kind = kind;
    finding.where[finding.where_count++] = here;
    if (origin && origin->code && origin->code != code)
        finding.where[finding.where_count++] = origin->place;
    struct finding *added =
        findings_add(findings, &finding, "uninitialised bits decide %s: they come from %s", use,
                     origin ? origin->phrase : "memory that was never written");
    if (added)
        added->digest = random_at(added->digest ^ values_of(frame, code, lane), 0);
}
