/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/mjcf/guard.c - elements that act in MuJoCo and are not read: refused by name, unless
   their value, inherited from default classes or not, has no effect. */
#include <math.h>
#include <string.h>

#include "api/robots/mjcf/parts.h"

static bool is(const tqa_mjcf *m, uint32_t i, const char *name)
{
    return strcmp(m->nodes[i].name, name) == 0;
}

void tqa_mjcf_refuse(tqa_mjcf *m, uint32_t i, const char *key, const char *what)
{
    const char *value = tqa_mjcf_get(m, i, key);
    tqa_mjcf_fault(m, i, "invalid-value",
                   "take it out and put its effect into the request, or let MuJoCo write the model "
                   "without it",
                   "%s=\"%.40s\": %s is not read, and numbers would differ from MuJoCo's", key,
                   value != NULL ? value : "", what);
}

bool tqa_mjcf_is_zero(tqa_mjcf *m, uint32_t i, const char *key)
{
    double x[6] = {0.0};
    const size_t n = tqa_mjcf_numbers(m, i, key, 1, 6, x);
    for (size_t k = 0; k < n; k++) {
        if (x[k] != 0.0) {
            return false;
        }
    }
    return true;
}

static void refuse_unless_zero(tqa_mjcf *m, uint32_t i, const char *key, const char *what)
{
    if (!tqa_mjcf_is_zero(m, i, key)) {
        tqa_mjcf_refuse(m, i, key, what);
    }
}

static bool is_weightless(const tqa_mjcf *m)
{
    const double *g = m->draft->model.gravity;
    return g[0] == 0.0 && g[1] == 0.0 && g[2] == 0.0;
}

/* springs and dampers of higher order: only the first coefficient is read */
static void guard_series(tqa_mjcf *m, uint32_t i, const char *key, const char *what)
{
    double x[3] = {0.0};
    if (tqa_mjcf_numbers(m, i, key, 1, 3, x) > 1 && (x[1] != 0.0 || x[2] != 0.0)) {
        tqa_mjcf_refuse(m, i, key, what);
    }
}

/* True when bodies align with their inertia, so that coordinates have another meaning. */
static bool is_aligned(const tqa_mjcf *m, uint32_t i)
{
    const char *align = tqa_mjcf_get(m, i, "align");
    const bool chosen = align != NULL && strcmp(align, "auto") != 0;
    return chosen ? strcmp(align, "true") == 0 : m->set.align_free;
}

static void guard_joint(tqa_mjcf *m, uint32_t i)
{
    const char *type = is(m, i, "freejoint") ? "free" : tqa_mjcf_get(m, i, "type");
    const bool is_free = type != NULL && strcmp(type, "free") == 0;
    if (is_free && is_aligned(m, i)) {
        const bool own = tqa_mjcf_get(m, i, "align") != NULL;
        tqa_mjcf_fault(m, i, "invalid-value", "write align=\"false\", or inertias in body axes",
                       "%s=\"true\": coordinates in the axes of the inertia are not read",
                       own ? "align" : "alignfree");
    }
    if (is(m, i, "freejoint")) {
        return;
    }
    if (is_free || (type != NULL && strcmp(type, "ball") == 0)) {
        if (!m->set.no_frictionloss) {
            refuse_unless_zero(m, i, "frictionloss", "dry friction on a ball or free joint");
        }
        if (!tqa_mjcf_is_zero(m, i, "range")) {
            tqa_mjcf_ignore(m, i, "range", "acts here only on joints of one freedom");
        }
    }
    if (!m->set.no_damper) {
        guard_series(m, i, "damping", "a damper that is not linear");
    }
    if (!m->set.no_spring) {
        guard_series(m, i, "stiffness", "a spring that is not linear");
    }
    refuse_unless_zero(m, i, "springyield", "a spring that yields");
}

static void guard_tendon(tqa_mjcf *m, uint32_t i)
{
    if (!m->set.no_spring) {
        guard_series(m, i, "stiffness", "a spring that is not linear");
    }
    if (!m->set.no_damper) {
        guard_series(m, i, "damping", "a damper that is not linear");
    }
    refuse_unless_zero(m, i, "springyield", "a spring that yields");
}

/* A tendon of one joint adds to that joint's own inertia (tendon.c). */
static bool has_one_joint(const tqa_mjcf *m, uint32_t tendon)
{
    const uint32_t first = tendon + 1, end = m->nodes[tendon].end;
    return is(m, tendon, "fixed") && first < end && m->nodes[first].end == end;
}

