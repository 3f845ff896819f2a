/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/draft_tendon.c - tendons of a robot while it is read. */
#include <string.h>

#include "api/robots/draft.h"

/* Copies of n rows behind `*n_all` others. False: memory is short. */
static bool append(tqa_arena *arena, void **all, uint32_t *n_all, size_t *room, const void *rows,
                   uint32_t n, size_t each)
{
    for (uint32_t k = 0; k < n; k++) {
        char *grown = tqa_arena_grow(arena, *all, *n_all, room, each);
        if (grown == NULL) {
            return false;
        }
        *all = grown;
        memcpy(grown + *n_all * each, (const char *)rows + k * each, each);
        ++*n_all;
    }
    return true;
}

static bool append_parts(tqa_draft *draft, const tqa_tendon_parts *parts)
{
    tq_model *model = &draft->model;
    void *shares = model->shares, *points = model->points;
    if (parts->n_share > TQ_TENDON_SHARE_MAX - model->n_share ||
        parts->n_point > TQ_TENDON_POINT_MAX - model->n_point) {
        return false;
    }
    const bool fits = append(draft->arena, &shares, &model->n_share, &draft->share_room,
                             parts->shares, parts->n_share, sizeof *model->shares) &&
                      append(draft->arena, &points, &model->n_point, &draft->point_room,
                             parts->points, parts->n_point, sizeof *model->points);
    model->shares = shares;
    model->points = points;
    return fits;
}

bool tqa_draft_tendon(tqa_draft *draft, const char *name, const tq_tendon *tendon,
                      const tqa_tendon_parts *parts)
{
    tq_model *model = &draft->model;
    tqa_arena *arena = draft->arena;
    tq_tendon *tendons = tqa_arena_grow(arena, model->tendons, model->n_tendon, &draft->tendon_room,
                                        sizeof *tendons);
    const char **names = tqa_arena_grow(arena, draft->tendon_names, model->n_tendon,
                                        &draft->tendon_name_room, sizeof *names);
    model->tendons = tendons != NULL ? tendons : model->tendons;
    draft->tendon_names = names != NULL ? names : draft->tendon_names;
    const char *label =
        name != NULL ? name : tqa_arena_format(arena, "tendon%u", model->n_tendon + 1);
    for (uint32_t t = 0; label != NULL && t < model->n_tendon; t++) {
        if (strcmp(draft->tendon_names[t], label) == 0) {
            tqa_draft_fault(draft, "invalid-robot", "", "give each tendon its own name",
                            "two tendons have the name \"%.80s\"", label);
            return false;
        }
    }
    tq_tendon made = *tendon;
    made.first = model->n_share;
    made.n_share = parts->n_share;
    made.first_point = model->n_point;
    made.n_point = parts->n_point;
    if (model->n_tendon >= TQ_TENDON_MAX || tendons == NULL || names == NULL || label == NULL ||
        !append_parts(draft, parts)) {
        tqa_draft_fault(draft, "too-large", "",
                        "1024 tendons, of 16384 joints and 4096 points together",
                        "there are too many tendons");
        return false;
    }
    tendons[model->n_tendon] = made;
    names[model->n_tendon++] = label;
    return true;
}
