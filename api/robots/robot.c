/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/robot.c - bytes of any robot format into one immutable robot. */
#include "api/robot.h"

#include <assert.h>
#include <math.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "api/memory/arena.h"
#include "api/problems/status.h"
#include "api/robots/constraint.h"
#include "api/robots/document/document.h"
#include "api/robots/draft.h"
#include "api/robots/mjcf/mjcf.h"
#include "api/robots/names.h"
#include "api/robots/parsed.h"
#include "api/robots/sdf/sdf.h"
#include "api/robots/urdf/urdf.h"
#include "api/robots/xacro/xacro.h"
#include "api/robots/zip/zip.h"

enum { DIGEST_BYTES = 32, ARENA_FLOOR = 1 << 20, ARENA_MAX = 1 << 30 };

/* The media type by the first bytes. */
static tqa_media recognise(const char *bytes, size_t n)
{
    size_t i = 0;
    if (n >= 2 && (memcmp(bytes, "\xFF\xFE", 2) == 0 || memcmp(bytes, "\xFE\xFF", 2) == 0)) {
        return TQA_MEDIA_XML; /* UTF-16, which only XML may be in */
    }
    if (n >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0) {
        i = 3;
    }
    while (i < n && (bytes[i] == ' ' || bytes[i] == '\t' || bytes[i] == '\r' || bytes[i] == '\n')) {
        i++;
    }
    if (i < n && bytes[i] == '<') {
        return TQA_MEDIA_XML;
    }
    return i < n && bytes[i] == '{' ? TQA_MEDIA_JSON : TQA_MEDIA_OTHER;
}

static void write_digest(const char *bytes, size_t n, char text[TQA_DIGEST_TEXT])
{
    unsigned char hash[DIGEST_BYTES];
    crypto_generichash(hash, sizeof hash, (const unsigned char *)bytes, n, NULL, 0);
    sodium_bin2hex(text, TQA_DIGEST_TEXT, hash, sizeof hash);
}

/* The mechanism, in the arena; NULL with a problem. */
static const tq_mechanism *build_mechanism(tqa_draft *draft)
{
    const size_t size = tq_mechanism_size(&draft->model);
    void *memory = tqa_arena_take(draft->arena, size, 1, 64);
    const tq_mechanism *mechanism = NULL;
    tq_error error = {.what = NULL};
    if (memory == NULL) {
        tqa_problem_set(draft->problem, "too-large", "the robot needs more memory than is given");
        return NULL;
    }
    const tq_status status = tq_mechanism_build(&draft->model, memory, size, &mechanism, &error);
    if (status != TQ_OK) {
        tqa_problem_from_status(draft->problem, status, &error);
        return NULL;
    }
    return mechanism;
}

static bool check_draft(tqa_draft *draft)
{
    return tqa_draft_hold(draft) && tqa_draft_check(draft) && tqa_constraints_resolve(draft);
}

static bool read_file(tqa_draft *draft, tqa_media media, const char *bytes, size_t n)
{
    /* curl --data-binary sends the media type of a form: the first bytes decide */
    if (media == TQA_MEDIA_NONE || media == TQA_MEDIA_OTHER) {
        media = recognise(bytes, n);
    }
    draft->base = media == TQA_MEDIA_XML ? tqa_base_note(draft, bytes, n) : NULL;
    if (media == TQA_MEDIA_XML && tqa_mjcf_recognise(draft, bytes, n)) {
        if (draft->base != NULL) {
            tqa_problem_set(draft->problem, "invalid-value",
                            "base=%.20s: an MJCF says itself what holds each body (<freejoint/>)",
                            draft->base);
            return false;
        }
        return tqa_mjcf_read(draft, bytes, n) && check_draft(draft);
    }
    if (media == TQA_MEDIA_XML && tqa_sdf_recognise(draft, bytes, n)) {
        return tqa_sdf_read(draft, bytes, n) && check_draft(draft);
    }
    if (media == TQA_MEDIA_XML && tqa_xacro_recognise(draft, bytes, n)) {
        return tqa_xacro_read(draft, bytes, n) && check_draft(draft);
    }
    if (tqa_arena_short(draft->arena)) {
        return false; /* perhaps of a format that was not recognised for lack of memory */
    }
    if (media == TQA_MEDIA_XML) {
        return tqa_urdf_read(draft, bytes, n) && check_draft(draft);
    }
    if (media == TQA_MEDIA_JSON) {
        return tqa_robot_document_read(draft, bytes, n) && check_draft(draft);
    }
    tqa_problem_set(draft->problem, "unsupported-media",
                    "a robot is a URDF, MJCF or SDF (application/xml), a robot document "
                    "(application/json), or a zip archive of one of the former with its files");
    return false;
}

/* The main file of an archive. */
static bool read_archive(tqa_draft *draft, const char *bytes, size_t n)
{
    size_t n_main = 0;
    draft->archive = tqa_zip_open(draft, bytes, n);
    draft->main = draft->archive != NULL ? tqa_zip_main(draft->archive) : TQ_NONE;
    if (draft->main == TQ_NONE) {
        return false;
    }
    char *main = tqa_zip_read(draft->archive, draft->main, &n_main);
    const bool good = main != NULL && read_file(draft, TQA_MEDIA_XML, main, n_main);
    free(main);
    return good;
}

static bool read_draft(tqa_draft *draft, tqa_media media, const char *bytes, size_t n)
{
    if (n == 0) {
        tqa_draft_fault(draft, "malformed", "",
                        "send the file as the body: curl -T robot.urdf, or --data-binary "
                        "@robot.urdf",
                        "the body is empty");
        return false;
    }
    return tqa_zip_recognise(bytes, n) ? read_archive(draft, bytes, n)
                                       : read_file(draft, media, bytes, n);
}

