/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/core/kernels/test_bits.c - recorded bits of every kernel in every build. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/kernels/table.h"
#include "core/lanes/table.h"

/* A tree with every kind of joint whose constants are computed from integers and short products,
 * without functions of the C library, so that the recorded bits depend on the kernels only. */
enum { BODIES = 14, BALLS_MAX = 4, ROWS = 7 * BODIES, N = 24, LINKS = BODIES + 1 };

static tq_canonical_joint joints[BODIES];
static tq_canonical_body bodies[BODIES];
static tq_canonical_link links[LINKS];
static int32_t dof_rows[6 * BODIES];
static double dof_factors[6 * BODIES];
static _Alignas(64) double q[ROWS * N], qd[ROWS * N], qdd[ROWS * N], tau[ROWS * N];
static _Alignas(64) double out[6 * BODIES * 10 * BODIES * N];

static uint64_t state = 1;

/* a multiple of 2^-12 in [-1, 1) */
static double number(void)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(int64_t)(state >> 51) / 4096.0 - 1.0;
}

static void give_constants(tq_canonical_joint *k, int b)
{
    /* 3-4-5 and 5-12-13 triangles, right angles: sines with cosines */
    static const double angles[4][2] = {{0.6, 0.8}, {0.0, 1.0}, {5.0 / 13.0, -12.0 / 13.0}, {1, 0}};
    const double *alpha = angles[b % 4], *gamma = angles[(b + 1) % 4], *theta = angles[(b + 2) % 4];
    k->multiplier = 1.0;
    k->ca = alpha[0], k->sa = alpha[1], k->cg = 1.0, k->c0 = theta[0], k->s0 = theta[1];
    k->alpha_is_right = k->ca == 0.0 && k->sa == 1.0;
    k->a = number(), k->d = number(), k->q0 = number();
    if (k->has_offset || k->ball >= 0) {
        k->cg = gamma[0], k->sg = gamma[1];
        for (int e = 0; e < 3; e++) {
            k->p[e] = number();
        }
    }
    const double turned[9] = {0.6, -0.8, 0.0, 0.8, 0.6, 0.0, 0.0, 0.0, 1.0};
    memcpy(k->r, turned, sizeof turned);
    const double s[6] = {2.0 + number(), number() / 8, number() / 8,
                         2.0 + number(), number() / 8, 2.0 + number()};
    memcpy(k->s, s, sizeof s);
    k->h[0] = number() / 4, k->h[1] = number() / 4, k->h[2] = number() / 4;
    k->m = 3.0 + number();
    if (k->kind == TQ_CANONICAL_REVOLUTE) { /* as after regrouping */
        k->m = k->h[2] = k->s[5] = 0.0;
    }
    tq_moments_tensor(k->s, k->tensor);
    k->subtree_mass = k->m;
    k->rotor = b % 5 == 3 && k->ball < 0 ? 0.25 : 0.0;
}

static tq_canonical make(void)
{
    static const int parents[BODIES] = {-1, 0, 1, 2, 1, 4, 0, 6, 7, 6, -1, 10, 11, 11};
    static const tq_canonical_kind kinds[BODIES] = {
        TQ_CANONICAL_FLOATING,  TQ_CANONICAL_REVOLUTE,  TQ_CANONICAL_REVOLUTE,
        TQ_CANONICAL_PRISMATIC, TQ_CANONICAL_REVOLUTE,  TQ_CANONICAL_SPHERICAL,
        TQ_CANONICAL_REVOLUTE,  TQ_CANONICAL_PRISMATIC, TQ_CANONICAL_REVOLUTE,
        TQ_CANONICAL_FLOATING,  TQ_CANONICAL_PRISMATIC, TQ_CANONICAL_SPHERICAL,
        TQ_CANONICAL_REVOLUTE,  TQ_CANONICAL_REVOLUTE};
    tq_canonical c = {.n_link = LINKS,
                      .joints = joints,
                      .bodies = bodies,
                      .links = links,
                      .dof_rows = dof_rows,
                      .dof_factors = dof_factors};
    links[0] = (tq_canonical_link){.body = -1, .column = -1};
    for (int b = 0; b < BODIES; b++) {
        tq_canonical_joint *k = &joints[b];
        const _Bool is_ball = kinds[b] >= TQ_CANONICAL_SPHERICAL;
        *k = (tq_canonical_joint){.parent = parents[b], .last = b, .kind = kinds[b]};
        k->ball = is_ball ? c.n_ball++ : -1;
        k->q_row = c.nq, k->v_row = k->dof = c.n_dof;
        c.nq += tq_canonical_freedoms(k->kind) + is_ball;
        for (int f = 0; f < tq_canonical_freedoms(k->kind); f++) {
            dof_factors[c.n_dof] = 1.0;
            dof_rows[c.n_dof] = c.n_dof;
            c.n_dof++;
        }
        k->parent_is_previous = b > 0 && parents[b] == b - 1;
        k->next_is_child = b + 1 < BODIES && parents[b + 1] == b;
        k->has_offset = !k->parent_is_previous && !is_ball;
        give_constants(k, b);
        bodies[b].joint = (uint32_t)b;
        links[b + 1] = (tq_canonical_link){.body = b, .column = b};
        static const double half_turn[9] = {-1, 0, 0, 0, -1, 0, 0, 0, 1};
        const double *r = b % 3 == 1 ? half_turn : k->r;
        memcpy(links[b + 1].in_body.r, r, sizeof half_turn);
        links[b + 1].in_body.p[b % 3 == 1 ? 2 : b % 3] = number();
        for (int up = parents[b]; up >= 0; up = parents[up]) {
            joints[up].last = b;
            joints[up].subtree_mass += k->m;
        }
        if (parents[b] >= 0 && !k->parent_is_previous) {
            joints[parents[b]].has_branch = 1;
        }
    }
    c.n_body = BODIES;
    c.nv = c.n_dof;
    tq_canonical_faces(&c);
    return c;
}

