/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/document/dh.c - serial arms given by a Denavit-Hartenberg table. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/robots/chain.h"
#include "api/robots/document/parts.h"
#include "core/spatial/rotation.h"

static const char *const nothing[] = {NULL};

/* One row: standard  Rz(theta) Tz(d) Tx(a) Rx(alpha),
 *          modified  Rx(alpha) Tx(a) Rz(theta) Tz(d), alpha and a being of the row before in
 *          Craig's numbering. The coordinate of the joint adds to theta or to d. */
typedef struct row {
    tq_joint_kind kind;
    double theta, d, a, alpha;
    double pitch; /* of a helical joint, else 0 */
} row;

static bool read_row(const tqa_json_at *at, row *ret)
{
    static const char *const known[] = {"name",  "kind",   "theta", "d",    "a",
                                        "alpha", "offset", "pitch", "link", TQA_DOCUMENT_DRIVE,
                                        NULL};
    tqa_compound compound = TQA_COMPOUND_NONE;
    double offset = 0.0;
    *ret = (row){.kind = TQ_JOINT_REVOLUTE};
    tqa_json_fields(at, known, nothing);
    const tqa_json_at kind = tqa_json_field(at, "kind");
    if (kind.value != NULL && !tqa_document_kind(&kind, &ret->kind, &compound)) {
        return false;
    }
    if ((tq_joint_kind_nv(ret->kind) != 1 && ret->kind != TQ_JOINT_FIXED) ||
        compound == TQA_UNIVERSAL) {
        tqa_draft_fault(at->draft, "invalid-value", kind.pointer,
                        "kind is one of: revolute, continuous, prismatic, helical, fixed",
                        "a row of the table cannot describe a joint of this kind");
        return false;
    }
    ret->pitch = tqa_document_pitch(at, compound);
    tqa_json_optional(at, "theta", &ret->theta);
    tqa_json_optional(at, "d", &ret->d);
    tqa_json_optional(at, "a", &ret->a);
    tqa_json_optional(at, "alpha", &ret->alpha);
    tqa_json_optional(at, "offset", &offset);
    *(ret->kind == TQ_JOINT_PRISMATIC ? &ret->d : &ret->theta) += offset;
    return true;
}

/* The frame of the row in the frame before at rest, and the axis there. */
static void place_row(const row *from, bool modified, tqa_chain_joint *ret)
{
    static const double x[3] = {1.0, 0.0, 0.0};
    static const double z[3] = {0.0, 0.0, 1.0};
    tq_pose twist = {.p = {from->a, 0.0, 0.0}};
    tq_pose turn = {.p = {0.0, 0.0, from->d}};
    tq_rotation_about(x, from->alpha, twist.r);
    tq_rotation_about(z, from->theta, turn.r);
    ret->kind = from->kind;
    ret->pitch = from->pitch;
    memcpy(ret->axis, z, sizeof z);
    if (modified) {
        ret->pose = tq_pose_multiply(&twist, &turn);
        tq_mat_vec(twist.r, z, ret->axis);
        memcpy(ret->point, ret->pose.p, sizeof ret->point); /* the frame lies on its own axis */
    } else {
        ret->pose = tq_pose_multiply(&turn, &twist);
    }
}

static bool read_convention(const tqa_json_at *dh, bool *ret_modified)
{
    const tqa_json_at at = tqa_json_field(dh, "convention");
    const char *word = json_string_value(at.value);
    *ret_modified = word != NULL && strcmp(word, "modified") == 0;
    if (*ret_modified || (word != NULL && strcmp(word, "standard") == 0)) {
        return true;
    }
    tqa_draft_fault(dh->draft, at.value == NULL ? "missing-field" : "invalid-value", at.pointer,
                    "\"convention\" is \"standard\": Rz(theta) Tz(d) Tx(a) Rx(alpha), or "
                    "\"modified\" (Craig): Rx(alpha) Tx(a) Rz(theta) Tz(d)",
                    "it must be said which convention the table follows");
    return false;
}

bool tqa_document_link(tqa_chain *chain, const tqa_json_at *link, const char *name,
                       const char *const *known, uint32_t *ret)
{
    tqa_draft *draft = chain->draft;
    if (link->value != NULL) {
        if (!tqa_json_is_object(link)) {
            return false;
        }
        tqa_json_fields(link, known, nothing);
        const tqa_json_at name_at = tqa_json_field(link, "name");
        if (name_at.value != NULL && !tqa_json_name(&name_at, &name)) {
            return false;
        }
    }
    *ret = tqa_chain_link(chain, name, tqa_arena_format(draft->arena, "%s", link->pointer));
    return true;
}

void tqa_document_fixed(tqa_chain *chain, const char *name, const char *place, uint32_t parent,
                        uint32_t child, const tq_pose *pose)
{
    const tqa_chain_joint weld = {.name = name,
                                  .place = place,
                                  .kind = TQ_JOINT_FIXED,
                                  .parent = parent,
                                  .child = child,
                                  .pose = *pose};
    (void)tqa_chain_join(chain, &weld);
}

