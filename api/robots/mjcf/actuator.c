/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/mjcf/actuator.c - <actuator> of MJCF: which joints have a motor, and how much torque
 * it has at most. Forces come with requests. */
#include <math.h>
#include <string.h>

#include "api/robots/mjcf/parts.h"

enum { GEAR = 6 };

/* What the actuators do to each joint. */
typedef struct drive {
    tqa_mjcf *m;
    bool *driven;      /* (n_joint) */
    bool *unlimited;   /* (n_joint) an actuator of it has no largest force */
    double *most;      /* (n_joint) sum of the largest torques, N m or N */
    uint32_t *carrier; /* (n_link) the joint that carries it, or TQ_NONE */
    uint32_t *counts;  /* (n_joint) */
    size_t cost;       /* elements that were searched for names */
    /* some <default> has an actuator with a law of its own, which a <general> may inherit */
    bool has_servo_defaults;
} drive;

static bool is(const tqa_mjcf *m, uint32_t i, const char *name)
{
    return strcmp(m->nodes[i].name, name) == 0;
}

static uint32_t find_joint(const tqa_mjcf *m, const char *name)
{
    return name != NULL ? tqa_names_find(&m->draft->joints, name, strlen(name)) : TQ_NONE;
}

double tqa_mjcf_limit(tqa_mjcf *m, uint32_t i, const char *range_key, const char *limited_key)
{
    double range[2] = {0.0};
    const char *limited = tqa_mjcf_get(m, i, limited_key);
    const bool automatic = limited == NULL || strcmp(limited, "auto") == 0;
    const bool bounded = automatic ? m->set.autolimits : strcmp(limited, "true") == 0;
    const bool given = tqa_mjcf_numbers(m, i, range_key, 2, 2, range) == 2;
    return given && bounded ? fmax(fabs(range[0]), fabs(range[1])) : HUGE_VAL;
}

/* The largest force of an actuator, before its gear. Control bounds it where the force is control
 * times a gain, and nothing else. */
static double force_of(const drive *d, uint32_t i)
{
    tqa_mjcf *m = d->m;
    const char *gain_type = tqa_mjcf_get(m, i, "gaintype"), *bias = tqa_mjcf_get(m, i, "biastype");
    const bool general = is(m, i, "general");
    const bool fixed = !d->has_servo_defaults &&
                       (gain_type == NULL || strcmp(gain_type, "fixed") == 0) &&
                       (bias == NULL || strcmp(bias, "none") == 0);
    double ret = tqa_mjcf_limit(m, i, "forcerange", "forcelimited");
    if (is(m, i, "motor") || (general && fixed)) {
        double gain[10] = {1.0};
        if (general) {
            (void)tqa_mjcf_numbers(m, i, "gainprm", 1, 10, gain);
        }
        ret = fmin(ret, fabs(gain[0]) * tqa_mjcf_limit(m, i, "ctrlrange", "ctrllimited"));
    }
    return ret;
}

/* An actuator of largest force `force` that pulls joint j over the lever `gear`. */
static void add(const drive *d, uint32_t j, double gear, double force)
{
    const tq_joint *joint = &d->m->draft->model.joints[j];
    if (tq_joint_kind_nv(joint->kind) == 0 || gear == 0.0) {
        return;
    }
    d->driven[j] = true;
    if (tq_joint_kind_nv(joint->kind) > 1 || !isfinite(force)) {
        d->unlimited[j] = true;
    } else {
        d->most[j] += fabs(gear) * force;
    }
}

/* Counts a search through all elements. False: there were too many; a fault was added. */
static bool may_search(drive *d, uint32_t i)
{
    d->cost += d->m->n_node;
    if (d->cost > TQA_MJCF_COST_MAX) {
        tqa_mjcf_fault(d->m, i, "too-large", "let actuators name joints",
                       "there are too many actuators by tendons or sites");
    }
    return d->cost <= TQA_MJCF_COST_MAX;
}