/* flags of joints and of the tree, on which the code paths of kernels depend */
static void know_ways(tq_canonical *c)
{
    joints[8].ca = 1.0, joints[8].sa = 0.0; /* so that every code path is executed */
    joints[12].ca = 0.0, joints[12].sa = 1.0, joints[12].alpha_is_right = 1;
    for (int b = 0; b < BODIES; b++) {
        tq_canonical_joint *k = &joints[b];
        k->alpha_is_zero = k->ca == 1.0 && k->sa == 0.0;
        k->is_simple_revolute = k->kind == TQ_CANONICAL_REVOLUTE && k->parent_is_previous &&
                                !k->has_branch && !k->has_offset;
    }
    c->rows_ascend = 1;
    c->side_by_side = 1;
}

static void give_states(const tq_canonical *c)
{
    for (int e = 0; e < ROWS * N; e++) {
        q[e] = 3.0 * number(), qd[e] = 2.0 * number(), qdd[e] = 5.0 * number();
        tau[e] = 50.0 * number();
    }
    for (int b = 0; b < BODIES; b++) { /* quaternions: of any length but 0 */
        const int row = joints[b].q_row + (joints[b].kind == TQ_CANONICAL_FLOATING ? 3 : 0);
        for (int i = 0; joints[b].ball >= 0 && i < N; i++) {
            q[row * N + i] += 4.0;
        }
    }
    cr_assert(le(int, c->n_ball, BALLS_MAX));
}

static uint64_t hash_of(const double *x, size_t n)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t k = 0; k < n; k++) {
        uint64_t bits;
        memcpy(&bits, &x[k], sizeof bits);
        hash = (hash ^ bits) * UINT64_C(0x100000001b3);
        hash ^= hash >> 29;
    }
    return hash;
}

/* the result of each kernel, and its recorded hash */
static void compute(const tq_canonical *c, const tq_kernels *kernels, double weight, double *work,
                    uint64_t ret_hash[5])
{
    const tq_kernel_input in = {.n_sample = N,
                                .stride = N,
                                .out_stride = N,
                                .q = q,
                                .qd = qd,
                                .qdd = qdd,
                                .tau = tau,
                                .gravity = {0.5 * weight, -1.25 * weight, -9.75 * weight},
                                .rotors = 1.0};
    const size_t nv = (size_t)c->nv;
    tq_kernel_fault fault;
    kernels->rnea(c, &in, work, out);
    ret_hash[0] = hash_of(out, nv * N);
    kernels->crba(c, &in, work, dof_rows, c->nv, out);
    ret_hash[1] = hash_of(out, nv * nv * N);
    kernels->aba(c, &in, work, out, &fault);
    cr_assert(eq(long, fault.sample, -1), "body %d", fault.body);
    ret_hash[2] = hash_of(out, nv * N);
    kernels->coriolis(c, &in, work, dof_rows, c->nv, out);
    ret_hash[3] = hash_of(out, nv * nv * N);
    kernels->regressor(c, &in, work, dof_rows, 0, out);
    ret_hash[4] = hash_of(out, nv * 10 * (LINKS - 1) * N);
}

/* The bits by gcc 12 and clang 14: both compilers, every width and every later change of the
 * kernels must reproduce them. A change that alters rounding on purpose changes these numbers, and
 * says so. */
