/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/terms/include.c - memory, answer and cost of the requested names. */
#include "api/operations/terms/include.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/call/payload.h"
#include "api/openapi/generated/fields.h"
#include "api/operations/terms/constraints.h"
#include "api/operations/terms/reactions.h"
#include "api/problems/status.h"
#include "api/request/refuse.h"
#include "api/response/robot_writer.h"
#include "core/dynamics/bounds/bounds.h"
#include "core/linalg/dense.h"

/* Freedoms of a robot all of whose matrices are given: scratch and work of those without a kernel,
 * and of the inverse, grow with their cube. Of larger ones the result's memory is the bound. */
enum { FREEDOMS_MAX = 128 };
/* The same of second derivatives, whose work grows with the cube of all joints' freedoms and whose
 * arrays are 4 nv^3: 8 MiB a sample. */
enum { SECOND_FREEDOMS_MAX = 64 };
static const double box_work_max = 3e8; /* of tq_eigen_bounds_work: ten seconds */

static bool for_acceleration(const tqa_call *call)
{
    return call->operation->methods == &tqa_forward_dynamics_methods;
}

const tqa_include *tqa_include_next(const tqa_call *call, const tqa_include *row)
{
    for (; row->name != NULL; row++) {
        const bool asked = (call->request.include & row->bit) != 0 && row->compute != NULL;
        const bool fits = row->operation == TQA_FOR_ALL ||
                          (row->operation == TQA_FOR_ACCELERATION) == for_acceleration(call);
        if (asked && fits) {
            return row;
        }
    }
    return NULL;
}

size_t tqa_member_count(const tqa_include *row)
{
    size_t n = 1;
    while (n < TQA_MEMBERS_MAX && row->members[n].key != NULL) {
        n++;
    }
    return n;
}

static size_t count_drives(const tqa_call *call)
{
    size_t n = 0;
    for (uint32_t j = 0; j < call->model->n_joint; j++) {
        n += tqa_robot_drive(call->robot, j) != NULL;
    }
    return n;
}

size_t tqa_member_extent(const tqa_call *call, int extent)
{
    switch (extent) {
    case TQA_EXTENT_V:
        return call->model->nv;
    case TQA_EXTENT_LINKS:
        return call->model->n_link;
    case TQA_EXTENT_AXES: {
        const unsigned axes = call->request.options.axes;
        return axes == 0 ? 6u : (size_t)__builtin_popcount(axes);
    }
    case TQA_EXTENT_DRIVES:
        return count_drives(call);
    case TQA_EXTENT_ROWS:
        return call->robot->constraints != NULL ? call->robot->constraints->n_row : 0;
    default:
        return (size_t)extent;
    }
}

size_t tqa_member_rank(const tqa_member *member)
{
    size_t rank = 0;
    while (rank < TQA_EXTENTS_MAX && member->extents[rank] != 0) {
        rank++;
    }
    return rank;
}

size_t tqa_member_size(const tqa_call *call, const tqa_member *member)
{
    size_t size = 1;
    for (size_t k = 0; k < tqa_member_rank(member); k++) {
        size *= tqa_member_extent(call, member->extents[k]);
    }
    return size;
}

size_t tqa_include_size(const tqa_call *call, const tqa_include *row)
{
    size_t size = 0;
    for (size_t m = 0; m < tqa_member_count(row); m++) {
        size += tqa_member_size(call, &row->members[m]);
    }
    return size;
}

size_t tqa_include_size_all(const tqa_call *call)
{
    size_t size = 0;
    for (const tqa_include *row = tqa_includes; (row = tqa_include_next(call, row)) != NULL;
         row++) {
        size += tqa_include_size(call, row);
    }
    return size;
}

bool tqa_include_is_by_kernels(const tqa_call *call)
{
    if (call->request.wrenches.n > 0) {
        return false;
    }
    for (const tqa_include *row = tqa_includes; (row = tqa_include_next(call, row)) != NULL;
         row++) {
        if (row->block == NULL) {
            return false;
        }
    }
    return true;
}

bool tqa_include_wants_terms(const tqa_call *call)
{
    return (call->request.include & ~(TQA_INCLUDE_REACTIONS | TQA_INCLUDE_LIMITS)) != 0;
}

/* ------------------------------------------------------------------------------------------------
 * What the names need
 */

static bool is_given(const tqa_request *request, const char *name)
{
    for (size_t f = 0; f < request->schema->n_field; f++) {
        if (strcmp(request->schema->fields[f].name, name) == 0) {
            return (request->seen >> f & 1u) != 0;
        }
    }
    return false;
}

