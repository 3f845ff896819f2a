/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/mjcf/settings.c - compiler, option and flag of MJCF: the last one that says something
 * counts. */
#include <math.h>
#include <string.h>

#include "api/robots/mjcf/mjcf.h"
#include "api/robots/mjcf/parts.h"

static const double DEGREE = M_PI / 180.0;

/* Keeps the setting when the attribute is not there. */
static void read_flag(const tqa_mjcf *m, uint32_t i, const char *key, const char *yes, bool *ret)
{
    const char *text = tqa_mjcf_get(m, i, key);
    *ret = text != NULL ? strcmp(text, yes) == 0 : *ret;
}

/* Flags that leave a term out. `constraint` is all that its solver would add. */
static void read_flags(tqa_mjcf *m, uint32_t i)
{
    tqa_mjcf_settings *s = &m->set;
    bool none = false;
    read_flag(m, i, "gravity", "disable", &s->no_gravity);
    read_flag(m, i, "passive", "disable", &s->no_spring); /* one flag until MuJoCo 3.3 */
    read_flag(m, i, "passive", "disable", &s->no_damper);
    read_flag(m, i, "spring", "disable", &s->no_spring);
    read_flag(m, i, "damper", "disable", &s->no_damper);
    read_flag(m, i, "frictionloss", "disable", &s->no_frictionloss);
    read_flag(m, i, "equality", "disable", &s->no_equality);
    read_flag(m, i, "actuation", "disable", &s->no_actuation);
    read_flag(m, i, "constraint", "disable", &none);
    s->no_frictionloss = s->no_frictionloss || none;
    s->no_equality = s->no_equality || none;
}

static void read_option(tqa_mjcf *m, uint32_t i)
{
    tq_medium *medium = &m->draft->model.medium;
    (void)tqa_mjcf_numbers(m, i, "gravity", 3, 3, m->draft->model.gravity);
    (void)tqa_mjcf_numbers(m, i, "density", 1, 1, &medium->density);
    (void)tqa_mjcf_numbers(m, i, "viscosity", 1, 1, &medium->viscosity);
    (void)tqa_mjcf_numbers(m, i, "wind", 3, 3, medium->velocity);
    medium->density = fmax(medium->density, 0.0); /* below 0 MuJoCo has none */
    medium->viscosity = fmax(medium->viscosity, 0.0);
    for (uint32_t k = i + 1; k < m->nodes[i].end; k = m->nodes[k].end) {
        if (strcmp(m->nodes[k].name, "flag") == 0) {
            read_flags(m, k);
        }
    }
}

static void read_compiler(tqa_mjcf *m, uint32_t i)
{
    tqa_mjcf_settings *s = &m->set;
    const char *angle = tqa_mjcf_get(m, i, "angle");
    const char *sequence = tqa_mjcf_get(m, i, "eulerseq");
    const char *from = tqa_mjcf_get(m, i, "inertiafromgeom");
    if (angle != NULL) {
        s->angle = strcmp(angle, "radian") == 0 ? 1.0 : DEGREE;
    }
    if (sequence != NULL && strlen(sequence) == 3 && strspn(sequence, "xyzXYZ") == 3) {
        memcpy(s->eulerseq, sequence, 4);
    } else if (sequence != NULL) {
        tqa_mjcf_fault(m, i, "invalid-value", "three of x y z X Y Z, such as xyz",
                       "eulerseq=\"%.20s\"", sequence);
    }
    if (from != NULL) {
        s->from_geoms = strcmp(from, "true") == 0 ? 1 : strcmp(from, "false") == 0 ? -1 : 0;
    }
    bool fixed_limits = !s->autolimits;
    read_flag(m, i, "autolimits", "false", &fixed_limits);
    s->autolimits = !fixed_limits;
    read_flag(m, i, "alignfree", "true", &s->align_free);
    read_flag(m, i, "balanceinertia", "true", &s->balance_inertia);
    (void)tqa_mjcf_numbers(m, i, "inertiagrouprange", 2, 2, s->groups);
    (void)tqa_mjcf_numbers(m, i, "boundmass", 1, 1, &s->bound_mass);
    (void)tqa_mjcf_numbers(m, i, "boundinertia", 1, 1, &s->bound_inertia);
    (void)tqa_mjcf_numbers(m, i, "settotalmass", 1, 1, &s->total_mass);
    if (tqa_mjcf_is(m, i, "coordinate", "global")) {
        tqa_mjcf_fault(m, i, "invalid-value", "let MuJoCo write the model anew",
                       "global coordinates are no longer part of the format");
    }
}

/* Bounds of masses and inertias that an exported robot has for MuJoCo alone; others are the
 * user's. */
static void read_own_bounds(tqa_mjcf *m)
{
    tqa_mjcf_settings *s = &m->set;
    for (uint32_t i = 1; i < m->n_node; i++) {
        const uint32_t parent = m->nodes[i].parent;
        double own[2];
        if (strcmp(m->nodes[i].name, "numeric") != 0 || m->nodes[parent].parent != 0 ||
            strcmp(m->nodes[parent].name, "custom") != 0 ||
            !tqa_mjcf_is(m, i, "name", TQA_MJCF_BOUNDS) ||
            tqa_mjcf_numbers(m, i, "data", 2, 2, own) != 2) {
            continue;
        }
        s->bound_mass = s->bound_mass == own[0] ? 0.0 : s->bound_mass;
        s->bound_inertia = s->bound_inertia == own[1] ? 0.0 : s->bound_inertia;
    }
}

void tqa_mjcf_read_settings(tqa_mjcf *m)
{
    m->set = (tqa_mjcf_settings){.angle = DEGREE,
                                 .eulerseq = "xyz",
                                 .autolimits = true,
                                 .groups = {0.0, 5.0},
                                 .total_mass = -1.0};
    for (uint32_t i = 1; i < m->n_node; i = m->nodes[i].end) {
        if (strcmp(m->nodes[i].name, "option") == 0) {
            read_option(m, i);
        } else if (strcmp(m->nodes[i].name, "compiler") == 0) {
            read_compiler(m, i);
        }
    }
    read_own_bounds(m);
    if (m->set.no_spring && m->set.no_damper) { /* then MuJoCo has no passive force at all */
        m->draft->model.medium = (tq_medium){.density = 0.0};
    }
    if (m->set.no_gravity) {
        memset(m->draft->model.gravity, 0, sizeof m->draft->model.gravity);
    }
}
