/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/calibrate/robot.c - parameters found, written back into the robot. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/operations/calibrate/calibrate.h"
#include "core/model/inertia.h"

uint32_t tqa_calibration_joint(const tqa_calibration *c, size_t v)
{
    const tq_model *model = c->tree->robot->model;
    for (uint32_t j = 0; j < model->n_joint; j++) {
        if (v >= model->joints[j].v_index && v < model->joints[j].v_index + model->joints[j].nv) {
            return j;
        }
    }
    return 0;
}

/* The model's torque needs a friction smoothed as the fit did: its width, 0: none. */
static double smoothing_of(const tqa_calibration *c, const tq_joint *joint)
{
    const double fitted = c->chosen.model.smoothing;
    return fitted >= 0.0 ? fitted : joint->friction.smoothing;
}

/* Ten parameters of a link about its origin. False: no body has them. */
static bool set_link(tq_link *link, const double ten[TQ_PARAMETERS_OF_LINK])
{
    const double mass = ten[TQ_PARAMETER_MASS];
    double com[3] = {0};
    tq_inertia *inertia = &link->inertia;
    if (mass <= 0.0) {
        bool none = true, kept = mass == 0.0 && inertia->mass == 0.0;
        for (size_t k = 0; k < TQ_PARAMETERS_OF_LINK; k++) {
            const double own =
                k < TQ_PARAMETER_IXX ? 0.0 : inertia->about_com[k - TQ_PARAMETER_IXX];
            none = none && ten[k] == 0.0;
            kept = kept && ten[k] == own; /* an axis' inertia alone: no motion has shown another */
        }
        *inertia = kept ? *inertia : (tq_inertia){0};
        return none || kept;
    }
    for (size_t k = 0; k < 3; k++) {
        com[k] = ten[TQ_PARAMETER_MX + k] / mass;
    }
    tq_inertia_from_origin(mass, com, ten + TQ_PARAMETER_IXX, inertia);
    return true;
}

static void set_joint(const tqa_calibration *c, tq_joint *joint, tq_parameter_kind kind,
                      double value)
{
    tq_friction *friction = &joint->friction;
    if (kind == TQ_PARAMETER_ROTOR) {
        if (joint->rotor.ratio == 0.0 || joint->rotor.inertia == 0.0) {
            joint->rotor.ratio = 1.0;
        }
        joint->rotor.inertia = value / (joint->rotor.ratio * joint->rotor.ratio);
    } else if (kind == TQ_PARAMETER_VISCOUS) {
        friction->viscous = value;
    } else if (kind == TQ_PARAMETER_COULOMB) {
        friction->coulomb = value;
        friction->breakaway = 0.0;
        friction->stribeck_velocity = 0.0;
        friction->smoothing = smoothing_of(c, joint);
    } else if (kind == TQ_PARAMETER_OFFSET) {
        friction->offset = value;
    } else if (kind == TQ_PARAMETER_STIFFNESS) {
        joint->spring.stiffness = value;
    }
}

/* The fit's own friction, and inertia above the cut-off, for inverse dynamics along recordings. */
static void set_log_laws(const tqa_calibration *c, tq_joint *joints)
{
    const tq_fit_model *chosen = &c->chosen.model;
    const tq_recording_filter *filter = &c->request.options.filter;
    for (uint32_t j = 0; j < c->tree->robot->model->n_joint; j++) {
        const tq_joint *fitted = &c->tree->robot->model->joints[j];
        tq_log_law *law = &joints[j].log_law;
        if (fitted->nv != 1 || !tqa_calibration_judges(c, fitted->v_index)) {
            continue;
        }
        const double *fast =
            c->found->solution.value + c->found->n_column + 2 * (size_t)fitted->v_index;
        *law = (tq_log_law){.is_there = false};
        law->friction = joints[j].friction;
        law->presliding = tqa_calibration_yields(c) ? chosen->presliding : 0.0;
        law->relaxation = law->presliding > 0.0 ? chosen->relaxation : 0.0;
        law->inertia = fast[0];
        law->jerk = fast[1];
        law->delay = c->request.options.delay;
        law->cutoff = filter->kind == TQ_SMOOTHING_BUTTERWORTH ? filter->cutoff : 0.0;
        for (size_t k = 0; k < c->found->n_column; k++) {
            const tq_column *column = &c->found->columns[k];
            law->load += column->kind == TQ_COLUMN_LOAD && column->joint == j
                             ? c->found->solution.value[k]
                             : 0.0;
        }
        law->is_there = law->presliding > 0.0 || law->load != 0.0 || law->inertia != 0.0;
    }
}

