/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/document/poe.c - serial arms given by screws and home poses (products of
 * exponentials). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/robots/chain.h"
#include "api/robots/document/parts.h"
#include "core/model/inertia.h"
#include "core/spatial/rotation.h"

static const char *const nothing[] = {NULL};

/* an entry of a 6x6 matrix may be off by this share of its largest one: six printed digits */
static const double ROUNDED = 1e-6;

/* What v has along w is the pitch, m/rad, of a helical joint; the screws of others have none. */
static bool read_pitch(const tqa_json_at *at, tqa_compound compound, double along, double slide,
                       tqa_chain_joint *ret)
{
    const bool has_none = fabs(along) <= 1e-9 * fmax(1.0, slide);
    if (compound == TQA_HELICAL && has_none) {
        tqa_draft_fault(at->draft, "invalid-value", at->pointer,
                        "write \"kind\": \"revolute\", or v = point x w + pitch / (2 pi) w, the "
                        "pitch in metres a turn",
                        "the screw of a helical joint has no pitch");
        return false;
    }
    if (compound != TQA_HELICAL && !has_none) {
        tqa_draft_fault(at->draft, "invalid-value", at->pointer,
                        "write \"kind\": \"helical\", or v = point x w; a screw is (v, w), linear "
                        "first, in the base frame, w the unit axis",
                        "the screw has a pitch of %g m/rad, which a joint that only turns has not",
                        along);
        return false;
    }
    ret->pitch = compound == TQA_HELICAL ? 2.0 * M_PI * along : 0.0;
    return true;
}

/* Screw (v, w) in the base frame at home: |w| = 1 and v = point x w, plus pitch / (2 pi) w of a
 * helical joint; or w = 0 and |v| = 1. */
static bool read_screw(const tqa_json_at *at, tqa_compound compound, tqa_chain_joint *ret)
{
    double s[6];
    if (!tqa_json_numbers(at, 6, s)) {
        return false;
    }
    const double *v = s;
    const double *w = s + 3;
    const double turn = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    const double slide = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    const bool slides = ret->kind == TQ_JOINT_PRISMATIC;
    const double along = v[0] * w[0] + v[1] * w[1] + v[2] * w[2];
    if (slides ? turn != 0.0 || !(fabs(slide - 1.0) <= 1e-6) : !(fabs(turn - 1.0) <= 1e-6)) {
        tqa_draft_fault(at->draft, "invalid-value", at->pointer,
                        "a screw is (v, w), linear first, in the base frame: w the unit axis and v "
                        "= point x w to turn; w = 0 and v a unit vector to slide",
                        "this is no screw of a joint that %s", slides ? "slides" : "turns");
        return false;
    }
    memcpy(ret->axis, slides ? v : w, sizeof ret->axis);
    if (slides) {
        return true;
    }
    ret->point[0] = w[1] * v[2] - w[2] * v[1];
    ret->point[1] = w[2] * v[0] - w[0] * v[2];
    ret->point[2] = w[0] * v[1] - w[1] * v[0];
    return read_pitch(at, compound, along, slide, ret);
}

/* Mass, centre of mass and tensor from [m E, -m c^; m c^, I] about the frame's origin. */
static void read_spatial(const tqa_json_at *at, tq_inertia *ret)
{
    double m[36];
    double differ = 0.0;
    double largest = 0.0;
    if (!tqa_json_is_array(at) || json_array_size(at->value) != 6) {
        if (json_is_array(at->value)) {
            tqa_draft_fault(at->draft, "wrong-length", at->pointer, "6 rows of 6 numbers",
                            "there are %zu rows, not 6", json_array_size(at->value));
        }
        return;
    }
    for (size_t i = 0; i < 6; i++) {
        const tqa_json_at row = tqa_json_item(at, i);
        if (!tqa_json_numbers(&row, 6, m + 6 * i)) {
            return;
        }
    }
    const double mass = (m[0] + m[7] + m[14]) / 3.0;
    const double h[3] = {(m[31] - m[26]) / 2.0, (m[20] - m[30]) / 2.0, (m[24] - m[19]) / 2.0};
    const double about_origin[6] = {m[21], m[22], m[23], m[28], m[29], m[35]};
    const double com[3] = {mass != 0.0 ? h[0] / mass : 0.0, mass != 0.0 ? h[1] / mass : 0.0,
                           mass != 0.0 ? h[2] / mass : 0.0};
    tq_inertia_from_origin(mass, com, about_origin, ret);
    double expected[36];
    tq_inertia_spatial(ret, expected);
    for (int k = 0; k < 36; k++) {
        differ = fmax(differ, fabs(expected[k] - m[k]));
        largest = fmax(largest, fabs(m[k]));
    }
    if (!(differ <= ROUNDED * largest)) {
        tqa_draft_fault(at->draft, "invalid-value", at->pointer,
                        "order (linear, angular): [m E, -m c^; m c^, I], I about the frame's "
                        "origin, c its centre of mass",
                        "this is the inertia of no rigid body: an entry is off by %g", differ);
    }
}

