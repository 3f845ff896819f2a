/* SPDX-License-Identifier: Apache-2.0 */
/* core/integrate/controller.c - PI and PID controllers, the defaults of ARKODE 6.4. */
#include "core/integrate/controller.h"

#include <math.h>

#include "core/elementary/elementary.h"

/* Steps aim at a tenth of the tolerance (bias 10): local errors accumulate, and users expect the
 * tolerance to hold for the result. Costs 25 % more steps at order 8. */
const tq_ode_adapt tq_ode_adapt_explicit = {
    .k = {0.8, 0.31, 0.0}, .bias = 10.0, .safety = 0.99, .growth = 25.0, .past = {1.0, 1.0}};
const tq_ode_adapt tq_ode_adapt_implicit = {
    .k = {0.58, 0.21, 0.1}, .bias = 1.5, .safety = 0.96, .growth = 20.0, .past = {1.0, 1.0}};

double tq_ode_adapt_step(const tq_ode_adapt *a, double h, const double errors[3], int p)
{
    static const double least = 1e-10;
    return h * tq_pow(fmax(errors[0], least), -a->k[0] / p) *
           tq_pow(fmax(errors[1], least), a->k[1] / p) *
           tq_pow(fmax(errors[2], least), -a->k[2] / p);
}

#if SUNDIALS_VERSION_MAJOR >= 7

static SUNAdaptController_Type type_of(SUNAdaptController c)
{
    (void)c;
    return SUN_ADAPTCONTROLLER_H;
}

/* The library passes an order that is one below that of the estimate. */
static SUNErrCode estimate(SUNAdaptController c, sunrealtype h, int p, sunrealtype dsm,
                           sunrealtype *ret_h)
{
    const tq_ode_adapt *a = c->content;
    const double errors[] = {a->bias * dsm, a->past[0], a->past[1]};
    *ret_h = tq_ode_adapt_step(a, h, errors, p + 1);
    return SUN_SUCCESS;
}

static SUNErrCode update(SUNAdaptController c, sunrealtype h, sunrealtype dsm)
{
    (void)h;
    tq_ode_adapt *a = c->content;
    a->past[1] = a->past[0];
    a->past[0] = a->bias * dsm;
    return SUN_SUCCESS;
}

static SUNErrCode reset(SUNAdaptController c)
{
    tq_ode_adapt *a = c->content;
    a->past[0] = a->past[1] = 1.0;
    return SUN_SUCCESS;
}

static SUNErrCode destroy(SUNAdaptController c)
{
    SUNAdaptController_DestroyEmpty(c);
    return SUN_SUCCESS;
}

SUNAdaptController tq_ode_adapt_controller(tq_ode_adapt *a, SUNContext context)
{
    SUNAdaptController c = SUNAdaptController_NewEmpty(context);
    if (c != NULL) {
        c->content = a;
        c->ops->gettype = type_of;
        c->ops->estimatestep = estimate;
        c->ops->updateh = update;
        c->ops->reset = reset;
        c->ops->destroy = destroy;
    }
    return c;
}

#endif
