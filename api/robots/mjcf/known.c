/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/mjcf/known.c - MuJoCo's format in one table: elements that are read, and elements
 * without effect on the motion. Elements that act and are not read are in guard.c. */
#include <string.h>

#include "api/robots/mjcf/mjcf.h"
#include "api/robots/mjcf/parts.h"

/* Where an element lies: its parent's kind. */
typedef enum place { TOP, IN_BODY, IN_OPTION, IN_COMPILER, NOWHERE } place;

/* One element: words of attributes that are read or refused by value, and of those that have no
 * effect; or why the whole element has none, with all that is inside. */
typedef struct element_row {
    place place;
    const char *name;
    const char *read, *idle;
    const char *whole;
} element_row;

#define POSE    " name class pos quat axisangle euler xyaxes zaxis "
#define CONTACT " contype conaffinity condim priority friction solmix solref solimp margin gap "
#define LIMIT   " solreflimit solimplimit solreffriction solimpfriction margin "
#define LOOKS   "appearance has no effect on the dynamics"

static const element_row rows[] = {
    {TOP, "compiler",
     " angle eulerseq autolimits inertiafromgeom coordinate settotalmass boundmass boundinertia "
     "balanceinertia inertiagrouprange alignfree ",
     " strippath assetdir meshdir texturedir discardvisual usethread fusestatic fitaabb "
     "conflict passthrough saveinertial savecompiled savecanonical convexhull exactmeshinertia ",
     NULL},
    {TOP, "option", " gravity density viscosity wind ",
     " timestep apirate impratio magnetic integrator cone jacobian solver iterations "
     "tolerance ls_iterations ls_tolerance noslip_iterations noslip_tolerance mpr_iterations "
     "mpr_tolerance ccd_iterations ccd_tolerance sdf_iterations sdf_initpoints sleep_tolerance "
     "collision actuatorgroupdisable o_margin o_solref o_solimp o_friction ",
     NULL},
    {IN_OPTION, "flag", " gravity passive spring damper frictionloss equality constraint ",
     " limit contact clampctrl warmstart filterparent actuation refsafe sensor midphase nativeccd "
     "multiccd eulerdamp autoreset override energy fwdinv invdiscrete island sleep speculative "
     "diagexact ipc ",
     NULL},
    {TOP, "default", " class ", "", NULL},
    {TOP, "worldbody", "", "", NULL},
    {TOP, "equality", "", "", NULL},
    {IN_BODY, "body", POSE " childclass gravcomp ", " mocap user sleep simple fuse ", NULL},
    {IN_BODY, "frame", POSE " childclass ", "", NULL},
    {IN_BODY, "inertial", POSE " mass diaginertia fullinertia ", "", NULL},
    {IN_BODY, "joint",
     " name class type pos axis range limited ref stiffness springref springdamper springyield "
     "damping armature frictionloss actuatorfrcrange actuatorgravcomp ",
     LIMIT " group user actuatorfrclimited ", NULL},
    {IN_BODY, "freejoint", " name align ", " group ", NULL},
    {IN_BODY, "geom", POSE " type size mass density fromto shellinertia mesh group fluidshape ",
     CONTACT " user rgba material hfield fitscale fluidcoef adhesion surfacevel "
             "castshadow ",
     NULL},
    {TOP, "tendon", NULL, NULL,
     "springs, dampers, dry friction, paths and inertia of one joint are read; limits have no "
     "effect"},
    {TOP, "actuator", NULL, NULL,
     "forces come with the request; which joints it drives, and their limits, are read"},
    {TOP, "contact", NULL, NULL, "contacts are stated in \"contacts\" of simulate"},
    {TOP, "asset", NULL, NULL, "shapes have no effect on the dynamics"},
    {TOP, "visual", NULL, NULL, LOOKS},
    {TOP, "statistic", NULL, NULL, LOOKS},
    {TOP, "size", NULL, NULL, "memory of MuJoCo's"},
    {TOP, "sensor", NULL, NULL, "sensors have no effect on the dynamics"},
    {TOP, "custom", NULL, NULL, "data of the user's own"},
    {TOP, "keyframe", NULL, NULL, "states come with the request"},
    {TOP, "extension", NULL, NULL, "plugins are not read"},
    {TOP, "deformable", NULL, NULL, "skins have no effect on the dynamics"},
    {IN_COMPILER, "lengthrange", NULL, NULL, "forces come with the request"},
    {IN_COMPILER, "LengthRange", NULL, NULL, "forces come with the request"},
    {IN_BODY, "site", NULL, NULL, "sites act as points of tendons' paths alone"},
    {IN_BODY, "camera", NULL, NULL, LOOKS},
    {IN_BODY, "light", NULL, NULL, LOOKS},
};

static bool is(const tqa_mjcf *m, uint32_t i, const char *name)
{
    return strcmp(m->nodes[i].name, name) == 0;
}

/* `word` is one of the words, between spaces. */
static bool has_word(const char *words, const char *word)
{
    const size_t n = strlen(word);
    for (const char *p = words; (p = strstr(p, word)) != NULL; p++) {
        if (n > 0 && p > words && p[-1] == ' ' && p[n] == ' ') {
            return true;
        }
    }
    return false;
}

static place place_of(const tqa_mjcf *m, uint32_t i)
{
    const tqa_mjcf_node *node = &m->nodes[i];
    if (node->owner != TQ_NONE || is(m, node->parent, "default")) {
        return IN_BODY;
    }
    const bool below = node->parent != 0 && m->nodes[node->parent].parent == 0;
    return node->parent == 0                          ? TOP
           : below && is(m, node->parent, "option")   ? IN_OPTION
           : below && is(m, node->parent, "compiler") ? IN_COMPILER
                                                      : NOWHERE;
}