/* The element of a kind and a name in a body, or (`section`) in a section of the file. */
static uint32_t find(drive *d, uint32_t i, const char *kind, const char *section, const char *name)
{
    const tqa_mjcf *m = d->m;
    if (name == NULL || !may_search(d, i)) {
        return TQ_NONE;
    }
    for (uint32_t k = 1; k < m->n_node; k++) {
        const uint32_t parent = m->nodes[k].parent;
        const bool here = section != NULL ? m->nodes[parent].parent == 0 && is(m, parent, section)
                                          : m->nodes[k].owner != TQ_NONE && is(m, k, kind);
        const char *own = here ? tqa_mjcf_get(m, k, "name") : NULL;
        if (own != NULL && strcmp(own, name) == 0) {
            return k;
        }
    }
    return TQ_NONE;
}

/* Counts the body of a named site or geom at every joint between it and the world. */
static void count_path(drive *d, uint32_t i, const char *kind, const char *name)
{
    const tq_model *model = &d->m->draft->model;
    const uint32_t at = find(d, i, kind, NULL, name);
    uint32_t link = at != TQ_NONE ? d->m->nodes[d->m->nodes[at].owner].link : TQ_NONE;
    for (uint32_t step = 0; link != TQ_NONE && step < model->n_link; step++) {
        const uint32_t j = d->carrier[link];
        if (j == TQ_NONE) {
            return;
        }
        d->counts[j]++;
        link = model->joints[j].parent;
    }
}

/* Joints that move some, but not all, of the n points between which a force acts. */
static void add_between(const drive *d, uint32_t n)
{
    for (uint32_t j = 0; j < d->m->draft->model.n_joint; j++) {
        if (d->counts[j] > 0 && d->counts[j] < n) {
            add(d, j, 1.0, HUGE_VAL);
        }
    }
}

static void add_to_joint(const drive *d, uint32_t i, const char *name)
{
    tqa_mjcf *m = d->m;
    const uint32_t j = find_joint(m, name);
    double gear[GEAR] = {1.0};
    const size_t n = tqa_mjcf_numbers(m, i, "gear", 1, GEAR, gear);
    if (j == TQ_NONE) {
        tqa_mjcf_doubt(m, i, "joint", "no joint of this model: it drives nothing");
        return;
    }
    for (size_t k = 1; k < n && tq_joint_kind_nv(m->draft->model.joints[j].kind) > 1; k++) {
        gear[0] = gear[0] != 0.0 ? gear[0] : gear[k];
    }
    add(d, j, gear[0], force_of(d, i));
}

static void add_to_tendon(drive *d, uint32_t i, const char *name)
{
    tqa_mjcf *m = d->m;
    const uint32_t tendon = find(d, i, NULL, "tendon", name);
    const double force = force_of(d, i);
    uint32_t n = 0;
    double gear[GEAR] = {1.0};
    if (tendon == TQ_NONE) {
        tqa_mjcf_doubt(m, i, "tendon", "no tendon of this model: it drives nothing");
        return;
    }
    (void)tqa_mjcf_numbers(m, i, "gear", 1, GEAR, gear);
    for (uint32_t k = tendon + 1; k < m->nodes[tendon].end; k++) {
        double coef = 0.0;
        const uint32_t j = is(m, k, "joint") ? find_joint(m, tqa_mjcf_get(m, k, "joint")) : TQ_NONE;
        if (j != TQ_NONE) {
            (void)tqa_mjcf_numbers(m, k, "coef", 1, 1, &coef);
            add(d, j, coef * gear[0], force);
        } else if (is(m, k, "site") || is(m, k, "geom")) {
            count_path(d, i, m->nodes[k].name, tqa_mjcf_get(m, k, m->nodes[k].name));
            n++;
        }
    }
    add_between(d, n);
}

/* One child of <actuator>. */
static void add_actuator(drive *d, uint32_t i)
{
    tqa_mjcf *m = d->m;
    const char *joint = tqa_mjcf_get(m, i, "joint");
    const char *site = tqa_mjcf_get(m, i, "site"), *tendon = tqa_mjcf_get(m, i, "tendon");
    const char *crank = tqa_mjcf_get(m, i, "cranksite");
    joint = joint != NULL ? joint : tqa_mjcf_get(m, i, "jointinparent");
    if (joint != NULL) {
        add_to_joint(d, i, joint);
        return;
    }
    memset(d->counts, 0, m->draft->model.n_joint * sizeof *d->counts);
    if (tendon != NULL) {
        add_to_tendon(d, i, tendon);
    } else if (crank != NULL || site != NULL) { /* between two sites, or a site and the world */
        count_path(d, i, "site", crank != NULL ? crank : site);
        count_path(d, i, "site", tqa_mjcf_get(m, i, crank != NULL ? "slidersite" : "refsite"));
        add_between(d, 2);
    } else if (tqa_mjcf_get(m, i, "body") == NULL) { /* of adhesion, which drives no joint */
        tqa_mjcf_doubt(m, i, "joint", "no joint, tendon or site is named: it drives nothing");
    }
}

