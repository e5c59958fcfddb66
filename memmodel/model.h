/* SPDX-License-Identifier: Apache-2.0
 *
 * model.h - a memory model as a list of axioms and a set of ingredients.
 *
 * All models share the relations of relations.h. What makes one of them is
 * which axioms it demands and which rules build its relations; each rule has
 * a name, so that it can be taken away to see what it is for. */
#ifndef SIMTLAB_MEMMODEL_MODEL_H
#define SIMTLAB_MEMMODEL_MODEL_H

#include <stdbool.h>
#include <stdint.h>

struct candidate;
struct execution;
struct cycle;

/* X(CONSTANT, "name", "what is gone without it") */
#define MODEL_INGREDIENTS(X)                                                   \
    X(PROGRAM_ORDER, "program-order",                                          \
      "program order is no part of base causality")                           \
    X(PATTERN_SYNC, "release-acquire",                                         \
      "release and acquire patterns do not synchronize")                      \
    X(LATER_WRITE, "release-later-write",                                      \
      "a release on a location does not extend to a later strong write there") \
    X(EARLIER_READ, "acquire-earlier-read",                                    \
      "an acquire on a location does not extend to an earlier strong read")   \
    X(FENCE_PATTERN, "fence-pattern",                                          \
      "fences form no release and acquire patterns")                          \
    X(RMW_CHAIN, "rmw-chain",                                                  \
      "observation does not pass through read-modify-writes")                 \
    X(OBSERVATION_PREFIX, "observation-prefix",                                \
      "an observed strong write is not ordered before what follows the read") \
    X(MORAL_STRENGTH, "moral-strength",                                        \
      "any two accesses count as morally strong")                             \
    X(SCOPES, "scopes", "every scope counts as sys")                           \
    X(SIZES, "sizes", "accesses that overlap in part can be morally strong")  \
    X(SC_SYNC, "sc-synchronizes", "the order of SC fences does not synchronize") \
    X(SC_ACQ_REL, "sc-fence-is-acq-rel",                                       \
      "an SC fence is not also an acquire-release fence")                     \
    X(RED_NO_ACQUIRE, "red-never-acquires",                                    \
      "the read of a red can start an acquire pattern")                       \
    X(FAILED_CAS, "failed-cas-only-reads",                                     \
      "a failed compare-and-swap writes the old value back")                  \
    X(BARRIERS, "barriers", "barriers of a block do not synchronize")          \
    X(ARRIVE, "arrive-is-a-source", "bar.arrive also waits like bar.sync")     \
    X(WARP_BARRIERS, "warp-barriers", "bar.warp.sync does not synchronize")    \
    X(CLUSTER_BARRIERS, "cluster-barriers",                                    \
      "barrier.cluster does not synchronize")                                 \
    X(PROXIES, "proxies", "all proxies count as the generic one")              \
    X(PROXY_FENCES, "proxy-fences", "proxy fences do nothing")                 \
    X(ALIASES, "aliases", "aliases count as the same virtual address")         \
    X(COPY_ISSUE, "copy-is-asynchronous",                                      \
      "an asynchronous copy is performed where it is issued")                 \
    X(COPY_COMPLETION, "copy-completion",                                      \
      "waiting for an asynchronous copy does not order it")                   \
    X(COPY_ONLY_OWN, "completion-publishes-own-data",                          \
      "completion of a copy also publishes what its issuer did before")       \
    X(DEPENDENCIES, "dependencies", "no instruction depends on a read")        \
    X(VECTORS, "vectors", "elements of a vector access are in order")          \
    X(CO_TOTAL, "coherence-of-strong-writes",                                  \
      "morally strong writes need not be ordered")

enum ingredient_index {
#define X(constant, name, without) INDEX_##constant,
    MODEL_INGREDIENTS(X)
#undef X
    INGREDIENT_COUNT
};

#define INGREDIENT(constant) ((uint64_t)1 << INDEX_##constant)

/* How the relations are put together at the top. */
enum model_family {
    FAMILY_PTX_75, /* causality order with proxies, PTX ISA 7.5 and later */
    FAMILY_PTX_60, /* the first formal model, PTX ISA 6.0, no proxies */
    FAMILY_INTERLEAVED, /* sequential consistency */
    FAMILY_STORE_BUFFER /* total store order */
};

/* One axiom: true when the execution obeys it. When it does not and cycle is
 * not NULL, the offending cycle is stored there. */
struct axiom {
    const char *name;      /* as in reports and for --without */
    const char *statement; /* one line, in words */
    bool (*holds)(const struct candidate *candidate,
                  const struct execution *execution, struct cycle *cycle);
};

enum { MAX_AXIOMS = 8 };

struct model {
    const char *name;
    const char *title;
    enum model_family family;
    uint64_t ingredients;
    const struct axiom *axioms[MAX_AXIOMS];
    uint32_t axiom_count;
    uint32_t disabled; /* bit per axiom that was taken away */
    /* Strict: a proxy fence acts on accesses of its own block only. */
    bool strict_proxies;
};

static inline bool model_has(const struct model *model, uint64_t ingredient)
{
    return (model->ingredients & ingredient) != 0;
}

/* NULL when there is no such model. */
const struct model *model_find(const char *name);
const struct model *model_at(uint32_t index); /* NULL past the last */
/* Takes one axiom or ingredient away. False when the model has no such one. */
bool model_remove(struct model *model, const char *what);

extern const struct axiom axiom_coherence, axiom_fence_sc, axiom_atomicity,
    axiom_single_copy, axiom_no_thin_air, axiom_sc_per_location,
    axiom_causality, axiom_sequential, axiom_total_store_order;

const char *ingredient_name(uint32_t index);
const char *ingredient_loss(uint32_t index);

#endif