/* Defaults of elements that are not read; they act through elements that inherit them. */
static bool is_other_default(const tqa_mjcf *m, uint32_t i)
{
    static const char names[] =
        " mesh texture material pair equality tendon general motor position velocity intvelocity "
        "orientation pid damper cylinder muscle adhesion dcmotor plugin actuator ";
    return is(m, m->nodes[i].parent, "default") && has_word(names, m->nodes[i].name);
}

static const element_row *find_row(const tqa_mjcf *m, uint32_t i)
{
    const place at = place_of(m, i);
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        const bool nested = is(m, i, "default") && is(m, m->nodes[i].parent, "default");
        if (is(m, i, rows[k].name) && (rows[k].place == at || nested)) {
            return &rows[k];
        }
    }
    return NULL;
}

static void report_attributes(tqa_mjcf *m, uint32_t i, const element_row *row)
{
    for (const char *const *a = m->nodes[i].attributes; *a != NULL; a += 2) {
        if (has_word(row->idle, *a)) {
            tqa_mjcf_ignore(m, i, *a, "has no effect on the dynamics");
        } else if (!has_word(row->read, *a)) {
            tqa_mjcf_doubt(m, i, *a,
                           "an attribute that is not known here: is it spelt well? If MuJoCo reads "
                           "it, numbers may differ");
        }
    }
}

/* A child of <equality>. */
static void report_equality(tqa_mjcf *m, uint32_t i)
{
    static const char idle[] = " solref solimp torquescale ";
    const char *const *known = tqa_mjcf_equality_known(m, i);
    if (known == NULL) {
        const bool active = !m->set.no_equality && !tqa_mjcf_is(m, i, "active", "false");
        if (active) {
            tqa_mjcf_doubt(m, i, NULL,
                           "given by sites, tendons or deformable bodies: the robot is without it");
        } else {
            tqa_mjcf_ignore(m, i, NULL, "not active: the robot is without it");
        }
        return;
    }
    for (const char *const *a = m->nodes[i].attributes; *a != NULL; a += 2) {
        bool found = false;
        for (const char *const *k = known; *k != NULL && !found; k++) {
            found = strcmp(*a, *k) == 0;
        }
        if (!found) {
            (has_word(idle, *a) ? tqa_mjcf_ignore : tqa_mjcf_doubt)(
                m, i, *a,
                has_word(idle, *a) ? "the constraint is rigid here"
                                   : "an attribute that is not known here");
        }
    }
}

/* Actuators whose force depends on their own state and not on the request. */
static void report_actuators(tqa_mjcf *m, uint32_t section)
{
    static const char names[] =
        " position velocity intvelocity orientation pid damper dcmotor muscle cylinder ";
    for (uint32_t i = section + 1; i < m->nodes[section].end; i = m->nodes[i].end) {
        const char *bias = tqa_mjcf_get(m, i, "biastype");
        if (has_word(names, m->nodes[i].name) || (bias != NULL && strcmp(bias, "none") != 0)) {
            tqa_mjcf_ignore(m, i, NULL,
                            "its gains are not read: what it would push comes with the request");
        }
    }
}

/* A <custom> that has only what an exported robot writes there, which is read (mjcf.c,
 * settings.c). */
static bool is_own_data(const tqa_mjcf *m, uint32_t i)
{
    bool own = is(m, i, "custom");
    for (uint32_t k = i + 1; k < m->nodes[i].end && own; k = m->nodes[k].end) {
        const char *name = tqa_mjcf_get(m, k, "name");
        own = is(m, k, "numeric") && name != NULL &&
              (strncmp(name, TQA_MJCF_FRICTION, sizeof TQA_MJCF_FRICTION - 1) == 0 ||
               strcmp(name, TQA_MJCF_BOUNDS) == 0);
    }
    return own;
}

/* Reports element i; returns the next to check, after its children when they are covered by it. */
static uint32_t report_element(tqa_mjcf *m, uint32_t i)
{
    const uint32_t parent = m->nodes[i].parent;
    if (is(m, parent, "equality") && m->nodes[parent].parent == 0) {
        report_equality(m, i);
        return m->nodes[i].end;
    }
    if (is_other_default(m, i)) {
        return m->nodes[i].end;
    }
    const element_row *row = find_row(m, i);
    if (row == NULL && is(m, i, "include")) {
        tqa_mjcf_fault(m, i, "invalid-value", "let MuJoCo write the model into one file",
                       "other files are not read");
    } else if (row == NULL) {
        tqa_mjcf_doubt(m, i, NULL,
                       "an element that is not known here: is it spelt well? If MuJoCo reads it, "
                       "numbers may differ");
    } else if (row->whole != NULL) {
        if (is(m, i, "actuator")) {
            report_actuators(m, i);
        }
        if (!is_own_data(m, i)) {
            tqa_mjcf_ignore(m, i, NULL, row->whole);
        }
    } else {
        report_attributes(m, i, row);
        return i + 1;
    }
    return m->nodes[i].end;
}

void tqa_mjcf_report(tqa_mjcf *m)
{
    tqa_draft *draft = m->draft;
    for (uint32_t i = 1; i < m->n_node;) {
        i = report_element(m, i);
    }
    tqa_urdf_report_ignored(&m->ignored);
    for (size_t k = 0; k < m->doubts.n_ignored; k++) {
        const tqa_urdf_ignored *row = &m->doubts.ignored[k];
        tqa_draft_find(draft, TQA_FINDING_DOCTOR,
                       tqa_arena_format(draft->arena, "%s (line %lu)", row->path, row->line),
                       row->text, row->count);
    }
}