Test(bits, equal_the_recorded_ones)
{
    static const char *const names[5] = {"rnea", "crba", "aba", "coriolis", "regressor"};
    static const uint64_t record[5] = {UINT64_C(0x3b26a4db64f2b5f6), UINT64_C(0x719a2e130d81855c),
                                       UINT64_C(0x6b9c60ad1c707a74), UINT64_C(0x0432512b27a8b085),
                                       UINT64_C(0x05071f92c2a52e72)};
    /* of the three kernels with separate code for simple joints, or for columns in lanes */
    static const uint64_t record_known[3] = {
        UINT64_C(0x4275fdd421557e32), UINT64_C(0x6b9a9f0456ca845e), UINT64_C(0x20942ae9a9999479)};
    tq_canonical c = make();
    give_states(&c);
    size_t size = tq_work_doubles(&c);
    size = size > tq_coriolis_work_doubles(&c) ? size : tq_coriolis_work_doubles(&c);
    size = size > tq_regressor_work_doubles(&c) ? size : tq_regressor_work_doubles(&c);
    double *work = aligned_alloc(64, size * sizeof *work);
    cr_assert(ne(ptr, work, NULL));
    for (int known = 0; known < 2; known++) {
        for (int build = TQ_BUILD_PORTABLE; build < TQ_BUILD_COUNT; build++) {
            if (tq_lanes_force((tq_lanes_build)build) != TQ_OK) {
                continue;
            }
            uint64_t hash[5];
            compute(&c, tq_kernels_for(N), 1.0, work, hash);
            for (int k = 0; k < (known ? 3 : 5); k++) {
                cr_expect(hash[k] == (known ? record_known : record)[k],
                          "%s, build %d, ways %s: 0x%016lx", names[k], build,
                          known ? "known" : "not known", (unsigned long)hash[k]);
            }
        }
        know_ways(&c);
    }
    free(work);
}

/* typical of many robots and states: numbers become zeros of either sign */
enum {
    KNOWN = 1,
    AT_ZERO = 2,
    STANDING = 4,
    STEADY = 8,
    NO_LENGTHS = 16,
    CENTRED = 32,
    STRAIGHT = 64,
    WEIGHTLESS = 128,
    PLAINNESSES = 256
};

static void make_plain(int b, int plainness)
{
    tq_canonical_joint *k = &joints[b];
    if ((plainness & AT_ZERO) != 0) {
        const int nq = tq_canonical_freedoms(k->kind) + (k->ball >= 0);
        memset(q + k->q_row * N, 0, sizeof(double) * (size_t)nq * N);
        for (int i = 0; i < N && k->ball >= 0; i++) {
            q[(k->q_row + nq - 4) * N + i] = 1.0;
        }
        k->q0 = k->s0 = 0.0, k->c0 = 1.0;
    }
    if ((plainness & NO_LENGTHS) != 0) {
        k->a = k->d = 0.0;
        memset(k->p, 0, sizeof k->p);
    }
    if ((plainness & CENTRED) != 0) {
        memset(k->h, 0, sizeof k->h);
        k->s[1] = k->s[2] = k->s[4] = 0.0;
    }
    if ((plainness & STRAIGHT) != 0) {
        static const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
        k->ca = k->alpha_is_right ? 0.0 : 1.0, k->sa = k->alpha_is_right ? 1.0 : 0.0;
        k->cg = 1.0, k->sg = 0.0;
        memcpy(k->r, one, sizeof one);
    }
}

/* gcc replaces -(a b + c) by -a b - c: zero with the other sign. All widths have the same sign. */
Test(bits, zeros_have_one_sign)
{
    tq_canonical c = make();
    size_t size = tq_work_doubles(&c);
    size = size > tq_coriolis_work_doubles(&c) ? size : tq_coriolis_work_doubles(&c);
    size = size > tq_regressor_work_doubles(&c) ? size : tq_regressor_work_doubles(&c);
    double *work = aligned_alloc(64, size * sizeof *work);
    cr_assert(ne(ptr, work, NULL));
    uint64_t all = 0;
    for (int plainness = 0; plainness < PLAINNESSES; plainness++) {
        state = 1;
        c = make();
        if ((plainness & KNOWN) != 0) {
            know_ways(&c);
        }
        give_states(&c);
        for (int b = 0; b < BODIES; b++) {
            make_plain(b, plainness);
        }
        memset(qd, 0, (plainness & STANDING) != 0 ? sizeof qd : 0);
        memset(qdd, 0, (plainness & STEADY) != 0 ? sizeof qdd : 0);
        const double weight = (plainness & WEIGHTLESS) != 0 ? 0.0 : 1.0;
        uint64_t first[5], hash[5];
        for (int build = TQ_BUILD_PORTABLE; build < TQ_BUILD_COUNT; build++) {
            if (tq_lanes_force((tq_lanes_build)build) != TQ_OK) {
                continue;
            }
            compute(&c, tq_kernels_for(N), weight, work, build == TQ_BUILD_PORTABLE ? first : hash);
            for (int k = 0; k < 5 && build != TQ_BUILD_PORTABLE; k++) {
                cr_expect(hash[k] == first[k], "plainness %d, kernel %d, build %d", plainness, k,
                          build);
            }
        }
        all = hash_of((const double *)first, 5) ^ (all * UINT64_C(0x100000001b3));
    }
    cr_expect(all == UINT64_C(0x5a2bb84d757b8452), "0x%016lx",
              (unsigned long)all); /* of both compilers */
    free(work);
}
