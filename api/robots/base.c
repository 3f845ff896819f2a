/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/base.c - the joint of a robot's root, where a request overrides its file. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/robots/draft.h"
#include "api/robots/zip/zip.h"

enum { LINE_MAX = 256 };

bool tqa_robot_annotate(char **bytes, size_t *n, const char *key, const char *value,
                        tqa_problem *reterr)
{
    char line[LINE_MAX];
    const bool zip = tqa_zip_recognise(*bytes, *n);
    const bool base = strcmp(key, "base") == 0;
    const bool xml = *n > 0 && memchr(*bytes, '<', *n < 64 ? *n : 64) != NULL &&
                     memchr(*bytes, '\0', *n < 64 ? *n : 64) == NULL;
    const bool good = strpbrk(value, "\r\n\"?<>") == NULL &&
                      (!base || strcmp(value, "fixed") == 0 || strcmp(value, "floating") == 0 ||
                       strcmp(value, "planar") == 0);
    if (!good || !(zip || (base && xml))) {
        tqa_problem_set(reterr, "invalid-value",
                        good ? "%s=%.100s: the body is no %s" : "%s=%.100s: write %s", key, value,
                        !base  ? "zip archive"
                        : good ? "URDF, SDF or archive (a robot document says itself what holds it)"
                               : "fixed, floating or planar");
        return false;
    }
    (void)snprintf(line, sizeof line, zip ? "%s=%s\n" : "\n<?torqued %s=\"%s\"?>\n", key, value);
    if (zip) {
        if (!tqa_zip_annotate(bytes, n, line)) {
            tqa_problem_set(reterr, "invalid-value", "the archive takes no comment, or has no end");
            return false;
        }
        return true;
    }
    char *moved = realloc(*bytes, *n + strlen(line));
    if (moved == NULL) {
        tqa_problem_set(reterr, "busy", "memory is short");
        return false;
    }
    memcpy(moved + *n, line, strlen(line));
    *bytes = moved;
    *n += strlen(line);
    return true;
}

const char *tqa_base_note(tqa_draft *draft, const char *bytes, size_t n)
{
    static const char key[] = "<?torqued base=\"";
    char tail[LINE_MAX + 1];
    if (draft->archive != NULL) {
        return tqa_zip_note(draft->archive, "base");
    }
    const size_t kept = n < LINE_MAX ? n : LINE_MAX;
    memcpy(tail, bytes + n - kept, kept);
    tail[kept] = '\0';
    const char *at = strlen(tail) == kept ? strstr(tail, key) : NULL;
    if (at == NULL) {
        return NULL;
    }
    at += sizeof key - 1;
    return tqa_arena_text(draft->arena, at, strcspn(at, "\"?\n"));
}

/* The only link that no joint carries, TQ_NONE when there are none or several. */
static uint32_t find_root(const tq_model *model, bool *carried)
{
    uint32_t root = TQ_NONE;
    for (uint32_t i = 0; i < model->n_joint; i++) {
        carried[model->joints[i].child] = true;
    }
    for (uint32_t l = 0; l < model->n_link; l++) {
        if (!carried[l]) {
            if (root != TQ_NONE) {
                return TQ_NONE;
            }
            root = l;
        }
    }
    return root;
}

/* Rows one more, the old ones from `first` on. NULL: memory is short. */
static void *extend(tqa_draft *draft, const void *rows, size_t n, size_t each, size_t first)
{
    char *more = tqa_arena_take(draft->arena, n + 1, each, 16);
    if (more != NULL && rows != NULL && n > 0) {
        memcpy(more + first * each, rows, n * each);
    }
    return more;
}

/* `name`, or `other` when a row has it. */
static const char *free_name(const char *const *rows, size_t n, const char *name, const char *other)
{
    for (size_t k = 0; k < n; k++) {
        if (strcmp(rows[k], name) == 0) {
            return other;
        }
    }
    return name;
}

/* Room for a link after the others, and a joint before them. */
static bool make_room(tqa_draft *draft)
{
    tq_model *model = &draft->model;
    const size_t n_link = model->n_link, n_joint = model->n_joint;
    const char **links = extend(draft, draft->link_names, n_link, sizeof *links, 0);
    const char **joints = extend(draft, draft->joint_names, n_joint, sizeof *joints, 1);
    model->links = extend(draft, model->links, n_link, sizeof *model->links, 0);
    model->joints = extend(draft, model->joints, n_joint, sizeof *model->joints, 1);
    model->order = tqa_arena_take(draft->arena, n_joint + 1, sizeof *model->order, 16);
    if (draft->actuated != NULL) { /* what holds the robot has no motor */
        draft->actuated = extend(draft, draft->actuated, n_joint, sizeof *draft->actuated, 1);
    }
    if (draft->joint_rpy != NULL) {
        draft->joint_rpy = extend(draft, draft->joint_rpy, n_joint, 3 * sizeof(double), 1);
    }
    if (draft->link_places != NULL) {
        const char **places = extend(draft, draft->link_places, n_link, sizeof *places, 0);
        draft->link_places = places;
        if (places != NULL) {
            places[n_link] = "";
        }
    }
    if (draft->joint_places != NULL) {
        const char **places = extend(draft, draft->joint_places, n_joint, sizeof *places, 1);
        draft->joint_places = places;
        if (places != NULL) {
            places[0] = "";
        }
    }
    if (tqa_draft_is_spent(draft)) {
        return false;
    }
    joints[0] = free_name(joints + 1, n_joint, "world_joint", "universe_joint");
    links[n_link] = free_name(links, n_link, "world", "universe");
    draft->link_names = links;
    draft->joint_names = joints;
    return true;
}

bool tqa_draft_hold(tqa_draft *draft)
{
    tq_model *model = &draft->model;
    const double none = (double)INFINITY;
    if (draft->base == NULL || strcmp(draft->base, "fixed") == 0) {
        return true;
    }
    bool *carried = tqa_arena_take(draft->arena, model->n_link + 1, sizeof *carried, 1);
    const uint32_t root = carried != NULL ? find_root(model, carried) : TQ_NONE;
    if (root == TQ_NONE) {
        return true; /* no tree: the check says why */
    }
    const uint32_t world = model->n_link;
    if (world + 1 >= TQ_LINK_MAX || !make_room(draft)) {
        return false;
    }
    for (uint32_t i = 1; i <= model->n_joint; i++) {
        tq_joint *joint = &model->joints[i];
        joint->mimic += joint->mimic != TQ_NONE;
    }
    const bool planar = strcmp(draft->base, "planar") == 0;
    model->joints[0] = (tq_joint){
        .kind = planar ? TQ_JOINT_PLANAR : TQ_JOINT_FLOATING,
        .parent = world,
        .child = root,
        .origin = tq_pose_identity,
        .axis = {planar ? 0.0 : 1.0, 0.0, planar ? 1.0 : 0.0},
        .limits = {.lower = -none, .upper = none, .velocity = none, .effort = none},
        .rotor.ratio = 1.0,
        .mimic = TQ_NONE,
        .mimic_multiplier = 1.0,
    };
    model->n_link++;
    model->n_joint++;
    return tqa_draft_index(draft);
}