static bool refuse_missing(tqa_call *call, const char *name, const char *asked, const char *what)
{
    tqa_request *request = &call->request;
    char hint[TQA_PROBLEM_TEXT];
    (void)snprintf(hint, sizeof hint, "add \"%s\": %s", name, what);
    request->bad_key = name;
    request->n_bad_key = strlen(name);
    (void)tqa_refuse(request, UINT64_MAX, "missing-field", hint, "%s needs \"%s\"", asked, name);
    request->bad_key = NULL;
    return false;
}

static bool check_second_derivatives(tqa_call *call)
{
    const tq_model *model = call->robot->model;
    size_t n = 0;
    for (uint32_t j = 0; j < model->n_joint; j++) {
        n += tq_joint_kind_nv(model->joints[j].kind);
    }
    const uint64_t bits =
        TQA_INCLUDE_SECOND_DERIVATIVES | TQA_INCLUDE_ACCELERATION_SECOND_DERIVATIVES;
    return (call->request.include & bits) == 0 || n <= SECOND_FREEDOMS_MAX ||
           tqa_refuse(&call->request, UINT64_MAX, "too-large",
                      "leave second derivatives out, or lock joints of the robot (PATCH)",
                      "second derivatives are for robots of up to %d degrees of freedom, mimicking "
                      "joints counted; this one has %zu",
                      SECOND_FREEDOMS_MAX, n);
}

bool tqa_include_check(tqa_call *call)
{
    tqa_request *request = &call->request;
    const bool is_large = call->robot->model->nv > FREEDOMS_MAX && tqa_include_wants_terms(call);
    if (is_large && (!tqa_include_is_by_kernels(call) ||
                     (request->include & TQA_INCLUDE_MASS_MATRIX_INVERSE) != 0)) {
        return tqa_refuse(request, UINT64_MAX, "too-large",
                          "name of mass_matrix, coriolis_vector, gravity_torque, energy, momentum, "
                          "derivatives, without external wrenches; or ask for tau or qdd alone",
                          "this is for robots of up to %d degrees of freedom, this one has %u",
                          FREEDOMS_MAX, (unsigned)call->robot->model->nv);
    }
    if (!check_second_derivatives(call)) {
        return false;
    }
    if ((request->include & TQA_INCLUDE_MASS_MATRIX_BOUNDS) != 0 && is_given(request, "box") &&
        tq_eigen_bounds_work(call->robot->model) > box_work_max) {
        return tqa_refuse(request, UINT64_MAX, "too-large", "leave the box out",
                          "bounds over a box are for chains of up to 180 joints, mimicking and "
                          "fixed ones among them");
    }
    if ((request->include & TQA_INCLUDE_OPERATIONAL_SPACE_INERTIA) != 0 &&
        !is_given(request, "frame")) {
        return refuse_missing(call, "frame", "operational_space_inertia",
                              "a link's name, or {\"link\", \"at\"}");
    }
    if ((request->include & TQA_INCLUDE_DRIVE) != 0 && count_drives(call) == 0) {
        return tqa_refuse(
            request, UINT64_MAX, "missing-field",
            "give \"drive\": {\"motor\": {\"constant_nm_a\": 0.05, \"resistance\": 0.6}} "
            "to joints of the robot's document",
            "no joint of this robot has a drive");
    }
    if (!tqa_constraints_check(call)) {
        return false;
    }
    static const char *const references[2] = {"qd_ref", "qdd_ref"};
    for (size_t k = 0; k < 2 && (request->include & TQA_INCLUDE_PASSIVITY) != 0; k++) {
        if (!is_given(request, references[k])) {
            return refuse_missing(call, references[k], "passivity",
                                  "a sample for each of q, of nv numbers");
        }
    }
    return tqa_payload_attach(call);
}

/* ------------------------------------------------------------------------------------------------
 * Their place in the answer
 */

static const char *form_name(unsigned form)
{
    static const char *const names[] = {TQA_WORDS_TERMS_REQUEST_CORIOLIS_FORM};
    return names[form];
}

static bool no_memory(tqa_call *call)
{
    return tqa_refuse_rows(&call->request, UINT64_MAX, NULL, TQA_ROWS_MEMORY);
}

/* matrices that bounds over a box may take */
static size_t box_matrices(const tq_model *model)
{
    return 200 + 16384 / ((size_t)model->nv + 1);
}

enum { BOX_STATED = 5 };

static int is_unwanted(void *ctx)
{
    const tqa_host *host = ((const tqa_call *)ctx)->host;
    return host->cancelled(host->ctx);
}