/* Friction in the document's own words, where presliding and load have none: fitted anew. */
static void set_stand_in(const tqa_calibration *c, tq_joint *joints)
{
    const bool has_stribeck = (c->chosen.model.extra & (unsigned)TQ_FIT_STRIBECK) != 0;
    for (uint32_t j = 0; j < c->tree->robot->model->n_joint; j++) {
        const tq_joint *fitted = &c->tree->robot->model->joints[j];
        tq_friction *friction = &joints[j].friction;
        if (fitted->nv != 1 || !c->found->document[fitted->v_index].is_there) {
            continue;
        }
        const tq_stand_in_row *row = &c->found->document[fitted->v_index];
        friction->viscous = row->viscous;
        friction->coulomb = row->coulomb;
        friction->offset = row->offset;
        friction->smoothing = smoothing_of(c, &joints[j]);
        friction->breakaway = has_stribeck ? fmax(row->coulomb + row->stribeck, 0.0) : 0.0;
        friction->stribeck_velocity = has_stribeck ? tq_fit_stribeck_speed(c->found->fit, j) : 0.0;
    }
}

/* Stribeck torque that was fitted beside Coulomb's. */
static void set_extra(const tqa_calibration *c, tq_joint *joints)
{
    for (size_t k = 0; k < c->found->n_column; k++) {
        const tq_column *column = &c->found->columns[k];
        if (column->kind != TQ_COLUMN_STRIBECK) {
            continue;
        }
        tq_friction *friction = &joints[column->joint].friction;
        friction->breakaway = friction->coulomb + c->found->solution.value[k];
        friction->stribeck_velocity = tq_fit_stribeck_speed(c->found->fit, column->joint);
    }
    set_log_laws(c, joints);
    if (c->found->document != NULL) {
        set_stand_in(c, joints);
    }
}

static bool has_load(const tqa_calibration *c)
{
    return (c->chosen.model.extra & TQ_FIT_LOAD) != 0;
}

/* Why no robot document can express the fit; NULL: it can. */
static const char *what_is_lost(const tqa_calibration *c)
{
    for (size_t k = 0; k < c->found->n_column; k++) {
        if (c->found->columns[k].kind >= TQ_COLUMN_COUPLED_ROTOR) {
            return "a robot document has no words for coupled joints";
        }
    }
    return has_load(c) && (c->chosen.model.with & TQ_REGRESS_COULOMB) == 0
               ? "a robot document has no words for load friction: fit \"coulomb\" beside it"
               : NULL;
}

/* All parameters into copies of links and joints. */
static bool fill(tqa_calibration *c, tq_link *links, tq_joint *joints)
{
    const tq_model *model = c->tree->robot->model;
    const unsigned with = c->chosen.model.with;
    const size_t n = tq_parameter_count(model, with);
    for (size_t p = 0; p < n; p++) {
        const tq_parameter *parameter = &c->list[p];
        if (parameter->link == TQ_NONE &&
            !tqa_calibration_judges(c, model->joints[parameter->joint].v_index)) {
            continue; /* of a joint without equations */
        }
        if (parameter->link == TQ_NONE) {
            set_joint(c, &joints[parameter->joint], parameter->kind, c->found->solution.full[p]);
        } else if (parameter->kind == TQ_PARAMETER_MASS &&
                   !set_link(&links[parameter->link], c->found->solution.full + p)) {
            return false;
        }
    }
    set_extra(c, joints);
    return true;
}

