/* SPDX-License-Identifier: Apache-2.0
 *
 * team.h - the registers of all lanes of a warp that execute together, though
 * they may have come there by different ways. */
#ifndef SIMTLAB_EMU_TEAM_H
#define SIMTLAB_EMU_TEAM_H

#include <string.h>

#include "emu/state.h"

struct team {
    struct warp *warp;
    const struct code *code;
    uint32_t lanes;
    bool together; /* all have the same frame: base[0] is that of every lane */
    unsigned char *base[LANES][2];
};

static inline uint64_t team_read(const struct team *team, uint32_t operand, unsigned bytes,
                                 unsigned lane)
{
    uint64_t value = 0;

    memcpy(&value,
           (unsigned char *)operand_at(team->base[lane], operand) + (size_t)lane * bytes, bytes);
    return value;
}

static inline void team_write(const struct team *team, uint32_t operand, unsigned bytes,
                              unsigned lane, uint64_t value)
{
    if (operand != OPERAND_ABSENT)
        memcpy((unsigned char *)operand_at(team->base[lane], operand) + (size_t)lane * bytes,
               &value, bytes);
}

/* All lanes' words of a register; lanes that are not there have zero. */
static inline void team_row(const struct team *team, uint32_t operand, uint32_t words[LANES])
{
    if (team->together && team->lanes == LANES_ALL) {
        memcpy(words, operand_at(team->base[0], operand), 4 * LANES);
        return;
    }
    for (unsigned lane = 0; lane < LANES; lane++)
        words[lane] = team->lanes >> lane & 1 ? (uint32_t)team_read(team, operand, 4, lane) : 0;
}

static inline void team_write_row(const struct team *team, uint32_t operand,
                                  const uint32_t words[LANES])
{
    if (operand == OPERAND_ABSENT)
        return;
    if (team->together && team->lanes == LANES_ALL) {
        memcpy(operand_at(team->base[0], operand), words, 4 * LANES);
        return;
    }
    FOR_LANES(lane, team->lanes)
    team_write(team, operand, 4, lane, words[lane]);
}

/* emu/mma.c */
void mma_execute(const struct team *team);
/* emu/wgmma.c; faults are the fragment's. */
void wgmma_execute(const struct team *team, struct fragment *fragment);

#endif