/* Bounds over the box, once for all samples. */
static bool state_box(tqa_call *call, tqa_writer *text)
{
    const tq_model *model = call->model;
    const double *box = call->request.options.box;
    const size_t n_max = box_matrices(model);
    const size_t size = tq_eigen_bounds_scratch_size(model, n_max);
    void *memory = aligned_alloc(64, (size + 63) / 64 * 64);
    if (memory == NULL) {
        return no_memory(call);
    }
    tq_scratch scratch;
    tq_eigen_bounds bounds;
    tq_error error = {0};
    tq_scratch_init(&scratch, memory, size);
    if (call->host != NULL && call->host->cancelled != NULL) {
        tq_scratch_set_stop(&scratch, is_unwanted, call);
    }
    const tq_status status =
        tq_mass_matrix_eigen_bounds(model, box, box + model->nq, n_max, &scratch, &bounds, &error);
    free(memory);
    if (status == TQ_ERR_RANGE) {
        return tqa_refuse(&call->request, UINT64_MAX, "range",
                          "leave out \"box\": without it eigenvalues at q are returned",
                          "joint \"%s\" is planar, spherical or floating: its q has no box",
                          call->robot->joint_names[error.index]);
    }
    if (status != TQ_OK) {
        (void)tqa_problem_from_status(&call->problem, status, &error);
        tqa_problem_fault(&call->problem, "/box", tqa_problem_status_hint(status), "%s",
                          tq_status_text(status));
        return false;
    }
    char reason[TQA_PROBLEM_TEXT];
    (void)snprintf(reason, sizeof reason, "%zu matrices and a Lipschitz bound", bounds.n_evaluated);
    if (!bounds.bounded) {
        (void)snprintf(reason, sizeof reason, "joint \"%.64s\" has no limits: M is not bounded",
                       call->robot->joint_names[bounds.joint]);
    }
    tqa_writer_number_or_null(text, "box_smallest_attained", bounds.attained_smallest);
    tqa_writer_number_or_null(text, "box_largest_attained", bounds.attained_largest);
    tqa_writer_number_or_null(text, "box_smallest_guaranteed", bounds.guaranteed_smallest);
    tqa_writer_number_or_null(text, "box_largest_guaranteed", bounds.guaranteed_largest);
    tqa_writer_string(text, "box_reason", reason);
    return true;
}

/* `frame`, as used */
static void state_point(tqa_call *call, tqa_writer *text)
{
    tqa_writer_object(text, "frame");
    tqa_writer_point(text, call->robot, &call->request.options.frame);
    tqa_writer_end(text);
}

/* Names with arrays of every link. */
static const uint64_t of_links =
    TQA_INCLUDE_LINK_JACOBIANS | TQA_INCLUDE_LINK_JACOBIAN_RATES | TQA_INCLUDE_MOMENTUM_REGRESSOR;

/* The start of the object of a row. NULL: the problem is set, or there is no memory. */
static char *state(tqa_call *call, const tqa_include *row, size_t *ret_n)
{
    const tqa_options *options = &call->request.options;
    size_t n_stated = 0;
    while (n_stated < TQA_STATED_MAX && row->stated[n_stated][0] != NULL) {
        n_stated++;
    }
    static const char *const axes[] = {TQA_WORDS_TERMS_REQUEST_AXES};
    size_t n_own = 0;
    n_own += row->bit == TQA_INCLUDE_CORIOLIS_MATRIX || (row->bit & of_links) != 0 ||
             row->bit == TQA_INCLUDE_DRIVE;
    n_own += row->bit == TQA_INCLUDE_MULTIPLIERS || row->bit == TQA_INCLUDE_CONSTRAINT_JACOBIAN;
    const bool over_box = row->bit == TQA_INCLUDE_MASS_MATRIX_BOUNDS && options->has_box;
    n_own += row->bit == TQA_INCLUDE_OPERATIONAL_SPACE_INERTIA ? 2 : 0;
    n_own += over_box ? BOX_STATED : 0;
    tqa_writer text = {.cbor = call->accept == TQA_MEDIA_CBOR};
    tqa_writer_members(&text);
    tqa_writer_object_of(&text, row->name, n_stated + n_own + tqa_member_count(row));
    for (size_t s = 0; s < n_stated; s++) {
        tqa_writer_string(&text, row->stated[s][0], row->stated[s][1]);
    }
    if (row->bit == TQA_INCLUDE_CORIOLIS_MATRIX) {
        tqa_writer_string(&text, "form", form_name(options->form));
    } else if ((row->bit & of_links) != 0) {
        tqa_writer_names(&text, "links", call->robot->link_names, call->model->n_link);
    } else if (row->bit == TQA_INCLUDE_MULTIPLIERS || row->bit == TQA_INCLUDE_CONSTRAINT_JACOBIAN) {
        tqa_writer_names(&text, "rows", call->robot->row_names, call->robot->constraints->n_row);
    } else if (row->bit == TQA_INCLUDE_DRIVE) {
        const char *driven[FREEDOMS_MAX]; /* drives have no kernel: no larger robot comes here */
        size_t n = 0;
        for (uint32_t j = 0; j < call->model->n_joint; j++) {
            if (tqa_robot_drive(call->robot, j) != NULL) {
                driven[n++] = call->robot->joint_names[j];
            }
        }
        tqa_writer_names(&text, "joints", driven, n);
    } else if (row->bit == TQA_INCLUDE_OPERATIONAL_SPACE_INERTIA) {
        const char *chosen[6];
        size_t n = 0;
        for (size_t k = 0; k < 6; k++) {
            if (options->axes == 0 || (options->axes >> k & 1u) != 0) {
                chosen[n++] = axes[k];
            }
        }
        state_point(call, &text);
        tqa_writer_names(&text, "axes", chosen, n);
    }
    const bool stated = !over_box || state_box(call, &text);
    char *bytes = tqa_writer_take_open(&text, ret_n);
    if (!stated) {
        free(bytes);
        return NULL;
    }
    return bytes;
}