/* "base" and "tool": a frame before the first row, and one after the last. */
static bool add_end(tqa_chain *chain, const tqa_json_at *dh, const char *which, uint32_t *link)
{
    static const char *const known[] = {"name", "pose", TQA_DOCUMENT_INERTIA, NULL};
    const tqa_json_at at = tqa_json_field(dh, which);
    const tqa_json_at pose_at = tqa_json_field(&at, "pose");
    tq_pose pose;
    uint32_t end = 0;
    if (at.value == NULL) {
        return true;
    }
    if (!tqa_document_link(chain, &at, which, known, &end)) {
        return false;
    }
    tqa_document_inertia(&at, &chain->links[end].inertia);
    tqa_document_pose(&pose_at, &pose, NULL);
    const char *name = tqa_arena_format(chain->draft->arena, "%s_mount", which);
    tqa_document_fixed(chain, name, chain->link_places[end], *link, end, &pose);
    *link = end;
    return true;
}

static bool add_row(tqa_chain *chain, const tqa_json_at *at, bool modified, const char *name,
                    uint32_t *link)
{
    static const char *const known[] = {"name", TQA_DOCUMENT_INERTIA, NULL};
    tqa_draft *draft = chain->draft;
    const tqa_json_at link_at = tqa_json_field(at, "link");
    row from;
    uint32_t child = 0;
    if (!read_row(at, &from) ||
        !tqa_document_link(chain, &link_at, tqa_arena_format(draft->arena, "%s_link", name), known,
                           &child)) {
        return false;
    }
    tqa_document_inertia(&link_at, &chain->links[child].inertia);
    tqa_chain_joint joint = {.name = name,
                             .place = tqa_arena_format(draft->arena, "%s", at->pointer),
                             .parent = *link,
                             .child = child};
    place_row(&from, modified, &joint);
    (void)tqa_chain_join(chain, &joint);
    *link = child;
    return true;
}

bool tqa_document_drives(tqa_chain *chain, const tqa_json_at *joints, const char *const *names,
                         uint32_t n)
{
    tqa_draft *draft = joints->draft;
    for (uint32_t i = 0; i < n; i++) {
        const tqa_json_at at = tqa_json_item(joints, i);
        const uint32_t k = tqa_names_find(&draft->joints, names[i], strlen(names[i]));
        tqa_document_drive(&at, &draft->model.joints[k]);
    }
    tqa_chain_settle(chain);
    return draft->problem->status == 0;
}

/* Rows without a name are j1, j2 and so on by their places, which the answer lists. */
static void name_rows(const tqa_json_at *joints)
{
    tqa_draft *draft = joints->draft;
    uint32_t n = 0;
    for (size_t i = 0; i < json_array_size(joints->value); i++) {
        json_t *item = json_array_get(joints->value, i);
        char name[24];
        (void)snprintf(name, sizeof name, "j%zu", i + 1);
        if (json_is_object(item) && json_object_get(item, "name") == NULL) {
            n += json_object_set_new(item, "name", json_string(name)) == 0;
        }
    }
    if (n > 0) {
        tqa_draft_find(draft, TQA_FINDING_UNDERSTOOD,
                       tqa_arena_format(draft->arena, "%s", joints->pointer),
                       "rows without a name: \"j\" and their place, from 1", n);
    }
}

bool tqa_document_dh(const tqa_json_at *dh)
{
    static const char *const known[] = {"convention", "joints", "base", "tool", NULL};
    tqa_draft *draft = dh->draft;
    const tqa_json_at joints = tqa_json_field(dh, "joints");
    const tqa_json_at first = tqa_json_item(&joints, 0);
    const char *const *names = NULL;
    uint32_t n = 0;
    bool modified = false;
    tqa_chain chain;
    tqa_json_fields(dh, known, nothing);
    bool ok = read_convention(dh, &modified);
    name_rows(&joints);
    if (json_is_array(first.value)) {
        tqa_draft_fault(draft, "wrong-type", first.pointer,
                        "write {\"name\": \"j1\", \"theta\": 0, \"d\": 0.3, \"a\": 0, \"alpha\": "
                        "1.5708}: which number is which depends on the author",
                        "a row of the table is an object, not an array");
        return false;
    }
    ok = tqa_document_names(&joints, &n, &names) && ok;
    if (!ok || !tqa_chain_init(&chain, draft, n + 2)) {
        return false;
    }
    uint32_t link = tqa_chain_link(&chain, "world", dh->pointer);
    ok = add_end(&chain, dh, "base", &link);
    for (uint32_t i = 0; i < n && ok; i++) {
        const tqa_json_at at = tqa_json_item(&joints, i);
        ok = add_row(&chain, &at, modified, names[i], &link);
    }
    return ok && add_end(&chain, dh, "tool", &link) && tqa_chain_finish(&chain) &&
           tqa_document_drives(&chain, &joints, names, n);
}
