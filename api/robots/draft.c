/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/draft.c - shared by all robot formats: names, the tree, the findings. */
#include "api/robots/draft.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/base/scratch.h"
#include "core/model/doctor.h"
#include "core/model/inertia.h"

static bool is_xml(const tqa_draft *draft)
{
    return draft->xml;
}

static const char *const kind_names[] = {
    [TQ_JOINT_FIXED] = "fixed",           [TQ_JOINT_REVOLUTE] = "revolute",
    [TQ_JOINT_CONTINUOUS] = "continuous", [TQ_JOINT_PRISMATIC] = "prismatic",
    [TQ_JOINT_PLANAR] = "planar",         [TQ_JOINT_SPHERICAL] = "spherical",
    [TQ_JOINT_FLOATING] = "floating",
};
enum { N_KIND = sizeof kind_names / sizeof kind_names[0] };

const char *tqa_joint_kind_name(tq_joint_kind kind)
{
    return kind_names[kind];
}

bool tqa_joint_kind_find(const char *name, tq_joint_kind *ret)
{
    for (unsigned k = 0; k < N_KIND; k++) {
        if (strcmp(name, kind_names[k]) == 0) {
            *ret = (tq_joint_kind)k;
            return true;
        }
    }
    return false;
}

void tqa_draft_fault(tqa_draft *draft, const char *slug, const char *pointer, const char *hint,
                     const char *format, ...)
{
    char detail[TQA_PROBLEM_TEXT];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(detail, sizeof detail, format, args);
    va_end(args);
    if (draft->problem->status == 0) {
        tqa_problem_set(draft->problem, slug, "%s", detail);
    }
    tqa_problem_fault(draft->problem, pointer, hint, "%s", detail);
}

bool tqa_draft_no_memory(tqa_draft *draft)
{
    tqa_draft_fault(draft, "too-large", "", "describe it with fewer links and joints",
                    "the robot needs more memory than is given");
    return false;
}

bool tqa_draft_is_spent(tqa_draft *draft)
{
    return tqa_arena_spent(draft->arena) && !tqa_draft_no_memory(draft);
}

static void link_place(const tqa_draft *draft, uint32_t i, const char *part,
                       char pointer[TQA_POINTER_TEXT])
{
    const char *slash = part[0] != '\0' ? "/" : "";
    if (draft->link_places != NULL) {
        (void)snprintf(pointer, TQA_POINTER_TEXT, "%s%s%s", draft->link_places[i], slash, part);
    } else if (is_xml(draft)) {
        (void)snprintf(pointer, TQA_POINTER_TEXT, "/robot/link[@name='%s']%s%s",
                       draft->link_names[i], slash, part);
    } else {
        (void)snprintf(pointer, TQA_POINTER_TEXT, "%s/links/%u%s%s", draft->prefix, i, slash, part);
    }
}

void tqa_draft_joint_place(const tqa_draft *draft, uint32_t i, const char *part,
                           char pointer[TQA_POINTER_TEXT])
{
    const char *slash = part[0] != '\0' ? "/" : "";
    if (draft->joint_places != NULL) {
        (void)snprintf(pointer, TQA_POINTER_TEXT, "%s%s%s", draft->joint_places[i], slash, part);
    } else if (is_xml(draft)) {
        (void)snprintf(pointer, TQA_POINTER_TEXT, "/robot/joint[@name='%s']%s%s",
                       draft->joint_names[i], slash, part);
    } else {
        (void)snprintf(pointer, TQA_POINTER_TEXT, "%s/joints/%u%s%s", draft->prefix, i, slash,
                       part);
    }
}

void tqa_draft_find(tqa_draft *draft, tqa_finding_kind kind, const char *where, const char *text,
                    uint32_t count)
{
    tqa_finding *rows = tqa_arena_grow(draft->arena, draft->findings, draft->n_finding,
                                       &draft->finding_capacity, sizeof *rows);
    if (rows == NULL || where == NULL || text == NULL) {
        return;
    }
    draft->findings = rows;
    rows[draft->n_finding++] =
        (tqa_finding){.kind = kind, .where = where, .text = text, .count = count};
}

