/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/sdf/carrier.c - which joint carries a link, where several could: screws and universal
 * joints before others, which can close a loop. */
#include "api/robots/sdf/joint.h"
#include "api/robots/sdf/parts.h"

/* What a joint hangs from and what hangs from it, as the file has it. */
static void find_ends(tqa_sdf *s, uint32_t k)
{
    const tqa_sdf_thing *joint = &s->things[k];
    const char *const roles[2] = {"parent", "child"};
    uint32_t *const ends[2] = {&s->above[k], &s->below[k]};
    for (int e = 0; e < 2 && joint->kind == TQA_SDF_JOINT; e++) {
        const char *name = tqa_sdf_text(s, joint->node, roles[e]);
        const uint32_t thing = name != NULL ? tqa_sdf_find(s, joint->scope, name) : TQ_NONE;
        *ends[e] = thing != TQ_NONE ? tqa_sdf_body(s, thing) : TQ_NONE;
    }
}

/* The type of a joint that could carry a link; of others TQA_SDF_GEARBOX, which carries none. */
static tqa_sdf_joint_type type_of(const tqa_sdf *s, uint32_t k)
{
    return s->below[k] != TQ_NONE ? tqa_sdf_joint_type_of(s, s->things[k].node) : TQA_SDF_GEARBOX;
}

/* From link `from` upwards by s->carrier as it is so far: `link` where that is met, TQ_NONE at the
 * end, another where it goes round. */
static uint32_t climb(const tqa_sdf *s, uint32_t from, uint32_t link)
{
    uint32_t at = from;
    for (uint32_t k = 0; k < s->n_thing && at != TQ_NONE && at != link; k++) {
        at = s->carrier[at] != TQ_NONE ? s->above[s->carrier[at]] : TQ_NONE;
    }
    return at;
}

static void clear(const tqa_sdf *s, uint32_t *list)
{
    for (uint32_t k = 0; k < s->n_thing; k++) {
        list[k] = TQ_NONE;
    }
}

/* The first joint to each link, or the first of those that constraints can be. */
static void find_first(const tqa_sdf *s, bool all)
{
    clear(s, s->carrier);
    for (uint32_t k = 0; k < s->n_thing; k++) {
        const tqa_sdf_joint_type type = type_of(s, k);
        const bool counts = type != TQA_SDF_GEARBOX && (all || !tqa_sdf_is_compound(type));
        if (counts && s->carrier[s->below[k]] == TQ_NONE) {
            s->carrier[s->below[k]] = k;
        }
    }
}

/* A screw or universal joint whose parent hangs from its child by others carries the parent. */
static void turn(tqa_sdf *s)
{
    for (uint32_t k = 0; k < s->n_thing; k++) {
        const uint32_t above = s->above[k], below = s->below[k];
        if (above != TQ_NONE && above != below && tqa_sdf_is_compound(type_of(s, k)) &&
            climb(s, above, below) == below) {
            s->turned[k] = true;
            s->above[k] = below;
            s->below[k] = above;
        }
    }
}

bool tqa_sdf_carriers(tqa_sdf *s)
{
    const size_t n = (size_t)s->n_thing + 1;
    uint32_t *all = tqa_arena_take(s->draft->arena, 4 * n, sizeof *all, 16);
    s->turned = tqa_arena_take(s->draft->arena, n, sizeof *s->turned, 1);
    if (all == NULL || s->turned == NULL) {
        return false;
    }
    s->above = all;
    s->below = all + n;
    s->carrier = all + 2 * n;
    s->compound = all + 3 * n;
    clear(s, s->above), clear(s, s->below), clear(s, s->compound);
    for (uint32_t k = 0; k < s->n_thing; k++) {
        s->turned[k] = false;
        find_ends(s, k);
    }
    find_first(s, false);
    turn(s);
    find_first(s, true);
    for (uint32_t k = 0; k < s->n_thing; k++) {
        if (tqa_sdf_is_compound(type_of(s, k)) && s->compound[s->below[k]] == TQ_NONE) {
            s->compound[s->below[k]] = k;
        }
    }
    return true;
}

bool tqa_sdf_gives_way(const tqa_sdf *s, uint32_t child)
{
    const uint32_t other = s->compound[child];
    return other != TQ_NONE && climb(s, s->above[other], child) == TQ_NONE;
}
