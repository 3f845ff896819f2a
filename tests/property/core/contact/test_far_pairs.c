/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/contact/test_far_pairs.c - bodies that fall on each other: pairs that are far
 * apart are left out, and every step has the bits of the steps that try all pairs. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/contact/contact.h"
#include "core/lanes/table.h"
#include "tests/support/random.h"
#include "tests/support/random_robot.h"

enum { N = 7, N_GEOM = N + 1, N_PAIR = N_GEOM * N / 2, N_STEP = 250, LANE = TQ_BLOCK_PAD };
static const size_t bytes = 64u << 20;

typedef struct heap {
    tq_model *model;
    const tq_mechanism *mechanism;
    void *home, *memory;
    tq_scratch scratch;
    tq_geom geoms[N_GEOM];
    tq_contact_pair pairs[N_PAIR];
    tq_contacts contacts;
    tq_effect effect;
    tq_plant plant;
    tq_trajectories state;
} heap;

static void add_body(heap *h, uint32_t k)
{
    static const tq_geom_kind kinds[] = {TQ_GEOM_CAPSULE, TQ_GEOM_SPHERE, TQ_GEOM_BOX};
    static const double sizes[3][3] = {{0.06, 0.3, 0.0}, {0.1, 0.0, 0.0}, {0.2, 0.15, 0.3}};
    tq_joint *joint = &h->model->joints[k];
    joint->kind = TQ_JOINT_FLOATING;
    joint->parent = 0;
    tq_inertia *body = &h->model->links[k + 1].inertia;
    *body = (tq_inertia){.mass = 1.0 + k, .about_com = {0.01, 0.0, 0.0, 0.02, 0.0, 0.015}};
    h->geoms[k + 1] = tq_geom_of(kinds[k % 3], sizes[k % 3]);
    h->geoms[k + 1].link = k + 1;
}

static void open_heap(heap *h, bool exhaustive)
{
    const double lengths[3] = {4.0, 4.0, 0.2};
    tq_error error = {0};
    memset(h, 0, sizeof *h);
    h->model = tqt_model_new(N + 1);
    h->geoms[0] = tq_geom_of(TQ_GEOM_BOX, lengths);
    h->geoms[0].link = TQ_NONE;
    h->geoms[0].pose = tq_pose_identity;
    for (uint32_t k = 0; k < N; k++) {
        add_body(h, k);
        h->geoms[k + 1].pose = tq_pose_identity;
    }
    h->model->gravity[2] = -9.81;
    cr_assert(eq(int, tq_model_finish(h->model, &error), TQ_OK), "%s", error.what);
    cr_assert(eq(int, tq_lanes_select(0), TQ_OK));
    const size_t size = (tq_mechanism_size(h->model) + 63) / 64 * 64;
    h->home = aligned_alloc(64, size);
    h->memory = aligned_alloc(64, bytes);
    cr_assert(eq(int, tq_mechanism_build(h->model, h->home, size, &h->mechanism, NULL), TQ_OK));
    tq_scratch_init(&h->scratch, h->memory, bytes);
    h->contacts = (tq_contacts){.geoms = h->geoms, .pairs = h->pairs, .exhaustive = exhaustive};
    for (uint32_t i = 0; i < N_GEOM * N_GEOM; i++) {
        if (i / N_GEOM < i % N_GEOM) {
            h->pairs[h->contacts.n_pair++] = (tq_contact_pair){
                .a = i / N_GEOM, .b = i % N_GEOM, .friction = 0.4, .restitution = 0.2};
        }
    }
    h->effect = tq_contact_effect(&h->contacts);
    h->plant = (tq_plant){
        .mechanism = h->mechanism, .effects = &h->effect, .n_effect = 1, .contacts = &h->contacts};
    cr_assert(le(sz, tq_contact_step_scratch_size(&h->plant), bytes));
}

static void start(heap *h)
{
    tqt_random r = tqt_random_seed(3);
    double *q = tqt_doubles(h->model->nq * LANE), *qd = tqt_doubles(h->model->nv * LANE);
    double *z = tqt_doubles(tq_plant_n_z(&h->plant) * LANE);
    memset(z, 0, tq_plant_n_z(&h->plant) * LANE * sizeof *z);
    for (uint32_t k = 0; k < N; k++) {
        double own[7];
        double square = 0.0;
        for (unsigned i = 0; i < 7; i++) {
            own[i] = tqt_random_uniform(&r, -1.0, 1.0) * (i < 3 ? 0.05 : 1.0);
            square += i < 3 ? 0.0 : own[i] * own[i];
        }
        own[0] += 0.3 * (k % 3);
        own[1] += 0.3 * (k / 3 % 2);
        own[2] += 0.4 + 0.12 * k;
        for (unsigned i = 0; i < 7 * LANE; i++) {
            q[7 * k * LANE + i] = own[i / LANE] / (i / LANE < 3 ? 1.0 : sqrt(square));
        }
        for (unsigned i = 0; i < 6; i++) {
            const double rate = tqt_random_uniform(&r, -1.0, 1.0);
            for (unsigned lane = 0; lane < LANE; lane++) {
                qd[(6 * k + i) * LANE + lane] = rate;
            }
        }
    }
    h->state = (tq_trajectories){.n_sample = 1, .stride = LANE, .q = q, .qd = qd, .z = z};
}

static void close_heap(heap *h)
{
    free(h->state.q);
    free(h->state.qd);
    free(h->state.z);
    tqt_model_free(h->model);
    free(h->home);
    free(h->memory);
}

static void step(heap *h, unsigned k)
{
    size_t n_eval = 0;
    tq_error error = {0};
    const tq_status status =
        tq_contact_step(&h->plant, 2e-3 * k, 2e-3, &h->state, &h->scratch, &n_eval, &error);
    cr_assert(eq(int, status, TQ_OK), "step %u: %s", k, error.what);
}

Test(far_pairs, that_are_left_out_change_no_bit)
{
    static heap one, all;
    open_heap(&one, false);
    open_heap(&all, true);
    start(&one);
    start(&all);
    const size_t n_z = tq_plant_n_z(&one.plant);
    for (unsigned k = 0; k < N_STEP; k++) {
        step(&one, k);
        step(&all, k);
        cr_assert(eq(int, memcmp(one.state.q, all.state.q, 7 * N * LANE * sizeof(double)), 0),
                  "step %u", k);
        cr_assert(eq(int, memcmp(one.state.qd, all.state.qd, 6 * N * LANE * sizeof(double)), 0));
        cr_assert(eq(int, memcmp(one.state.z, all.state.z, n_z * LANE * sizeof(double)), 0));
    }
    const double *sums = one.state.z + tq_contact_z(&one.plant) * LANE;
    cr_assert(gt(dbl, sums[TQ_CONTACT_IMPACTS * LANE], 10.0));
    double gap[N_PAIR];
    double q[7 * N];
    double far = 0.0;
    for (unsigned k = 0; k < 7 * N; k++) {
        q[k] = one.state.q[k * LANE];
    }
    cr_assert(
        eq(int, tq_contact_gaps(&one.contacts, one.model, q, &one.scratch, gap, NULL), TQ_OK));
    for (unsigned k = 0; k < N_PAIR; k++) {
        far = fmax(far, gap[k]);
    }
    cr_assert(gt(dbl, far, 0.1));
    close_heap(&one);
    close_heap(&all);
}