bool tqa_draft_index(tqa_draft *draft)
{
    const tq_model *model = &draft->model;
    char place[TQA_POINTER_TEXT];
    if (!tqa_names_build(&draft->links, draft->arena, draft->link_names, model->n_link) ||
        !tqa_names_build(&draft->joints, draft->arena, draft->joint_names, model->n_joint)) {
        return tqa_draft_no_memory(draft);
    }
    uint32_t first = 0;
    const uint32_t link = tqa_names_duplicate(&draft->links, &first);
    if (link != TQ_NONE) {
        link_place(draft, link, "", place);
        tqa_draft_fault(draft, "invalid-robot", place, "give each link its own name",
                        "links number %u and %u are both named \"%s\"", first + 1, link + 1,
                        draft->link_names[link]);
    }
    const uint32_t joint = tqa_names_duplicate(&draft->joints, &first);
    if (joint != TQ_NONE) {
        tqa_draft_joint_place(draft, joint, "", place);
        tqa_draft_fault(draft, "invalid-robot", place, "give each joint its own name",
                        "joints number %u and %u are both named \"%s\"", first + 1, joint + 1,
                        draft->joint_names[joint]);
    }
    return draft->problem->status == 0;
}

/* carrier[l]: the joint that carries link l, or TQ_NONE. A second one is a fault. */
static void find_carriers(tqa_draft *draft, uint32_t *carrier)
{
    const tq_model *model = &draft->model;
    char place[TQA_POINTER_TEXT];
    for (uint32_t l = 0; l < model->n_link; l++) {
        carrier[l] = TQ_NONE;
    }
    for (uint32_t i = 0; i < model->n_joint; i++) {
        const uint32_t child = model->joints[i].child;
        if (child == model->joints[i].parent) {
            tqa_draft_joint_place(draft, i, "child", place);
            tqa_draft_fault(draft, "tree", place, "let parent and child be two different links",
                            "joint \"%s\" joins link \"%s\" to itself", draft->joint_names[i],
                            draft->link_names[child]);
        } else if (carrier[child] != TQ_NONE) {
            tqa_draft_joint_place(draft, i, "child", place);
            tqa_draft_fault(draft, "tree", place,
                            "remove one of the two joints; a closed loop is described by a tree "
                            "and a constraint",
                            "link \"%s\" is carried by joint \"%s\" and by joint \"%s\"",
                            draft->link_names[child], draft->joint_names[carrier[child]],
                            draft->joint_names[i]);
        } else {
            carrier[child] = i;
        }
    }
}

/* True if link l is a descendant of a root; `state` remembers 1 for yes, 2 for on the way up. */
static bool reaches_root(const tq_model *model, const uint32_t *carrier, unsigned char *state,
                         uint32_t l)
{
    uint32_t top = l;
    while (state[top] == 0 && carrier[top] != TQ_NONE) {
        state[top] = 2;
        top = model->joints[carrier[top]].parent;
    }
    const bool good = state[top] == 1 || carrier[top] == TQ_NONE;
    state[top] = good ? 1 : 3;
    while (state[l] == 2) {
        state[l] = good ? 1 : 3;
        l = model->joints[carrier[l]].parent;
    }
    return good;
}

static void check_roots(tqa_draft *draft, const uint32_t *carrier, unsigned char *state)
{
    const tq_model *model = &draft->model;
    char place[TQA_POINTER_TEXT];
    char hint[TQA_PROBLEM_TEXT];
    uint32_t root = TQ_NONE;
    for (uint32_t l = 0; l < model->n_link; l++) {
        if (carrier[l] == TQ_NONE && root == TQ_NONE) {
            root = l;
        } else if (carrier[l] == TQ_NONE) {
            link_place(draft, l, "", place);
            (void)snprintf(hint, sizeof hint,
                           "add a fixed joint with parent \"%.60s\" and child \"%.60s\", or remove "
                           "the link",
                           draft->link_names[root], draft->link_names[l]);
            tqa_draft_fault(draft, "tree", place, hint,
                            "there is a second root: neither link \"%s\" nor \"%s\" is the child "
                            "of a joint",
                            draft->link_names[root], draft->link_names[l]);
        }
    }
    for (uint32_t l = 0; l < model->n_link && draft->problem->n_fault < TQA_PROBLEM_FAULTS; l++) {
        if (state[l] == 0 && !reaches_root(model, carrier, state, l)) {
            tqa_draft_joint_place(draft, carrier[l], "parent", place);
            tqa_draft_fault(draft, "tree", place,
                            "break the loop: let its first joint hang from a link outside it",
                            "link \"%s\" hangs from itself in a loop of joints",
                            draft->link_names[l]);
        }
    }
}