/* The limits and a turn, or 10 m, more: beyond them q is probably in degrees, or in mm. */
static const double *far_coordinates(tqa_draft *draft, const tq_model *model)
{
    double *far = tqa_arena_take(draft->arena, 2 * (size_t)model->nq + 1, sizeof *far, 64);
    for (size_t r = 0; far != NULL && r < model->nq; r++) {
        far[r] = -HUGE_VAL;
        far[model->nq + r] = HUGE_VAL;
    }
    for (uint32_t j = 0; far != NULL && j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        const double more = joint->kind == TQ_JOINT_PRISMATIC ? 10.0 : 2.0 * M_PI;
        if (joint->kind == TQ_JOINT_REVOLUTE || joint->kind == TQ_JOINT_PRISMATIC) {
            for (uint32_t k = 0; k < joint->nq; k++) {
                far[joint->q_index + k] = joint->limits.lower - more;
                far[model->nq + joint->q_index + k] = joint->limits.upper + more;
            }
        }
    }
    return far;
}

/* Angles of q that are no part of a quaternion, and all angular velocities. */
static const bool *angles_of(tqa_draft *draft, const tq_model *model)
{
    bool *angles =
        tqa_arena_take(draft->arena, (size_t)model->nq + model->nv + 1, sizeof *angles, 1);
    for (uint32_t j = 0; angles != NULL && j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        bool *q = angles + joint->q_index, *v = angles + model->nq + joint->v_index;
        const bool turns = joint->kind != TQ_JOINT_PRISMATIC;
        const uint32_t first = joint->kind == TQ_JOINT_PLANAR     ? 2
                               : joint->kind == TQ_JOINT_FLOATING ? 3
                                                                  : 0;
        for (uint32_t k = first; k < joint->nv && turns; k++) {
            v[k] = true;
        }
        for (uint32_t k = 0; k < joint->nq && joint->nq == joint->nv; k++) {
            q[k] = v[k];
        }
    }
    return angles;
}

static tqa_robot *make_robot(tqa_draft *draft)
{
    const tq_mechanism *mechanism = build_mechanism(draft);
    if (mechanism == NULL || !tqa_constraints_assemble(draft, mechanism)) {
        return NULL;
    }
    tq_constraints *constraints = NULL;
    if (draft->constraints.n_constraint > 0 && draft->model.nv > 0) {
        constraints = tqa_arena_take(draft->arena, 1, sizeof *constraints, 16);
        if (constraints != NULL) {
            *constraints = draft->constraints;
        }
    }
    const double *far_q = far_coordinates(draft, tq_mechanism_model(mechanism));
    const bool *is_angle = angles_of(draft, tq_mechanism_model(mechanism));
    tqa_robot *robot = tqa_arena_take(draft->arena, 1, sizeof *robot, 16);
    if (robot == NULL || tqa_arena_spent(draft->arena)) {
        tqa_problem_set(draft->problem, "too-large", "the robot needs more memory than is given");
        return NULL;
    }
    *robot = (tqa_robot){
        .name = draft->name,
        .description = draft->description,
        .source = draft->source,
        .mechanism = mechanism,
        .model = tq_mechanism_model(mechanism),
        .link_names = draft->link_names,
        .joint_names = draft->joint_names,
        .tendon_names = draft->tendon_names,
        .joint_rpy = draft->joint_rpy,
        .drives = draft->drives,
        .links = draft->links,
        .joints = draft->joints,
        .constraints = constraints,
        .constraint_notes = draft->constraint_notes,
        .row_names = draft->row_names,
        .actuated = draft->constraints.actuated,
        .assembled = draft->assembled,
        .far_q = far_q,
        .is_angle = is_angle,
        .n_free = draft->n_free,
        .findings = draft->findings,
        .n_finding = draft->n_finding,
        .arena = draft->arena,
    };
    return robot;
}

tqa_robot *tqa_robot_parse(tqa_media media, const char *bytes, size_t n, tqa_problem *reterr)
{
    assert(bytes != NULL || n == 0);
    assert(reterr != NULL);
    reterr->status = 0;
    reterr->n_fault = 0;
    if (n > TQA_ROBOT_BYTES_MAX) {
        tqa_problem_set(reterr, "too-large", "a robot has at most %d bytes", TQA_ROBOT_BYTES_MAX);
        return NULL;
    }
    /* 64 times the bytes, with a floor for small robots whose fixed tables weigh more */
    size_t budget = 64 * (n + tqa_zip_text_size(n > 0 ? bytes : "", n)) + ARENA_FLOOR;
    budget = budget < ARENA_MAX ? budget : (size_t)ARENA_MAX;
    tqa_arena *arena = tqa_arena_new(budget);
    if (arena == NULL) {
        tqa_problem_set(reterr, "busy", "no memory to read the robot");
        return NULL;
    }
    tqa_draft draft = {.arena = arena,
                       .problem = reterr,
                       .name = "",
                       .description = "",
                       .source = "",
                       .prefix = ""};
    tqa_robot *robot = NULL;
    if (read_draft(&draft, media, n > 0 ? bytes : "", n)) {
        robot = make_robot(&draft);
    }
    if (robot == NULL) {
        if (tqa_arena_short(arena)) {
            tqa_problem_set(reterr, "busy", "memory is short: the robot cannot be read now");
        }
        tqa_arena_free(arena);
        return NULL;
    }
    write_digest(n > 0 ? bytes : "", n, robot->digest);
    return robot;
}

void tqa_robot_free(tqa_robot *robot)
{
    if (robot != NULL) {
        tqa_arena_free(robot->arena);
    }
}