static bool add_row(tqa_call *call, const tqa_include *row, size_t *first_row)
{
    const size_t n = tqa_member_count(row);
    for (size_t m = 0; m < n; m++) {
        const tqa_member *member = &row->members[m];
        const size_t rank = tqa_member_rank(member);
        tqa_result_array array = {
            .key = member->key != NULL ? member->key : row->name,
            .blocks = &call->terms,
            .first_row = *first_row,
            .n_row = tqa_member_size(call, member),
            .scalar = rank == 0,
            .closes = member->key != NULL && m + 1 == n,
        };
        if (rank > 1) {
            array.group = tqa_member_extent(call, member->extents[rank - 1]);
        }
        if (rank > 2) {
            array.plane = array.group * tqa_member_extent(call, member->extents[1]);
        }
        if (member->key != NULL && m == 0) {
            char *text = state(call, row, &array.n_before);
            array.before = text;
            if (!tqa_call_keep_text(call, text)) {
                return call->problem.status != 0 ? false : no_memory(call);
            }
        }
        call->result.n_member += member->key == NULL;
        tqa_result_add_array(&call->result, &array);
        *first_row += array.n_row;
    }
    return true;
}

bool tqa_include_add(tqa_call *call)
{
    if ((call->request.include & TQA_INCLUDE_REACTIONS) != 0 && !tqa_reactions_add(call)) {
        return false;
    }
    if (!tqa_constraints_reserve(call)) {
        return no_memory(call);
    }
    const size_t n_row = tqa_include_size_all(call);
    tqa_blocks_init(&call->terms, n_row, NULL, &call->budget);
    if (n_row > 0 && !tqa_blocks_reserve(&call->terms, call->request.n_sample)) {
        return no_memory(call);
    }
    size_t first_row = 0;
    for (const tqa_include *row = tqa_includes; (row = tqa_include_next(call, row)) != NULL;
         row++) {
        if (!add_row(call, row, &first_row)) {
            return false;
        }
    }
    return true;
}

/* Measured on an arm of 7 axes and 11 joints, within a factor of 2: a posture 1 us, most names 2 to
 * 6 us, those that go through every rate 14 to 40 us, a matrix of a box 6 us. */
double tqa_include_cost_us(const tqa_call *call)
{
    const double nv = (double)call->model->nv, n_joint = (double)call->model->n_joint + 1.0;
    const double number_us = tqa_call_number_us(call);
    double each = number_us * (double)tqa_include_size_all(call);
    if ((call->request.include & TQA_INCLUDE_REACTIONS) != 0) {
        each += (0.12 + 6.0 * number_us) * n_joint;
    }
    if (tqa_include_wants_terms(call)) {
        each += 0.12 * n_joint;
    }
    if ((call->request.include & TQA_INCLUDE_MASS_MATRIX_BOUNDS) != 0 &&
        call->request.options.has_box) {
        const double n_matrix = 2.0 * (double)box_matrices(call->model);
        const double fourth = nv <= 24.0 ? nv * nv * nv * nv : 0.0; /* bounds_relative.h */
        each += (n_matrix * (0.3 * n_joint + 0.008 * nv * nv * nv) +
                 fourth * (512.0 * 0.004 + 0.04 * nv) + 512.0 * 0.3 * n_joint * nv +
                 0.03 * tq_eigen_bounds_work(call->model)) /
                (double)call->request.n_sample;
    }
    if ((call->request.include & TQA_INCLUDE_LIMITS) != 0) {
        each += 0.01 * n_joint;
    }
    for (const tqa_include *row = tqa_includes; (row = tqa_include_next(call, row)) != NULL;
         row++) {
        each += 0.3 * n_joint * (row->for_each_rate ? nv : 1.0);
    }
    return each;
}