static void report_core(tqa_draft *draft, tq_status status, const tq_error *error)
{
    const tq_model *model = &draft->model;
    const char *what = error->what != NULL ? error->what : "";
    const uint32_t i = (uint32_t)error->index;
    const char *part = strchr(what, '.') != NULL ? strchr(what, '.') + 1 : "";
    char place[TQA_POINTER_TEXT] = "";
    const char *hint = NULL;
    const char *name = "";
    if (strncmp(what, "link", 4) == 0 && i < model->n_link) {
        name = draft->link_names[i];
        const bool mass = strcmp(part, "mass") == 0;
        link_place(draft, i, is_xml(draft) && mass ? "inertial/mass" : part, place);
        hint = mass ? "a mass is zero or more, in kilograms" : NULL;
    } else if (strncmp(what, "joint", 5) == 0 && i < model->n_joint) {
        name = draft->joint_names[i];
        tqa_draft_joint_place(draft, i, part, place);
        if (strcmp(part, "origin") == 0) {
            hint = "rotation must be orthonormal, with determinant 1";
        } else if (strcmp(part, "axis") == 0) {
            hint = "write the direction of the axis, such as 0 0 1";
        }
    } else if (strcmp(what, "tendon") == 0 && i < model->n_tendon && status == TQ_ERR_SHAPE) {
        tqa_draft_fault(draft, "too-large", place,
                        "16384 joints between the points that follow each other, of all tendons",
                        "the path of tendon \"%.80s\" passes too many joints",
                        draft->tendon_names[i]);
        return;
    }
    tqa_draft_fault(draft, tq_status_slug(status), place, hint, "%s: %s of \"%s\", value %g",
                    tq_status_text(status), what, name, error->value);
}

/* The understood parts, in one line each. */
static void report_understood(tqa_draft *draft)
{
    const tq_model *model = &draft->model;
    uint32_t heavy = 0;
    uint32_t frictional = 0;
    uint32_t following = 0;
    uint32_t rotors = 0;
    uint32_t kinds[N_KIND] = {0};
    for (uint32_t l = 0; l < model->n_link; l++) {
        heavy += model->links[l].inertia.mass > 0.0;
    }
    for (uint32_t i = 0; i < model->n_joint; i++) {
        const tq_joint *joint = &model->joints[i];
        kinds[joint->kind]++;
        frictional += joint->friction.viscous != 0.0 || joint->friction.coulomb != 0.0 ||
                      joint->friction.offset != 0.0 || joint->friction.breakaway != 0.0;
        following += joint->mimic != TQ_NONE;
        rotors += joint->rotor.inertia != 0.0;
    }
    tqa_draft_find(draft, TQA_FINDING_UNDERSTOOD, "robot", "links", model->n_link);
    tqa_draft_find(draft, TQA_FINDING_UNDERSTOOD, "robot", "links with mass", heavy);
    for (unsigned k = 0; k < N_KIND; k++) {
        if (kinds[k] > 0) {
            tqa_draft_find(draft, TQA_FINDING_UNDERSTOOD, "robot",
                           tqa_arena_format(draft->arena, "%s joints", kind_names[k]), kinds[k]);
        }
    }
    if (frictional > 0) {
        tqa_draft_find(draft, TQA_FINDING_UNDERSTOOD, "robot", "joints with friction", frictional);
    }
    if (following > 0) {
        tqa_draft_find(draft, TQA_FINDING_UNDERSTOOD, "robot", "joints that follow another",
                       following);
    }
    if (rotors > 0) {
        tqa_draft_find(draft, TQA_FINDING_UNDERSTOOD, "robot", "joints with rotor inertia", rotors);
    }
    if (model->n_tendon > 0) {
        tqa_draft_find(draft, TQA_FINDING_UNDERSTOOD, "robot",
                       "tendons with a spring, a damper or friction", model->n_tendon);
    }
    const size_t carried = tq_model_n_compensated(model);
    if (carried > 0) {
        tqa_draft_find(draft, TQA_FINDING_UNDERSTOOD, "robot", "links with gravity compensation",
                       (uint32_t)carried);
    }
}

/* The doctor's text for row k, with the nearest possible inertia where there is none. */
static const char *doctor_text(tqa_draft *draft, const tq_doctor_finding *row)
{
    const char *text = tq_doctor_text(row->code);
    if (row->code == TQ_DOCTOR_MASSLESS) {
        return text;
    }
    if (row->code == TQ_DOCTOR_NOT_DEFINITE || row->code == TQ_DOCTOR_TRIANGLE) {
        const tq_inertia *inertia = &draft->model.links[row->index].inertia;
        tq_inertia near;
        if (inertia->mass > 0.0 &&
            tq_inertia_nearest(inertia, 0.0, inertia->mass, &near, NULL) == TQ_OK) {
            const double *s = near.about_com;
            return tqa_arena_format(
                draft->arena,
                "%s: %.3g; the nearest possible one about the centre of mass, in the axes of the "
                "link, is xx %.9g xy %.9g xz %.9g yy %.9g yz %.9g zz %.9g",
                text, row->value, s[0], s[1], s[2], s[3], s[4], s[5]);
        }
    }
    return tqa_arena_format(draft->arena, "%s: %.3g", text, row->value);
}

