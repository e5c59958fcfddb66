/* SPDX-License-Identifier: Apache-2.0
 *
 * model.c - the memory models by name, and taking parts of them away. */
#include "memmodel/model.h"

#include <string.h>

#define EVERYTHING (((uint64_t)1 << INDEX_CO_TOTAL << 1) - 1)

/* Rules that appeared after PTX ISA 6.0, or that its formal model has not. */
#define LATER (INGREDIENT(PROXIES) | INGREDIENT(PROXY_FENCES) | INGREDIENT(ALIASES))

static const struct model models[] = {
    {.name = "ptx-7.5",
     .title = "PTX memory consistency model with proxies (PTX ISA 7.5 and later)",
     .family = FAMILY_PTX_75, .ingredients = EVERYTHING, .strict_proxies = true,
     .axioms = {&axiom_coherence, &axiom_fence_sc, &axiom_atomicity,
                &axiom_single_copy, &axiom_no_thin_air, &axiom_sc_per_location,
                &axiom_causality},
     .axiom_count = 7},
    {.name = "ptx-6.0",
     .title = "PTX memory consistency model before proxies (PTX ISA 6.0)",
     .family = FAMILY_PTX_60, .ingredients = EVERYTHING & ~LATER,
     .axioms = {&axiom_coherence, &axiom_fence_sc, &axiom_atomicity,
                &axiom_single_copy, &axiom_no_thin_air, &axiom_sc_per_location,
                &axiom_causality},
     .axiom_count = 7},
    {.name = "sc",
     .title = "sequential consistency, for contrast",
     .family = FAMILY_INTERLEAVED, .ingredients = EVERYTHING & ~LATER,
     .axioms = {&axiom_atomicity, &axiom_sequential}, .axiom_count = 2},
    {.name = "tso",
     .title = "total store order (store buffers, as on x86), for contrast",
     .family = FAMILY_STORE_BUFFER, .ingredients = EVERYTHING & ~LATER,
     .axioms = {&axiom_atomicity, &axiom_sc_per_location,
                &axiom_total_store_order},
     .axiom_count = 3},
};

static const struct {
    const char *name, *without;
} ingredients[] = {
#define X(constant, name, without) {name, without},
    MODEL_INGREDIENTS(X)
#undef X
};

const struct model *model_at(uint32_t index)
{
    return index < sizeof models / sizeof *models ? &models[index] : NULL;
}

const struct model *model_find(const char *name)
{
    for (uint32_t i = 0; model_at(i); i++)
        if (!strcmp(models[i].name, name))
            return &models[i];
    return NULL;
}

bool model_remove(struct model *model, const char *what)
{
    for (uint32_t i = 0; i < model->axiom_count; i++)
        if (!strcmp(model->axioms[i]->name, what)) {
            model->disabled |= (uint32_t)1 << i;
            return true;
        }
    for (uint32_t i = 0; i < INGREDIENT_COUNT; i++)
        if (!strcmp(ingredients[i].name, what) &&
            model_has(model, (uint64_t)1 << i)) {
            model->ingredients &= ~((uint64_t)1 << i);
            return true;
        }
    return false;
}

const char *ingredient_name(uint32_t index)
{
    return ingredients[index].name;
}

const char *ingredient_loss(uint32_t index)
{
    return ingredients[index].without;
}