static void conclude(const drive *d)
{
    tqa_draft *draft = d->m->draft;
    uint32_t n_driven = 0, n_passive = 0;
    for (uint32_t j = 0; j < draft->model.n_joint; j++) { /* a follower's motor drives its leader */
        const uint32_t leader = draft->model.joints[j].mimic;
        if (leader != TQ_NONE && d->driven[j]) {
            d->driven[leader] = true;
            d->unlimited[leader] = true;
        }
    }
    for (uint32_t j = 0; j < draft->model.n_joint; j++) {
        tq_joint *joint = &draft->model.joints[j];
        const bool follows = joint->mimic != TQ_NONE;
        n_driven += d->driven[j] && !follows;
        n_passive += !d->driven[j] && !follows && tq_joint_kind_nv(joint->kind) > 0;
        if (d->driven[j] && !d->unlimited[j] && d->most[j] > 0.0) {
            joint->limits.effort = fmin(joint->limits.effort, d->most[j]);
        }
    }
    if (n_passive > 0) {
        draft->actuated = d->driven;
        tqa_draft_find(draft, TQA_FINDING_UNDERSTOOD, "/mujoco/actuator", "joints with a motor",
                       n_driven);
        tqa_draft_find(draft, TQA_FINDING_UNDERSTOOD, "/mujoco/actuator",
                       "joints without a motor, which are passive: \"actuated\" is without them",
                       n_passive);
    }
}

static bool has_servo_defaults(const tqa_mjcf *m)
{
    static const char *const plain[] = {"general", "motor",   "joint",    "geom",   "site",
                                        "camera",  "light",   "pair",     "tendon", "equality",
                                        "mesh",    "texture", "material", "default"};
    for (uint32_t i = 1; i < m->n_node; i++) {
        bool known = !is(m, m->nodes[i].parent, "default");
        for (size_t k = 0; k < sizeof plain / sizeof plain[0] && !known; k++) {
            known = is(m, i, plain[k]);
        }
        if (!known) {
            return true;
        }
    }
    return false;
}

static bool take(drive *d)
{
    const tq_model *model = &d->m->draft->model;
    tqa_arena *arena = d->m->draft->arena;
    const size_t n = (size_t)model->n_joint + 1;
    d->has_servo_defaults = has_servo_defaults(d->m);
    d->driven = tqa_arena_take(arena, n, sizeof *d->driven, 1);
    d->unlimited = tqa_arena_take(arena, n, sizeof *d->unlimited, 1);
    d->most = tqa_arena_take(arena, n, sizeof *d->most, 16);
    d->counts = tqa_arena_take(arena, n, sizeof *d->counts, 16);
    d->carrier = tqa_arena_take(arena, model->n_link, sizeof *d->carrier, 16);
    if (tqa_draft_is_spent(d->m->draft)) {
        return false;
    }
    memset(d->carrier, 0xFF, model->n_link * sizeof *d->carrier);
    for (uint32_t j = 0; j < model->n_joint; j++) {
        d->carrier[model->joints[j].child] = j;
    }
    return true;
}

bool tqa_mjcf_actuators(tqa_mjcf *m)
{
    drive d = {.m = m};
    for (uint32_t i = 1; i < m->n_node && m->draft->problem->status == 0; i++) {
        const uint32_t section = m->nodes[i].parent;
        if (m->nodes[section].parent == 0 && is(m, section, "actuator")) {
            if (d.driven == NULL && !take(&d)) {
                return false;
            }
            add_actuator(&d, i);
        }
    }
    if (m->draft->problem->status == 0 && d.driven != NULL) {
        conclude(&d);
    }
    return m->draft->problem->status == 0;
}
