/* SPDX-License-Identifier: Apache-2.0 */
/* core/kernels/crba.c - mass matrix by the composite-rigid-body algorithm (CRBA). */
#include "core/kernels/composite.h"
#include "core/kernels/entries.h"
#include "core/kernels/inward.h"
#include "core/kernels/outward.h"
#include "core/kernels/symbols.h"

/* Walker & Orin, Efficient dynamic computer simulation of robotic mechanisms, J. DSMC 104, 1982;
 * Featherstone 2008, table 6.2. The wrench F_c = I_c s_c accelerates the subtree of dof c by one
 * unit along it; F_c is moved inward and M_rc = s_r . F_c is read at every ancestor r. */
typedef struct columns {
    state st;
    composite *sums;  /* of bodies with has_branch: contributions of children that are not b + 1 */
    wrench *wrenches; /* one per dof */
    entries at;
} columns;

/* Row r of M from component `part` (0 .. 5: force, moment) of the columns c = first .. end - 1.
 * Pointers are local variables: a store may alias any struct member. */
TQ_INLINE void put_row(const columns *w, double *m, int r, int part, int first, int end)
{
    double *row = m + w->at.down[r];
    const long *across = w->at.across;
    const real *x = &w->wrenches[0].f.x + part;
    TQ_UNROLL_4
    for (int c = first; c < end; c++) {
        store(row + across[c], x[6L * c]);
    }
}

/* The six entries of column c in the rows of a floating joint whose first freedom is r. */
TQ_INLINE void put_six(const columns *w, double *m, int r, int c, wrench x)
{
    const long *down = w->at.down + r;
    double *column = m + w->at.across[c];
    store(column + down[0], x.f.x);
    store(column + down[1], x.f.y);
    store(column + down[2], x.f.z);
    store(column + down[3], x.n.x);
    store(column + down[4], x.n.y);
    store(column + down[5], x.n.z);
}

/* F_c = I_c s_c for the dofs of joint k */
TQ_INLINE void begin_columns(const columns *w, const tq_canonical_joint *k, const composite *a)
{
    wrench *own = w->wrenches + k->dof;
    if (k->kind == TQ_CANONICAL_REVOLUTE) {
        own[0] = composite_twirl(a, 2);
    } else if (k->kind == TQ_CANONICAL_PRISMATIC) {
        own[0] = composite_push(k->subtree_mass, a, 2);
    } else {
        if (k->kind == TQ_CANONICAL_FLOATING) {
            for (int axis = 0; axis < 3; axis++) {
                own[axis] = composite_push(k->subtree_mass, a, axis);
            }
            own += 3;
        }
        for (int axis = 0; axis < 3; axis++) {
            own[axis] = composite_twirl(a, axis);
        }
    }
}

/* rows of joint k: s_r . F_c for the columns dof .. end - 1 */
TQ_INLINE void read_rows(const columns *w, const tq_canonical_joint *k, int end, double *m)
{
    if (k->kind == TQ_CANONICAL_REVOLUTE) {
        put_row(w, m, k->dof, 5, k->dof, end);
    } else if (k->kind == TQ_CANONICAL_PRISMATIC) {
        put_row(w, m, k->dof, 2, k->dof, end);
    } else if (k->kind == TQ_CANONICAL_FLOATING) {
        const int until = k->parent < 0 ? k->dof + 6 : end;
        for (int col = k->dof; col < until; col++) {
            put_six(w, m, k->dof, col, w->wrenches[col]);
        }
    } else {
        const int parts = tq_canonical_freedoms(k->kind);
        for (int r = 0; r < parts; r++) {
            put_row(w, m, k->dof + r, 6 - parts + r, k->dof, end);
        }
    }
}

/* First dof of the parent of joint k if the parent is a floating base: columns end there and are
 * written into its rows directly. Else -1. */
