/* SPDX-License-Identifier: Apache-2.0 */
/* core/kernels/columns.c - mass matrix (CRBA) of one sample: SIMD lanes hold columns of M, not
 * samples. */
#include "core/kernels/composite.h"
#include "core/kernels/entries.h"
#include "core/kernels/inward.h"
#include "core/kernels/symbols.h"

#if TQ_LANES >= 4 /* only in builds that TQ_WIDE of another build names */
/* As crba.c, with the wrenches of TQ_LANES columns in the lanes; all other values are equal in all
 * lanes. The same functions, so the same bits. */
typedef struct pair {
    double c, s; /* in the layout of tq_sines */
} pair;

typedef struct columns {
    const tq_canonical *c;
    const double *q; /* of the one sample */
    long stride, pitch;
    double rotors;
    const pair *cs;
    composite *sums;  /* of bodies with has_branch */
    double *wrenches; /* (6 x pitch): force and moment of every column, padded to whole vectors */
    entries at;
} columns;

/* masks: lane `lane` only; lanes 0 .. n - 1 */
TQ_INLINE real_bits lane_alone(int lane)
{
    static const uint64_t alone[15] = {[7] = UINT64_MAX};
    real_bits mask;
    __builtin_memcpy(&mask, alone + 7 - lane, sizeof mask);
    return mask;
}
TQ_INLINE real_bits lanes_before(int n)
{
    static const uint64_t before[16] = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX,
                                        UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};
    real_bits mask;
    __builtin_memcpy(&mask, before + 8 - n, sizeof mask);
    return mask;
}

/* Blends, not `no ^ (yes ^ no) & mask`, as gcc writes `and` and `or`: memcheck cannot see that the
 * latter does not depend on `no`, which may be memory that was never written. */
TQ_INLINE wrench choose_wrench(real_bits mask, wrench yes, wrench no)
{
    return (wrench){{where_signed(mask, yes.f.x, no.f.x), where_signed(mask, yes.f.y, no.f.y),
                     where_signed(mask, yes.f.z, no.f.z)},
                    {where_signed(mask, yes.n.x, no.n.x), where_signed(mask, yes.n.y, no.n.y),
                     where_signed(mask, yes.n.z, no.n.z)}};
}

TQ_INLINE double first_lane(real x)
{
    return x[0];
}

/* Row r of M from component `part` of the columns first .. end - 1, and its mirror image. */
TQ_INLINE void put_row(const columns *w, double *m, int r, int part, int first, int end)
{
    double *row = m + w->at.down[r], *column = m + w->at.across[r];
    const long *across = w->at.across, *down = w->at.down;
    const double *x = w->wrenches + part * w->pitch;
    TQ_UNROLL_4
    for (int c = first; c < end; c++) {
        row[across[c]] = x[c];
    }
    if (!w->at.half) {
        TQ_UNROLL_4
        for (int c = first; c < end; c++) {
            column[down[c]] = x[c];
        }
    }
}

/* structural zeros of row r and column r: columns end .. n_dof - 1 */
TQ_INLINE void clear(const columns *w, double *m, int r, int end)
{
    for (int c = end; c < w->at.n_dof && !w->at.again; c++) {
        m[w->at.down[r] + w->at.across[c]] = 0.0;
        m[w->at.down[c] + w->at.across[r]] = 0.0;
    }
}

/* Moves the wrenches of columns k->dof + 1 .. end - 1, and `own` for column k->dof, one joint
 * inward; other columns stay unchanged. */
TQ_INLINE void columns_inward(const columns *w, const tq_canonical_joint *k, turn t, real d,
                              int end, wrench own)
{
    for (int first = k->dof & -TQ_LANES; first < end; first += TQ_LANES) {
        double *at = w->wrenches + first;
        wrench r = {vec_load(at, w->pitch), vec_load(at + 3 * w->pitch, w->pitch)};
        if (first <= k->dof) {
            r = choose_wrench(lane_alone(k->dof - first), own, r);
        }
        wrench out = inward_single(k, t, d, r);
        if (first + TQ_LANES > end && end < w->at.n_dof) {
            out = choose_wrench(lanes_before(end - first), out, r);
        }
        vec_store(at, w->pitch, out.f);
        vec_store(at + 3 * w->pitch, w->pitch, out.n);
    }
}

