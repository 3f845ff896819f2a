/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/simulate/solver.c - `solver` of a simulation: method, tolerances, steps. */
#include <string.h>

#include "api/openapi/generated/fields.h"
#include "api/openapi/generated/ranges.h"
#include "api/operations/simulate/simulate.h"

static const double default_rtol = TQA_RANGE_SIMULATE_REQUEST_SOLVER_RTOL_DEFAULT;
static const double default_atol =
    TQA_RANGE_SIMULATE_REQUEST_SOLVER_ATOL_DEFAULT; /* rad, m and by second */
static const double least_tolerance = TQA_RANGE_SIMULATE_REQUEST_SOLVER_RTOL_LEAST;
static const double default_step =
    TQA_RANGE_SIMULATE_REQUEST_SOLVER_STEP_S_DEFAULT; /* s: a hundredth of an arm's fastest motion */
static const double steps_max = 1e9;                  /* about an hour of a worker */
static const uint64_t evaluations_max = 1u << 31;     /* the same */

static const char *const solver_fields[] = {TQA_FIELDS_SIMULATE_REQUEST_SOLVER, NULL};
static const char *const methods[] = {TQA_WORDS_SIMULATE_REQUEST_SOLVER_METHOD, NULL};

const char *tqa_simulation_method(tq_run_method method)
{
    return methods[method];
}

static bool read_tolerance(const tqa_value *part, double *ret)
{
    if (part->value == NULL) {
        return true;
    }
    return tqa_value_positive(part, ret) &&
           ((*ret >= least_tolerance && *ret <= TQA_RANGE_SIMULATE_REQUEST_SOLVER_RTOL_MOST) ||
            tqa_value_refuse(part, "range", "1e-9 suits most", "%g is not between %g and 0.1", *ret,
                             least_tolerance));
}

/* a field of the other family of methods */
static bool refuse_stranger(const tqa_value *part, const char *hint, tq_run_method method)
{
    return part->value == NULL ||
           tqa_value_refuse(part, "invalid-value", hint, "not with the method %s", methods[method]);
}

static bool read_fields(tqa_simulation *s, const tqa_value *solver)
{
    tq_run_options *o = &s->options;
    const tqa_value name = tqa_value_field(solver, "method");
    const tqa_value step = tqa_value_field(solver, "step_s");
    const tqa_value rtol = tqa_value_field(solver, "rtol");
    const tqa_value atol = tqa_value_field(solver, "atol");
    const tqa_value max_step = tqa_value_field(solver, "max_step_s");
    const bool touches = s->plant.contacts != NULL;
    unsigned method = touches ? TQ_RUN_MOREAU : step.value != NULL ? TQ_RUN_RK4 : TQ_RUN_DOPRI87;
    if (name.value != NULL && !tqa_value_choice(&name, methods, &method)) {
        return false;
    }
    o->method = (tq_run_method)method;
    if (!tq_run_is_adaptive(o->method) && s->contacts.is_compliant) {
        const tqa_value *named = name.value != NULL ? &name : &step;
        return tqa_value_refuse(named, "invalid-value",
                                "leave it out, or take dopri87, dopri45, sdirk or bdf",
                                "compliant contacts are stiff while they touch: steps of one size "
                                "are too long there, or too short elsewhere");
    }
    if (!tq_run_is_adaptive(o->method)) {
        return refuse_stranger(&rtol, "steps of one size have \"step_s\"", o->method) &&
               refuse_stranger(&atol, "steps of one size have \"step_s\"", o->method) &&
               refuse_stranger(&max_step, "steps of one size have \"step_s\"", o->method) &&
               (step.value == NULL || tqa_value_positive(&step, &o->step));
    }
    return refuse_stranger(&step, "adaptive methods have \"rtol\", \"atol\" and \"max_step_s\"",
                           o->method) &&
           read_tolerance(&rtol, &o->rtol) && read_tolerance(&atol, &o->atol) &&
           (max_step.value == NULL || tqa_value_positive(&max_step, &o->max_step));
}

static bool check_method(tqa_simulation *s, const tqa_value *solver)
{
    const tq_run_options *o = &s->options;
    const tq_model *model = s->tree->robot->model;
    const tqa_value name = tqa_value_field(solver, "method");
    const size_t n = (size_t)model->nq + model->nv;
    if (o->method == TQ_RUN_MIDPOINT && model->nq != model->nv) {
        return tqa_value_refuse(&name, "invalid-value", "\"dopri87\" at a tight tolerance",
                                "coordinates and momenta need joints without quaternions");
    }
    if ((o->method == TQ_RUN_BDF || o->method == TQ_RUN_SDIRK) && n > TQ_ODE_IMPLICIT_MAX) {
        return tqa_value_refuse(&name, "too-large", "\"dopri87\"",
                                "%zu states are more than the %d of implicit methods", n,
                                TQ_ODE_IMPLICIT_MAX);
    }
    if ((o->method == TQ_RUN_MOREAU) != (s->plant.contacts != NULL)) {
        return tqa_value_refuse(&name, "invalid-value",
                                o->method == TQ_RUN_MOREAU ? "\"dopri87\"" : "\"moreau-jean\"",
                                "\"moreau-jean\" is the method of runs with \"contacts\", and of "
                                "those alone");
    }
    const double steps = tq_run_is_adaptive(o->method)
                             ? (o->max_step > 0.0 ? s->duration / o->max_step : 0.0)
                             : s->duration / o->step + (double)s->n_output;
    return steps <= steps_max ||
           tqa_value_refuse(solver, "range", "a longer step, or a shorter duration",
                            "%g steps are more than %g", steps, steps_max);
}

bool tqa_simulation_read_solver(tqa_simulation *s)
{
    const tqa_value root = tqa_value_root(s->tree);
    const tqa_value solver = tqa_value_field(&root, "solver");
    s->options = (tq_run_options){
        .method = s->plant.contacts != NULL ? TQ_RUN_MOREAU : TQ_RUN_DOPRI87,
        .rtol = default_rtol,
        .atol = default_atol,
        .step = s->interval > 0.0 && s->interval < default_step ? s->interval : default_step,
        .end = s->duration,
        .max_evaluations = evaluations_max};
    if (solver.value == NULL) {
        return true;
    }
    return tqa_value_object(&solver, solver_fields) && read_fields(s, &solver) &&
           check_method(s, &solver);
}