TQ_INLINE int floating_root_dof(const tq_canonical *c, const tq_canonical_joint *k)
{
    const tq_canonical_joint *parent = &c->joints[k->parent];
    const _Bool lands = parent->parent < 0 && parent->kind == TQ_CANONICAL_FLOATING;
    return lands ? parent->dof : -1;
}

/* stores column `col` after it has been moved one joint inward */
TQ_INLINE void put_column(const columns *w, double *m, int root, int col, wrench x)
{
    if (root >= 0) {
        put_six(w, m, root, col, x);
    } else {
        w->wrenches[col] = x;
    }
}

/* moves columns k->dof .. end - 1 and the composite one joint inward */
TQ_INLINE void columns_inward(const columns *w, const tq_canonical_joint *k, turn t, real d,
                              int end, double *m, int root, composite *a)
{
    for (int col = k->dof; col < end; col++) {
        put_column(w, m, root, col, inward_single(k, t, d, w->wrenches[col]));
    }
    *a = composite_inward(k, t, d, *a);
}

static void one_group(const tq_canonical *c, const tq_kernel_input *in, long i, const columns *w,
                      double *m)
{
    const long stride = in->stride;
    wrench *wrenches = w->wrenches;
    composite a = composite_zero();
    for (int b = 0; b < c->n_body; b++) {
        if (c->joints[b].has_branch) {
            w->sums[b] = composite_zero();
        }
    }
    for (int b = c->n_body - 1; b >= 0; b--) {
        const tq_canonical_joint *k = &c->joints[b];
        const int end = c->joints[k->last].dof + tq_canonical_freedoms(c->joints[k->last].kind);
        a = k->next_is_child ? composite_add(a, composite_of(k)) : composite_of(k);
        if (k->has_branch) {
            a = composite_add(a, w->sums[b]);
        }
        begin_columns(w, k, &a);
        read_rows(w, k, end, m + i);
        if (k->rotor != 0.0) {
            double *at = m + i + w->at.down[k->dof] + w->at.across[k->dof];
            store(at, load(at) + splat(k->rotor * in->rotors));
        }
        if (k->parent < 0) {
            continue;
        }
        const int root = floating_root_dof(c, k);
        if (k->ball >= 0) {
            const ball at = w->st.balls[k->ball];
            for (int col = k->dof; col < end; col++) {
                put_column(w, m + i, root, col, inward_ball(k, &at, wrenches[col]));
            }
            a = composite_inward_ball(k, &at, a);
        } else {
            const turn t = joint_turn(k, &w->st.cs[b]);
            const real d = joint_travel(k, in->q + i, stride);
            if (k->alpha_is_right) {
                columns_inward(w, k, turn_known(t, 1), d, end, m + i, root, &a);
            } else if (k->alpha_is_zero) {
                columns_inward(w, k, turn_level(t), d, end, m + i, root, &a);
            } else {
                columns_inward(w, k, t, d, end, m + i, root, &a);
            }
        }
        if (!k->parent_is_previous) {
            w->sums[k->parent] = composite_add(w->sums[k->parent], a);
        }
    }
}

int TQ_KERNEL(tq_crba)(const tq_canonical *c, const tq_kernel_input *in, double *work,
                       const int32_t *rows, long n_row, double *ret_m)
{
#ifdef TQ_WIDE
    if (c->side_by_side) {
        return TQ_KERNEL_EXPAND(tq_crba_one, TQ_WIDE)(c, in, work, rows, n_row, ret_m);
    }
#endif
    real *rest;
    columns w = {.st = state_in(c, work, &rest)};
    w.sums = (void *)rest;
    w.wrenches = (void *)(rest + 9L * c->n_body);
    w.at = entries_in(c, in, rows, n_row, rest + 9L * c->n_body + 6L * c->n_dof);
    for (long i = 0; i < in->n_sample; i += TQ_LANES) {
        place_joints(c, in->q + i, in->stride, w.st.cs, w.st.balls);
        one_group(c, in, i, &w, ret_m);
    }
    entries_complete(c, &w.at, in->n_sample, !w.at.half, ret_m);
    return 1;
}