/* one-dof joint k; returns the composite *a as seen from its parent */
TQ_INLINE composite pass_single(const columns *w, const tq_canonical_joint *k, int b, int end,
                                composite a, double *m)
{
    const _Bool turns = k->kind == TQ_CANONICAL_REVOLUTE;
    const wrench own = turns ? composite_twirl(&a, 2) : composite_push(k->subtree_mass, &a, 2);
    put_row(w, m, k->dof, turns ? 5 : 2, k->dof + 1, end);
    const double inertia = first_lane(turns ? own.n.z : own.f.z);
    m[w->at.down[k->dof] + w->at.across[k->dof]] =
        k->rotor != 0.0 ? inertia + k->rotor * w->rotors : inertia;
    clear(w, m, k->dof, end);
    if (k->parent < 0) {
        return a;
    }
    double travel = k->d, cosine = w->cs[b].c, sine = w->cs[b].s;
    if (!turns) {
        cosine = k->c0;
        sine = k->s0;
        const double row = w->q[k->q_row * w->stride];
        travel = k->is_mimic ? __builtin_fma(k->multiplier, row, k->d) : row + k->d;
    }
    const real d = splat(travel);
    const turn t = {k->ca, k->sa, splat(cosine), splat(sine), 0, 0};
    if (k->alpha_is_right) {
        columns_inward(w, k, turn_known(t, 1), d, end, own);
        return composite_inward(k, turn_known(t, 1), d, a);
    }
    if (k->alpha_is_zero) {
        columns_inward(w, k, turn_level(t), d, end, own);
        return composite_inward(k, turn_level(t), d, a);
    }
    columns_inward(w, k, t, d, end, own);
    return composite_inward(k, t, d, a);
}

TQ_INLINE void put_column(const columns *w, int column, wrench x)
{
    const real part[6] = {x.f.x, x.f.y, x.f.z, x.n.x, x.n.y, x.n.z};
    for (int p = 0; p < 6; p++) {
        w->wrenches[p * w->pitch + column] = first_lane(part[p]);
    }
}

/* the same for a spherical or floating joint */
TQ_INLINE composite pass_ball(const columns *w, const tq_canonical_joint *k, int end, composite a,
                              double *m)
{
    const int n = tq_canonical_freedoms(k->kind), turns = k->dof + n - 3;
    for (int axis = 0; axis < 3; axis++) {
        if (n == 6) {
            put_column(w, k->dof + axis, composite_push(k->subtree_mass, &a, axis));
        }
        put_column(w, turns + axis, composite_twirl(&a, axis));
    }
    for (int r = 0; r < n; r++) {
        put_row(w, m, k->dof + r, 6 - n + r, k->dof, end);
        clear(w, m, k->dof + r, end);
    }
    if (k->parent < 0) {
        return a;
    }
    real rows[7]; /* the sample broadcast to all lanes */
    for (int r = 0; r < n + 1; r++) {
        rows[r] = splat(w->q[(k->q_row + r) * w->stride]);
    }
    ball at;
    tq_canonical_joint here = *k;
    here.q_row = 0;
    load_ball(&here, (const double *)rows, TQ_LANES, &at);
    for (int column = k->dof; column < end; column += TQ_LANES) {
        double *from = w->wrenches + column;
        const wrench r = {vec_load(from, w->pitch), vec_load(from + 3 * w->pitch, w->pitch)};
        wrench out = inward_ball(k, &at, r);
        if (column + TQ_LANES > end) {
            out = choose_wrench(lanes_before(end - column), out, r);
        }
        vec_store(from, w->pitch, out.f);
        vec_store(from + 3 * w->pitch, w->pitch, out.n);
    }
    return composite_inward_ball(k, &at, a);
}

static void one_sample(const columns *w, double *m)
{
    const tq_canonical *c = w->c;
    composite a = composite_zero();
    for (int b = 0; b < c->n_body; b++) {
        if (c->joints[b].has_branch) {
            w->sums[b] = composite_zero();
        }
    }
    for (int b = c->n_body - 1; b >= 0; b--) {
        const tq_canonical_joint *k = &c->joints[b], *last = &c->joints[k->last];
        const int end = last->dof + tq_canonical_freedoms(last->kind);
        a = k->next_is_child ? composite_add(a, composite_of(k)) : composite_of(k);
        if (k->has_branch) {
            a = composite_add(a, w->sums[b]);
        }
        a = k->ball >= 0 ? pass_ball(w, k, end, a, m) : pass_single(w, k, b, end, a, m);
        if (k->parent >= 0 && !k->parent_is_previous) {
            w->sums[k->parent] = composite_add(w->sums[k->parent], a);
        }
    }
}

int TQ_KERNEL(tq_crba_one)(const tq_canonical *c, const tq_kernel_input *in, double *work,
                           const int32_t *rows, long n_row, double *ret_m)
{
    const long groups = (c->n_dof + TQ_LANES - 1) / TQ_LANES;
    double *cs = work;
    real *at = (void *)(cs + 2L * TQ_LANES * ((c->n_body + TQ_LANES - 1) / TQ_LANES));
    columns w = {.c = c, .stride = in->stride, .pitch = groups * TQ_LANES, .rotors = in->rotors};
    w.cs = (const void *)cs;
    w.sums = (void *)at;
    w.wrenches = (void *)(at + 9L * c->n_body);
    w.at = entries_in(c, in, rows, n_row, at + 9L * c->n_body + 6 * groups);
    for (long i = 0; i < in->n_sample; i++) {
        w.q = in->q + i;
        TQ_KERNEL(tq_sines)(c, w.q, in->stride, cs);
        one_sample(&w, ret_m + i);
    }
    return 1;
}
#endif