/* Sections that apply forces to joints. */
static void guard_section(tqa_mjcf *m, uint32_t section)
{
    const bool tendons = is(m, section, "tendon");
    for (uint32_t i = section + 1; i < m->nodes[section].end; i = m->nodes[i].end) {
        if (tendons) {
            guard_tendon(m, i);
        } else if (!m->set.no_damper) {
            refuse_unless_zero(m, i, "damping", "the damper of an actuator");
        }
        if (!tendons || !has_one_joint(m, i)) {
            refuse_unless_zero(m, i, "armature",
                               tendons ? "inertia of a tendon, which couples joints,"
                                       : "the armature of an actuator");
        }
    }
}

/* elements that bring bodies, masses or forces along */
static void guard_element(tqa_mjcf *m, uint32_t i)
{
    static const struct {
        const char *name, *what;
    } rows[] = {{"replicate", "its copies"}, {"composite", "its bodies"},
                {"flexcomp", "its bodies"},  {"attach", "its bodies"},
                {"plugin", "its forces"},    {"flex", "the forces inside it"}};
    const uint32_t parent = m->nodes[i].parent;
    const bool here = m->nodes[i].owner != TQ_NONE || is(m, parent, "deformable");
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        if (here && is(m, i, rows[k].name)) {
            tqa_mjcf_fault(m, i, "invalid-value",
                           "let MuJoCo write the model out (mj_saveLastXML), or take it out",
                           "<%s>: %s would be missing", rows[k].name, rows[k].what);
        }
    }
}

void tqa_mjcf_guard(tqa_mjcf *m)
{
    for (uint32_t i = 1; i < m->n_node; i++) {
        const bool in_body = m->nodes[i].owner != TQ_NONE;
        const bool is_top = m->nodes[i].parent == 0;
        if (in_body && (is(m, i, "joint") || is(m, i, "freejoint"))) {
            guard_joint(m, i);
        } else if (is_top && (is(m, i, "tendon") || is(m, i, "actuator"))) {
            guard_section(m, i);
        } else {
            guard_element(m, i);
        }
    }
}

/* MuJoCo adds compensation to what a joint's actuators do, within the joint's limits, where there
 * are actuators at all: any of the model's. */
static bool has_actuators(const tqa_mjcf *m)
{
    bool some = false;
    for (uint32_t i = 1; i < m->n_node && !some; i++) {
        some = m->nodes[i].parent == 0 && is(m, i, "actuator") && m->nodes[i].end > i + 1;
    }
    return some && !m->set.no_actuation;
}

/* Joints that count compensation among the forces of their actuators move as if it were passive,
 * unless their limits hold both together, or nothing acts: then they are refused. */
static void guard_actuated(tqa_mjcf *m)
{
    const bool acts = has_actuators(m);
    uint32_t n = 0;
    for (uint32_t i = 1; i < m->n_node; i++) {
        if (m->nodes[i].owner == TQ_NONE || !is(m, i, "joint") ||
            !tqa_mjcf_is(m, i, "actuatorgravcomp", "true")) {
            continue;
        }
        n++;
        if (!acts) {
            tqa_mjcf_refuse(m, i, "actuatorgravcomp",
                            "compensation of gravity by actuators where none acts, which is none,");
        } else if (isfinite(tqa_mjcf_limit(m, i, "actuatorfrcrange", "actuatorfrclimited"))) {
            tqa_mjcf_refuse(m, i, "actuatorgravcomp",
                            "compensation of gravity within actuatorfrcrange");
        }
    }
    if (n > 0 && m->draft->problem->n_fault == 0) {
        tqa_draft_find(m->draft, TQA_FINDING_UNDERSTOOD, "/mujoco/worldbody",
                       "joints whose actuators compensate gravity: torques here are without that",
                       n);
    }
}

void tqa_mjcf_compensate(tqa_mjcf *m)
{
    bool some = false; /* is compensated that moves and weighs something */
    bool noticed = false;
    if (is_weightless(m) || (m->set.no_spring && m->set.no_damper)) {
        return;
    }
    for (uint32_t i = 1; i < m->n_node; i++) {
        const tqa_mjcf_node *node = &m->nodes[i];
        double share = 0.0;
        if (node->link != TQ_NONE && is(m, i, "body")) {
            tq_link *link = &m->chain.links[node->link];
            (void)tqa_mjcf_numbers(m, i, "gravcomp", 1, 1, &share);
            link->gravity_compensation = share;
            some = some || (share != 0.0 && node->moves && link->inertia.mass > 0.0);
            noticed = noticed || share > 0.0;
        }
    }
    if (some && noticed) {
        guard_actuated(m);
    }
    for (uint32_t l = 0; l < m->chain.n_link && !noticed; l++) {
        m->chain.links[l].gravity_compensation = 0.0; /* MuJoCo passes over them all */
    }
}