/* The doctor's findings, with the names of links and joints. */
static void report_doctor(tqa_draft *draft)
{
    const tq_model *model = &draft->model;
    const size_t most = tq_doctor_finding_max(model);
    const size_t size = tq_doctor_scratch_size(model);
    tq_doctor_finding *rows = tqa_arena_take(draft->arena, most, sizeof *rows, 16);
    void *memory = tqa_arena_take(draft->arena, size, 1, TQ_SCRATCH_ALIGN);
    if (rows == NULL || memory == NULL) {
        return;
    }
    tq_scratch scratch;
    tq_scratch_init(&scratch, memory, size);
    size_t n = 0;
    const tq_status status = tq_doctor_check(model, &scratch, rows, &n, NULL);
    assert(status == TQ_OK);
    for (size_t k = 0; k < n; k++) {
        const bool link = tq_doctor_about_of(rows[k].code) == TQ_DOCTOR_LINK;
        const char *name =
            link ? draft->link_names[rows[k].index] : draft->joint_names[rows[k].index];
        tqa_draft_find(draft, TQA_FINDING_DOCTOR,
                       tqa_arena_format(draft->arena, "%s %s", link ? "link" : "joint", name),
                       doctor_text(draft, &rows[k]), 1);
    }
}

tqa_joint_drive *tqa_draft_drive(tqa_draft *draft, uint32_t i)
{
    const uint32_t n = draft->model.n_joint;
    assert(i < n);
    if (draft->drives == NULL) {
        draft->drives = tqa_arena_take(draft->arena, n, sizeof *draft->drives, 16);
        for (uint32_t k = 0; draft->drives != NULL && k < n; k++) {
            tq_drive_init(&draft->drives[k].drive);
        }
    }
    if (draft->drives == NULL) {
        (void)tqa_draft_no_memory(draft);
        return NULL;
    }
    return &draft->drives[i];
}

/* Rotor inertia and motor friction become the joint's, once: a rotor that the joint has itself is
 * the same one, and counts. */
static void join_drives(tqa_draft *draft)
{
    uint32_t n = 0;
    for (uint32_t i = 0; draft->drives != NULL && i < draft->model.n_joint; i++) {
        const tq_drive *drive = &draft->drives[i].drive;
        tq_joint *joint = &draft->model.joints[i];
        if (drive->motor.constant == 0.0) {
            continue;
        }
        n++;
        const double square = drive->gear.ratio * drive->gear.ratio;
        const double stated = joint->rotor.ratio * joint->rotor.ratio * joint->rotor.inertia;
        const double own = square * drive->motor.inertia;
        draft->drives[i].damping = joint->friction.viscous;
        joint->friction.viscous += square * drive->motor.viscous;
        if (stated == 0.0) {
            joint->rotor = (tq_rotor){.inertia = drive->motor.inertia, .ratio = drive->gear.ratio};
        } else if (own != 0.0 && fabs(own - stated) > 1e-9 * stated) {
            tqa_draft_find(draft, TQA_FINDING_DOCTOR,
                           tqa_arena_format(draft->arena, "joint %s", draft->joint_names[i]),
                           tqa_arena_format(draft->arena,
                                            "its rotor and the motor of its drive have different "
                                            "inertia; it is counted once, that of \"rotor\" (%.6g "
                                            "kg m^2 at the joint, not %.6g)",
                                            stated, own),
                           1);
        }
    }
    if (n > 0) {
        tqa_draft_find(draft, TQA_FINDING_UNDERSTOOD, "robot", "joints with drives", n);
    }
}

bool tqa_draft_check(tqa_draft *draft)
{
    tq_model *model = &draft->model;
    assert(model->n_link > 0 && draft->problem->status == 0);
    uint32_t *carrier = tqa_arena_take(draft->arena, model->n_link, sizeof *carrier, 16);
    unsigned char *state = tqa_arena_take(draft->arena, model->n_link, 1, 1);
    if (carrier == NULL || state == NULL) {
        return tqa_draft_no_memory(draft);
    }
    find_carriers(draft, carrier);
    if (draft->problem->status == 0) {
        check_roots(draft, carrier, state);
    }
    if (draft->problem->status != 0) {
        return false;
    }
    tq_error error = {.what = NULL};
    join_drives(draft);
    const tq_status status = tq_model_finish(model, &error);
    if (status != TQ_OK) {
        report_core(draft, status, &error);
        return false;
    }
    report_understood(draft);
    report_doctor(draft);
    return true;
}
