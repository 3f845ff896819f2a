/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/surgery/subchain.c - the part of a robot from one link outwards. */
#include <string.h>

#include "api/robots/surgery/surgery.h"

/* Marks the links from `root` to link l. False: l is not a descendant of `root`. */
static bool mark_path(const tqa_surgery *s, uint32_t root, uint32_t l, const uint32_t *carrier,
                      bool *kept)
{
    uint32_t at = l;
    for (uint32_t step = 0; at != root && step < s->n_link; step++) {
        if (carrier[at] == TQ_NONE) {
            return false;
        }
        at = s->joints[carrier[at]].parent;
    }
    for (at = l; at != root; at = s->joints[carrier[at]].parent) {
        kept[at] = true;
    }
    kept[root] = true;
    return true;
}

/* Links fixed to a marked link stay with it. */
static void mark_fixed(const tqa_surgery *s, const uint32_t *carrier, bool *kept)
{
    for (uint32_t l = 0; l < s->n_link; l++) {
        uint32_t at = l;
        for (uint32_t step = 0; step < s->n_link && !kept[at] && carrier[at] != TQ_NONE &&
                                s->joints[carrier[at]].kind == TQ_JOINT_FIXED;
             step++) {
            at = s->joints[carrier[at]].parent;
        }
        const bool stays = kept[at];
        for (uint32_t k = l; stays && k != at; k = s->joints[carrier[k]].parent) {
            kept[k] = true;
        }
    }
}

static bool mark(tqa_surgery *s, const tqa_json_at *op, uint32_t root, const uint32_t *carrier,
                 bool *kept)
{
    const tqa_json_at tips = tqa_json_field(op, "tips");
    if (tips.value == NULL) { /* all descendants */
        for (uint32_t l = 0; l < s->n_link; l++) {
            (void)mark_path(s, root, l, carrier, kept);
        }
        return true;
    }
    if (!tqa_json_is_array(&tips)) {
        return false;
    }
    for (size_t k = 0; k < json_array_size(tips.value); k++) {
        const tqa_json_at at = tqa_json_item(&tips, k);
        const uint32_t l = tqa_document_resolve(&at, &s->draft->links, "the name of a link");
        if (l == TQ_NONE) {
            return false;
        }
        if (!mark_path(s, root, l, carrier, kept)) {
            tqa_draft_fault(s->draft, "invalid-value", at.pointer,
                            "name a link that the root carries, or re-root first",
                            "\"%.80s\" is not a descendant of the part's root", s->link_names[l]);
            return false;
        }
    }
    kept[root] = true;
    mark_fixed(s, carrier, kept);
    return true;
}

/* Joints whose child is kept, and is not the new root, in their order; then the links. */
static bool cut(tqa_surgery *s, const tqa_json_at *op, uint32_t root, const bool *kept,
                uint32_t *numbers)
{
    uint32_t n = 0;
    for (uint32_t j = 0; j < s->n_joint; j++) {
        const bool stays = kept[s->joints[j].child] && s->joints[j].child != root;
        numbers[j] = stays ? n : TQ_NONE;
        n += stays;
    }
    for (uint32_t j = 0; j < s->n_joint; j++) {
        const uint32_t master = s->joints[j].mimic;
        if (numbers[j] == TQ_NONE) {
            continue;
        }
        if (master != TQ_NONE && numbers[master] == TQ_NONE) {
            tqa_draft_fault(s->draft, "invalid-value", op->pointer,
                            "keep that joint too, or lock it first",
                            "joint \"%.80s\" mimics a joint that is cut off", s->joint_names[j]);
            return false;
        }
        s->joints[j].mimic = master != TQ_NONE ? numbers[master] : TQ_NONE;
        s->joints[numbers[j]] = s->joints[j];
        s->joint_names[numbers[j]] = s->joint_names[j];
        s->drives[numbers[j]] = s->drives[j];
    }
    s->n_joint = n;
    if (!tqa_surgery_cut_tendons(s, op, numbers)) {
        return false;
    }
    n = 0;
    for (uint32_t l = 0; l < s->n_link; l++) {
        numbers[l] = n;
        if (kept[l]) {
            s->links[n] = s->links[l];
            s->link_names[n++] = s->link_names[l];
        }
    }
    s->n_link = n;
    if (!tqa_surgery_cut_paths(s, op, kept, numbers)) {
        return false;
    }
    for (uint32_t j = 0; j < s->n_joint; j++) {
        s->joints[j].parent = numbers[s->joints[j].parent];
        s->joints[j].child = numbers[s->joints[j].child];
    }
    return true;
}

bool tqa_surgery_subchain(tqa_surgery *s, const tqa_json_at *op)
{
    static const char *const known[] = {"op", "link", "tips", NULL};
    static const char *const nothing[] = {NULL};
    tqa_arena *arena = s->draft->arena;
    tqa_json_fields(op, known, nothing);
    const uint32_t root = tqa_surgery_find_link(s, op, "link");
    if (root == TQ_NONE || !tqa_surgery_is_free(s, op)) {
        return false;
    }
    uint32_t *carrier = tqa_arena_take(arena, s->n_link + 1, sizeof *carrier, 16);
    uint32_t *numbers = tqa_arena_take(arena, s->n_link + 1, sizeof *numbers, 16);
    bool *kept = tqa_arena_take(arena, s->n_link + 1, sizeof *kept, 1);
    if (carrier == NULL || numbers == NULL || kept == NULL) {
        tqa_draft_fault(s->draft, "too-large", "", "fewer operations", "they need more memory");
        return false;
    }
    memset(carrier, 0xFF, s->n_link * sizeof *carrier);
    for (uint32_t j = 0; j < s->n_joint; j++) {
        carrier[s->joints[j].child] = j;
    }
    return mark(s, op, root, carrier, kept) && cut(s, op, root, kept, numbers);
}