/* The inertia of a link in its own frame. */
static void read_inertia(const tqa_json_at *link, tq_inertia *ret)
{
    const tqa_json_at spatial = tqa_json_field(link, "spatial_inertia");
    if (spatial.value == NULL) {
        tqa_document_inertia(link, ret);
    } else if (json_object_get(link->value, "mass") != NULL ||
               json_object_get(link->value, "solid") != NULL) {
        tqa_draft_fault(link->draft, "invalid-value", spatial.pointer, "keep one of the two",
                        "the mass is given twice");
    } else {
        read_spatial(&spatial, ret);
    }
}

static bool read_kind(const tqa_json_at *joint, tq_joint_kind *ret, tqa_compound *ret_compound)
{
    const tqa_json_at kind = tqa_json_field(joint, "kind");
    const tqa_json_at pitch = tqa_json_field(joint, "pitch");
    if (!tqa_document_kind(&kind, ret, ret_compound)) {
        return false;
    }
    if (tq_joint_kind_nv(*ret) != 1 || *ret_compound == TQA_UNIVERSAL) {
        tqa_draft_fault(joint->draft, "invalid-value", kind.pointer,
                        "kind is one of: revolute, continuous, prismatic, helical",
                        "a screw cannot describe a joint of this kind");
        return false;
    }
    if (pitch.value != NULL) {
        tqa_draft_fault(joint->draft, "invalid-value", pitch.pointer,
                        "remove it: of (v, w) the pitch is 2 pi v.w, in metres a turn",
                        "the screw states the pitch");
        return false;
    }
    return true;
}

static bool add_joint(tqa_chain *chain, const tqa_json_at *at, const char *name, uint32_t *link,
                      tq_pose *home)
{
    static const char *const known[] = {
        "name", "kind", "screw", "pitch", "link", TQA_DOCUMENT_DRIVE, NULL};
    static const char *const known_link[] = {"name", "home", "spatial_inertia",
                                             TQA_DOCUMENT_INERTIA, NULL};
    tqa_draft *draft = chain->draft;
    tqa_json_fields(at, known, nothing);
    const tqa_json_at screw = tqa_json_field(at, "screw");
    const tqa_json_at link_at = tqa_json_field(at, "link");
    const tqa_json_at home_at = tqa_json_field(&link_at, "home");
    tqa_chain_joint joint = {.name = name,
                             .place = tqa_arena_format(draft->arena, "%s", at->pointer),
                             .kind = TQ_JOINT_REVOLUTE,
                             .parent = *link};
    tqa_compound compound = TQA_COMPOUND_NONE;
    tq_pose pose;
    if (!read_kind(at, &joint.kind, &compound)) {
        return false;
    }
    if (!read_screw(&screw, compound, &joint) ||
        !tqa_document_link(chain, &link_at, tqa_arena_format(draft->arena, "%s_link", name),
                           known_link, &joint.child)) {
        return false;
    }
    read_inertia(&link_at, &chain->links[joint.child].inertia);
    tqa_document_pose(&home_at, &pose, NULL);
    /* everything is given in the base frame at home; a joint has it in the frame of its parent */
    const tq_pose back = tq_pose_inverse(home);
    double axis[3];
    tq_mat_vec(back.r, joint.axis, axis);
    memcpy(joint.axis, axis, sizeof axis);
    tq_mat_vec(back.r, joint.point, axis);
    for (int k = 0; k < 3; k++) {
        joint.point[k] = axis[k] + back.p[k];
    }
    joint.pose = tq_pose_multiply(&back, &pose);
    (void)tqa_chain_join(chain, &joint);
    *link = joint.child;
    *home = pose;
    return true;
}

static bool add_tool(tqa_chain *chain, const tqa_json_at *poe, uint32_t link, const tq_pose *home)
{
    static const char *const known[] = {"name", "home", TQA_DOCUMENT_INERTIA, NULL};
    const tqa_json_at at = tqa_json_field(poe, "tool");
    const tqa_json_at home_at = tqa_json_field(&at, "home");
    const tq_pose back = tq_pose_inverse(home);
    tq_pose pose;
    uint32_t tool = 0;
    if (at.value == NULL) {
        return true;
    }
    if (!tqa_document_link(chain, &at, "tool", known, &tool)) {
        return false;
    }
    tqa_document_inertia(&at, &chain->links[tool].inertia);
    tqa_document_pose(&home_at, &pose, NULL);
    pose = tq_pose_multiply(&back, &pose);
    tqa_document_fixed(chain, "tool_mount", chain->link_places[tool], link, tool, &pose);
    return true;
}

bool tqa_document_poe(const tqa_json_at *poe)
{
    static const char *const known[] = {"joints", "tool", NULL};
    tqa_draft *draft = poe->draft;
    const tqa_json_at joints = tqa_json_field(poe, "joints");
    const char *const *names = NULL;
    uint32_t n = 0;
    tqa_chain chain;
    tq_pose home = tq_pose_identity;
    tqa_json_fields(poe, known, nothing);
    if (!tqa_document_names(&joints, &n, &names) || !tqa_chain_init(&chain, draft, n + 1)) {
        return false;
    }
    uint32_t link = tqa_chain_link(&chain, "world", poe->pointer);
    bool ok = true;
    for (uint32_t i = 0; i < n && ok; i++) {
        const tqa_json_at at = tqa_json_item(&joints, i);
        ok = add_joint(&chain, &at, names[i], &link, &home);
    }
    return ok && add_tool(&chain, poe, link, &home) && tqa_chain_finish(&chain) &&
           tqa_document_drives(&chain, &joints, names, n);
}
