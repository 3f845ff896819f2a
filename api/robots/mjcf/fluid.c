/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/mjcf/fluid.c - boxes that bodies are to a fluid: MuJoCo infers them from inertias. */
#include "api/robots/mjcf/fluid.h"

#include <math.h>
#include <string.h>

#include "api/robots/mjcf/parts.h"

static const double least = TQA_MJCF_LEAST; /* of a mass, and of a sum of moments */

/* A := J^T A J and V := V J, J the rotation by c and s in the plane of p and q */
static void rotate(double a[9], double v[9], unsigned p, unsigned q, double c, double s)
{
    double j[9];
    tq_mat_identity(j);
    j[4 * p] = j[4 * q] = c;
    j[3 * p + q] = s;
    j[3 * q + p] = -s;
    tq_mat_tproduct(j, a, a);
    tq_mat_product(a, j, a);
    tq_mat_product(v, j, v);
}

/* Jacobi's method with the largest product first, as MuJoCo's compiler has it: where two moments
 * are equal, the axes depend on that order (Golub & Van Loan, Matrix Computations, 8.5). */
void tqa_mjcf_principal(const double s[6], double ret_axes[9], double ret_moments[3])
{
    double a[9] = {s[0], s[1], s[2], s[1], s[3], s[4], s[2], s[4], s[5]};
    const double scale = fabs(s[0]) + fabs(s[3]) + fabs(s[5]);
    tq_mat_identity(ret_axes);
    for (int sweep = 0; sweep < 50; sweep++) {
        const double xy = fabs(a[1]), xz = fabs(a[2]), yz = fabs(a[5]);
        const bool first = xy > xz && xy > yz;
        const unsigned p = first || xz > yz ? 0 : 1, q = first ? 1 : 2;
        const double pivot = a[3 * p + q];
        if (!(fabs(pivot) > 1e-14 * scale)) {
            break; /* rounding, which would turn equal moments' axes by any angle */
        }
        const double tau = (a[4 * q] - a[4 * p]) / (2.0 * pivot);
        const double t = copysign(1.0, tau) / (fabs(tau) + sqrt(1.0 + tau * tau));
        const double c = 1.0 / sqrt(1.0 + t * t);
        rotate(a, ret_axes, p, q, c, t * c);
    }
    for (int k = 0; k < 3; k++) {
        ret_moments[k] = a[4 * k];
    }
}

void tqa_mjcf_box(double mass, const double com[3], const double axes[9], const double moments[3],
                  tq_drag_box *ret)
{
    *ret = (tq_drag_box){.at = tq_pose_identity};
    if (!(mass >= least)) {
        return;
    }
    for (int k = 0; k < 3; k++) {
        const double sum = moments[(k + 1) % 3] + moments[(k + 2) % 3] - moments[k];
        ret->size[k] = sqrt(6.0 * fmax(least, sum) / mass);
        ret->at.p[k] = com[k];
    }
    memcpy(ret->at.r, axes, sizeof ret->at.r);
}

bool tqa_mjcf_moments(const tq_link *link, double ret[3])
{
    static const double slack = 1e-12;
    const double *s = link->inertia.about_com;
    double a[9] = {s[0], s[1], s[2], s[1], s[3], s[4], s[2], s[4], s[5]};
    tq_drag_box own;
    tq_mat_product(a, link->drag.at.r, a);
    tq_mat_tproduct(link->drag.at.r, a, a);
    const double scale = fabs(a[0]) + fabs(a[4]) + fabs(a[8]);
    for (int k = 0; k < 3; k++) {
        ret[k] = a[4 * k];
    }
    tqa_mjcf_box(link->inertia.mass, link->inertia.com, link->drag.at.r, ret, &own);
    const double *here = own.size, *there = link->drag.size;
    bool same = fabs(a[1]) + fabs(a[2]) + fabs(a[5]) <= slack * scale;
    for (int k = 0; k < 3; k++) {
        const double largest = fmax(here[0], fmax(here[1], here[2]));
        same = same && own.at.p[k] == link->drag.at.p[k] &&
               fabs(here[k] * here[k] - there[k] * there[k]) <= slack * largest * largest;
    }
    return same;
}

static bool moves(const tq_model *model, uint32_t l)
{
    bool any = false;
    while (model->links[l].joint != TQ_NONE) {
        const tq_joint *joint = &model->joints[model->links[l].joint];
        any = any || joint->kind != TQ_JOINT_FIXED;
        l = joint->parent;
    }
    return any;
}

const char *tqa_mjcf_other_box(const tqa_robot *robot)
{
    const tq_model *model = robot->model;
    for (uint32_t l = 0; tq_model_has_drag(model) && l < model->n_link; l++) {
        const tq_link *link = &model->links[l];
        const double *size = link->drag.size;
        const bool boxed = size[0] != 0.0 || size[1] != 0.0 || size[2] != 0.0;
        double moments[3];
        if (moves(model, l) && (boxed || link->inertia.mass >= least) &&
            !(boxed && tqa_mjcf_moments(link, moments))) {
            return robot->link_names[l];
        }
    }
    return NULL;
}