bool tqa_calibration_yields(const tqa_calibration *c)
{
    return c->chosen.model.presliding > 0.0 &&
           (c->chosen.model.with & (unsigned)TQ_REGRESS_COULOMB) != 0;
}

/* terms that a robot document cannot express, and their replacement; NULL: none */
static const char *note_of(const tqa_calibration *c)
{
    const bool yields = tqa_calibration_yields(c);
    if (has_load(c)) {
        return yields
                   ? "friction by load, and gears that yield before they slip, are in `along_log` "
                     "of the joints: inverse dynamics `from` a log has them. Samples alone and "
                     "simulation have friction by a smoothed sign of velocity, fitted anew; "
                     "`document` has its price"
                   : "friction by load is in `along_log` of the joints: inverse dynamics `from` "
                     "a log has it. Samples alone and simulation have friction fitted without "
                     "it; `document` has its price";
    }
    return yields
               ? "gears that yield before they slip are in `along_log` of the joints: inverse "
                 "dynamics `from` a log has them. Samples alone and simulation have a smoothed sign "
                 "of velocity, fitted anew; `document` has its price"
               : NULL;
}

/* Links and joints of the robot with joints at rest are numbered as those of the whole one. */
static bool is_whole(const tqa_calibration *c)
{
    const tqa_robot *robot = c->tree->robot, *whole = c->whole;
    bool same = robot->model->n_link == whole->model->n_link &&
                robot->model->n_joint == whole->model->n_joint;
    for (uint32_t l = 0; same && l < whole->model->n_link; l++) {
        same = strcmp(robot->link_names[l], whole->link_names[l]) == 0;
    }
    for (uint32_t j = 0; same && j < whole->model->n_joint; j++) {
        same = strcmp(robot->joint_names[j], whole->joint_names[j]) == 0;
    }
    return same;
}

bool tqa_calibration_robot(tqa_calibration *c)
{
    const tqa_robot *robot = c->whole;
    tq_link *links = tqa_tree_take(c->tree, robot->model->n_link, sizeof *links);
    tq_joint *joints = tqa_tree_take(c->tree, robot->model->n_joint + 1, sizeof *joints);
    if (links == NULL || joints == NULL) {
        return false;
    }
    if (c->chosen.model.kind == TQ_FIT_PER_JOINT || c->found->solution.full == NULL) {
        c->why_no_robot = "joint by joint there are no bodies: fit the model \"base\"";
        return true;
    }
    c->why_no_robot =
        is_whole(c) ? what_is_lost(c) : "its links are numbered anew where joints are at rest";
    if (c->why_no_robot != NULL) {
        return true;
    }
    c->robot_note = note_of(c);
    memcpy(links, robot->model->links, robot->model->n_link * sizeof *links);
    memcpy(joints, robot->model->joints, robot->model->n_joint * sizeof *joints);
    if (!fill(c, links, joints)) {
        c->why_no_robot = "a link's mass came out negative: fit with \"method\": \"feasible\"";
        return true;
    }
    tq_model model = *robot->model;
    model.links = links;
    model.joints = joints;
    tqa_robot found = *robot;
    found.model = &model;
    found.drives = NULL;   /* their rotor and friction parameters have been identified again */
    tqa_problem why = {0}; /* a robot that URDF cannot express is returned as a document only */
    c->document = tqa_robot_document(&found, robot->name, &c->n_document);
    c->urdf = tqa_robot_urdf(&found, robot->name, &c->n_urdf, &why);
    if (c->document == NULL || (c->urdf == NULL && why.status == 503)) {
        (void)tqa_problem_set(c->tree->problem, "busy", "there is no memory for the new robot now");
        return false;
    }
    return true;
}
