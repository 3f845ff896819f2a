/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/simulate/test_run_event.c - events, dry friction and end stops against closed
 * forms. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/lanes/table.h"
#include "core/plant/audit.h"
#include "core/plant/stiction.h"
#include "core/plant/torque_table.h"
#include "core/simulate/run.h"
#include "tests/support/pendulum.h"
#include "tests/support/random_robot.h"

enum { BYTES = 4 << 20, EVENTS = 4096 };

typedef struct bench {
    tq_model *model;
    void *home, *memory;
    tq_scratch scratch;
    tq_plant plant;
    tq_event events[EVENTS];
    size_t n_event;
} bench;

static bench *open_bench(tq_model *model)
{
    bench *b = calloc(1, sizeof *b);
    const tq_mechanism *mechanism = NULL;
    b->model = model;
    cr_assert(eq(int, tq_lanes_select(0), TQ_OK));
    const size_t size = (tq_mechanism_size(model) + 63) / 64 * 64;
    b->home = aligned_alloc(64, size);
    b->memory = aligned_alloc(64, BYTES);
    cr_assert(eq(int, tq_mechanism_build(model, b->home, size, &mechanism, NULL), TQ_OK));
    b->plant = (tq_plant){.mechanism = mechanism};
    return b;
}

static void close_bench(bench *b)
{
    free(b->home);
    free(b->memory);
    tqt_model_free(b->model);
    free(b);
}

static void note(void *ctx, const tq_event *event)
{
    bench *b = ctx;
    cr_assert(lt(sz, b->n_event, EVENTS));
    b->events[b->n_event++] = *event;
}

static tq_run *open_run(bench *b, tq_run_method method, const tq_event_rule *rules, size_t n)
{
    const tq_run_options options = {.method = method,
                                    .rtol = 1e-11,
                                    .atol = 1e-11,
                                    .step = 1e-3,
                                    .end = 10.0,
                                    .rules = rules,
                                    .n_rule = n,
                                    .on_event = note,
                                    .ctx = b};
    tq_run *run = NULL;
    b->n_event = 0;
    tq_scratch_init(&b->scratch, b->memory, BYTES);
    cr_assert(eq(int, tq_run_open(&b->plant, &options, &b->scratch, &run, NULL), TQ_OK));
    return run;
}

/* a mass of 2 kg on a rail along `axis` */
static tq_model *slider(double x, double z)
{
    tq_model *m = tqt_model_new(2);
    m->joints[0].kind = TQ_JOINT_PRISMATIC, m->joints[0].parent = 0, m->joints[0].child = 1;
    m->joints[0].axis[0] = x, m->joints[0].axis[1] = 0, m->joints[0].axis[2] = z;
    m->joints[0].limits.lower = -100, m->joints[0].limits.upper = 100;
    m->links[1].inertia.mass = 2.0;
    return m;
}

Test(event, a_block_slides_sticks_and_slips_again_when_friction_is_overcome)
{
    /* 6 N of dry friction, 7 N of breakaway; a force that increases by 2 N/s from t = 2 s */
    const double t[] = {0, 2, 12}, pull[] = {0, 0, 20};
    tq_table table = {.points = {3, 1, t, pull}, .interpolation = TQ_INTERPOLATE_LINEAR};
    const tq_effect effect = tq_torque_table(&table);
    for (int method = 0; method < TQ_RUN_MOREAU; method++) {
        tq_model *m = slider(1, 0);
        m->joints[0].friction = (tq_friction){.coulomb = 6.0};
        cr_assert(eq(int, tq_model_finish(m, NULL), TQ_OK));
        bench *b = open_bench(m);
        b->plant.effects = &effect;
        b->plant.n_effect = 1;
        tq_run *run = open_run(b, (tq_run_method)method, NULL, 0);
        const double q[1] = {0}, qd[1] = {1.5};
        cr_assert(eq(int, tq_run_start(run, 0, q, qd, NULL), TQ_OK));
        /* decelerates by 3: at rest at 0.5 s after 0.375 m */
        cr_assert(tq_run_to(run, 1.0, 0));
        cr_assert(eq(sz, b->n_event, 1));
        cr_assert(eq(int, b->events[0].kind, TQ_EVENT_STICK));
        cr_assert(epsilon_eq(dbl, b->events[0].t, 0.5, 1e-10), "method %d", method);
        cr_assert(eq(dbl, run->state->qd[0], 0.0), "it is at rest, and does not chatter");
        cr_assert(
            epsilon_eq(dbl, run->state->q[0], 0.375, method == TQ_RUN_SEMI_IMPLICIT ? 2e-3 : 1e-9));
        cr_assert(tq_run_to(run, 4.9, 0));
        cr_assert(eq(dbl, run->state->qd[0], 0.0));
        /* 2 (t - 2) = 6 at t = 5; then 2 v' = 2 (t - 5): v = (t - 5)^2 / 2 */
        cr_assert(tq_run_to(run, 7.0, 0));
        cr_assert(eq(sz, b->n_event, 2));
        cr_assert(eq(int, b->events[1].kind, TQ_EVENT_SLIP));
        cr_assert(epsilon_eq(dbl, b->events[1].t, 5.0, 1e-10), "method %d", method);
        cr_assert(epsilon_eq(dbl, b->events[1].value, -6.0, 1e-9), "what held");
        cr_assert(
            epsilon_eq(dbl, run->state->qd[0], 2.0, method == TQ_RUN_SEMI_IMPLICIT ? 2e-3 : 1e-8));
        tq_run_close(run);
        close_bench(b);
    }
}

Test(event, a_spring_with_dry_friction_loses_the_same_way_each_half_swing)
{
    /* 2 kg on 50 N/m with 4 N: each half swing, pi / 5 s long, is 2 * 0.08 m shorter; from 1 m it
       comes to rest at 1 - 6 * 0.16 = 0.04 m, on the side where it started */
    const tq_run_method methods[] = {TQ_RUN_DOPRI87, TQ_RUN_DOPRI45, TQ_RUN_SDIRK, TQ_RUN_RK4};
    for (size_t k = 0; k < 4; k++) {
        tq_model *m = slider(1, 0);
        m->joints[0].friction = (tq_friction){.coulomb = 4.0};
        m->joints[0].spring = (tq_spring){.stiffness = 50.0};
        cr_assert(eq(int, tq_model_finish(m, NULL), TQ_OK));
        bench *b = open_bench(m);
        tq_run *run = open_run(b, methods[k], NULL, 0);
        const double q[1] = {1.0}, qd[1] = {0};
        cr_assert(eq(int, tq_run_start(run, 0, q, qd, NULL), TQ_OK));
        cr_assert(tq_run_to(run, 10.0, 0));
        cr_assert(epsilon_eq(dbl, run->state->q[0], 0.04, 2e-6),
                  "method %d: errors of six half swings", (int)methods[k]);
        cr_assert(eq(dbl, run->state->qd[0], 0.0));
        const tq_event *last = &b->events[b->n_event - 1];
        cr_assert(eq(int, last->kind, TQ_EVENT_STICK));
        cr_assert(epsilon_eq(dbl, last->t, 6 * M_PI / 5, 1e-6));
        cr_assert(epsilon_eq(dbl, fabs(last->value), 2.0, 1e-3), "the spring's 50 * 0.04 N");
        tq_run_close(run);
        close_bench(b);
    }
}

/* Two blocks, one always 0.9 as fast as the other. Late times have a coarse resolution, which
 * limits the location of an event: at 1e6 s the other block is still at 1e-7 m/s when one comes to
 * rest. */
Test(event, blocks_that_go_together_stick_together)
{
    static const double starts[] = {0.0, 1e3, 1e6};
    const tq_coupling_term terms[] = {{0, 0, 1.0}, {1, 1, -0.9}};
    for (size_t k = 0; k < sizeof starts / sizeof starts[0]; k++) {
        tq_model *m = tqt_model_new(3);
        for (uint32_t j = 0; j < 2; j++) {
            m->joints[j].kind = TQ_JOINT_PRISMATIC, m->joints[j].parent = 0;
            m->joints[j].child = j + 1;
            m->joints[j].axis[0] = 1, m->joints[j].axis[1] = 0, m->joints[j].axis[2] = 0;
            m->joints[j].limits.lower = -100, m->joints[j].limits.upper = 100;
            m->joints[j].friction = (tq_friction){.coulomb = 3.0};
            m->links[j + 1].inertia.mass = 2e-4;
        }
        cr_assert(eq(int, tq_model_finish(m, NULL), TQ_OK));
        bench *b = open_bench(m);
        tq_constraint coupling = {
            .kind = TQ_CONSTRAINT_COUPLING, .coupling = terms, .n_coupling = 2};
        tq_constraints constraints = {.n_constraint = 1, .items = &coupling};
        cr_assert(eq(int, tq_constraints_finish(m, &constraints, NULL), TQ_OK));
        b->plant.constraints = &constraints;
        tq_run *run = open_run(b, TQ_RUN_RK4, NULL, 0);
        const double q[2] = {0}, qd[2] = {0.9, 1.0};
        cr_assert(eq(int, tq_run_start(run, starts[k], q, qd, NULL), TQ_OK));
        cr_assert(tq_run_to(run, starts[k] + 1.0, 0));
        cr_expect(eq(sz, b->n_event, 2), "from %g s", starts[k]);
        for (size_t e = 0; e < b->n_event; e++) {
            cr_expect(eq(int, b->events[e].kind, TQ_EVENT_STICK), "from %g s", starts[k]);
        }
        cr_expect(eq(dbl, run->state->qd[0], 0.0), "from %g s", starts[k]);
        cr_expect(eq(dbl, run->state->qd[run->state->stride], 0.0), "from %g s", starts[k]);
        tq_run_close(run);
        close_bench(b);
    }
}

Test(event, a_ball_bounces_and_comes_to_rest)
{
    for (int method = 0; method < TQ_RUN_MOREAU; method++) {
        if (method == TQ_RUN_SEMI_IMPLICIT) {
            continue; /* of first order: its parabolas are not the closed form's */
        }
        tq_model *m = slider(0, 1);
        m->joints[0].friction = (tq_friction){.coulomb = method % 2 == 0 ? 30.0 : 0.0};
        cr_assert(eq(int, tq_model_finish(m, NULL), TQ_OK));
        bench *b = open_bench(m);
        b->plant.without = TQ_WITHOUT_FRICTION; /* joint friction would hold the weight */
        tq_audit audit = {.plant = &b->plant};
        const tq_effect watching = tq_audit_effect(&audit);
        b->plant.effects = &watching;
        b->plant.n_effect = 1;
        const tq_event_rule rules[] = {
            {.kind = TQ_EVENT_LOWER, .action = TQ_EVENT_BOUNCE, .level = 0.0, .restitution = 0.5}};
        tq_run *run = open_run(b, (tq_run_method)method, rules, 1);
        const double q[1] = {1.0}, qd[1] = {0};
        cr_assert(eq(int, tq_run_start(run, 0, q, qd, NULL), TQ_OK));
        cr_assert(tq_run_to(run, 5.0, 0));
        const double fall = sqrt(2.0 / 9.81), v = 9.81 * fall;
        double at = fall;
        for (int k = 0; k < 6; k++) {
            cr_assert(epsilon_eq(dbl, b->events[k].t, at, method == TQ_RUN_BDF ? 1e-7 : 1e-9),
                      "method %d, bounce %d", method, k);
            cr_assert(epsilon_eq(dbl, b->events[k].value, -v * pow(0.5, k),
                                 method == TQ_RUN_BDF ? 1e-6 : 1e-8));
            at += 2 * fall * pow(0.5, k + 1);
        }
        const tq_event *last = &b->events[b->n_event - 1];
        cr_assert(eq(int, last->kind, TQ_EVENT_REST));
        cr_assert(epsilon_eq(dbl, last->t, 3 * fall, method == TQ_RUN_BDF ? 1e-4 : 1e-7),
                  "the sum of all bounces");
        cr_assert(eq(dbl, run->state->q[0], 0.0));
        cr_assert(eq(dbl, run->state->qd[0], 0.0));
        /* all of its 2 g J were dissipated at the limit */
        cr_assert(epsilon_eq(dbl, run->state->z[8 * TQ_AUDIT_DISSIPATED], 2.0 * 9.81, 1e-5));
        tq_run_close(run);
        close_bench(b);
    }
}

Test(event, what_rests_on_a_limit_leaves_it_when_it_is_pulled)
{
    const double t[] = {0, 4}, pull[] = {0, 40};
    tq_table table = {.points = {2, 1, t, pull}, .interpolation = TQ_INTERPOLATE_LINEAR};
    const tq_effect effect = tq_torque_table(&table);
    tq_model *m = slider(0, 1);
    m->joints[0].friction = (tq_friction){.coulomb = 30.0};
    cr_assert(eq(int, tq_model_finish(m, NULL), TQ_OK));
    bench *b = open_bench(m);
    b->plant.without = TQ_WITHOUT_FRICTION;
    b->plant.effects = &effect;
    b->plant.n_effect = 1;
    const tq_event_rule rules[] = {{.kind = TQ_EVENT_LOWER, .action = TQ_EVENT_BOUNCE},
                                   {.kind = TQ_EVENT_UPPER, .action = TQ_EVENT_STOP, .level = 0.1}};
    tq_run *run = open_run(b, TQ_RUN_DOPRI87, rules, 2);
    const double q[1] = {0.01}, qd[1] = {0};
    cr_assert(eq(int, tq_run_start(run, 0, q, qd, NULL), TQ_OK));
    cr_assert(eq(int, tq_run_to(run, 4.0, 0), 0));
    cr_assert(eq(int, run->end, TQ_RUN_EVENT));
    cr_assert(eq(sz, b->n_event, 4));
    cr_assert(eq(int, b->events[1].kind, TQ_EVENT_REST));
    cr_assert(eq(int, b->events[2].kind, TQ_EVENT_LEAVE));
    cr_assert(epsilon_eq(dbl, b->events[2].t, 1.962, 1e-9), "10 t = 2 g");
    cr_assert(eq(int, b->events[3].kind, TQ_EVENT_UPPER));
    /* 2 z'' = 10 s: z = 10 s^3 / 12 = 0.1 */
    cr_assert(epsilon_eq(dbl, run->t, 1.962 + cbrt(0.12), 1e-9));
    cr_assert(epsilon_eq(dbl, run->state->q[0], 0.1, 1e-10));
    tq_run_close(run);
    close_bench(b);
}

Test(event, levels_are_passed_at_their_times_in_their_direction)
{
    bench *b = open_bench(tqt_pendulum());
    const double w = sqrt(9.81 / 0.5), quarter = tqt_elliptic_k(sin(0.5)) / w;
    const tq_event_rule rules[] = {
        {.kind = TQ_EVENT_Q, .joint = 0, .direction = -1},
        {.kind = TQ_EVENT_Q, .joint = 0, .direction = 1},
        {.kind = TQ_EVENT_QD, .joint = 0},
        {.kind = TQ_EVENT_KINETIC, .joint = TQ_NONE, .level = 1.0, .direction = 1},
    };
    for (int method = 0; method < TQ_RUN_MOREAU; method++) {
        const double loose = method == TQ_RUN_SEMI_IMPLICIT ? 2e-3
                             : method == TQ_RUN_MIDPOINT    ? 1e-4
                             : method == TQ_RUN_BDF         ? 1e-7
                                                            : 1e-9;
        tq_run *run = open_run(b, (tq_run_method)method, rules, 4);
        const double q[1] = {1.0}, qd[1] = {0};
        cr_assert(eq(int, tq_run_start(run, 0, q, qd, NULL), TQ_OK));
        cr_assert(tq_run_to(run, 4.2 * quarter, 0));
        double last = 0.0;
        size_t n[4] = {0};
        for (size_t k = 0; k < b->n_event; k++) {
            const tq_event *e = &b->events[k];
            cr_assert(ge(dbl, e->t, last), "in order");
            last = e->t;
            n[e->rule]++;
            cr_assert(epsilon_eq(dbl, e->value, rules[e->rule].level, 1e-9));
            if (e->rule < 3) {
                const double want = (e->rule == 0 ? 1 : e->rule == 1 ? 3 : n[2] == 1 ? 2 : 4);
                cr_assert(epsilon_eq(dbl, e->t, want * quarter, loose), "method %d, rule %u",
                          method, e->rule);
            }
        }
        cr_assert(all(eq(sz, n[0], 1), eq(sz, n[1], 1), eq(sz, n[2], 2), eq(sz, n[3], 2)),
                  "method %d: %zu %zu %zu %zu", method, n[0], n[1], n[2], n[3]);
        tq_run_close(run);
    }
    close_bench(b);
}

Test(event, a_level_that_is_passed_twice_within_a_step_is_found)
{
    /* thrown up at 4 m/s: the top is 16 / (2 g) high; the level is a thousandth lower. Orders of 2
       and more take the whole parabola in one step */
    const double top = 16.0 / (2 * 9.81), half = sqrt(2 * 1e-3 * top / 9.81), at = 4.0 / 9.81;
    for (int method = 0; method < TQ_RUN_MOREAU; method++) {
        if (method == TQ_RUN_SEMI_IMPLICIT) {
            continue; /* its top is lower by v h / 2 */
        }
        tq_model *m = slider(0, 1);
        cr_assert(eq(int, tq_model_finish(m, NULL), TQ_OK));
        bench *b = open_bench(m);
        const tq_event_rule rules[] = {{.kind = TQ_EVENT_Q, .joint = 0, .level = 0.999 * top}};
        tq_run *run = open_run(b, (tq_run_method)method, rules, 1);
        const double q[1] = {0}, qd[1] = {4.0};
        cr_assert(eq(int, tq_run_start(run, 0, q, qd, NULL), TQ_OK));
        cr_assert(tq_run_to(run, 2.0, 0));
        cr_assert(eq(sz, b->n_event, 2), "method %d: %zu", method, b->n_event);
        for (int k = 0; k < 2; k++) {
            const double want = at + (k == 0 ? -half : half);
            cr_assert(
                epsilon_eq(dbl, b->events[k].t, want, method == TQ_RUN_SEMI_IMPLICIT ? 0.05 : 1e-7),
                "method %d: %g", method, b->events[k].t);
        }
        tq_run_close(run);
        close_bench(b);
    }
}

Test(event, an_arm_with_dry_friction_settles_and_resumes_to_the_same_bits)
{
    for (uint64_t seed = 0; seed < 6; seed++) {
        tq_model *model = tqt_random_robot(
            seed, (tqt_robot_options){
                      .n_joint = 3, .kinds = 1u << TQ_JOINT_REVOLUTE, .with = TQT_WITH_SPRING});
        for (uint32_t j = 0; j < model->n_joint; j++) {
            model->joints[j].friction = (tq_friction){.coulomb = 30.0 + j, .viscous = 3.0};
        }
        bench *b = open_bench(model);
        double q[8] = {0}, qd[8], want[8] = {0};
        for (size_t r = 0; r < model->nv; r++) {
            qd[r] = 1.0 + 0.3 * (double)r;
        }
        unsigned char bytes[1024];
        size_t before = 0;
        for (int resumed = 0; resumed < 2; resumed++) {
            tq_run *run = open_run(b, TQ_RUN_DOPRI87, NULL, 0);
            if (resumed) {
                cr_assert(tq_run_load(run, bytes, tq_run_save_size(run)));
            } else {
                cr_assert(eq(int, tq_run_start(run, 0, q, qd, NULL), TQ_OK));
            }
            for (int k = resumed ? 3 : 1; k <= 20; k++) {
                cr_assert(tq_run_to(run, 0.5 * k, 0), "seed %d: %d at %g", (int)seed, run->end,
                          run->t);
                if (k == 2) {
                    cr_assert(le(sz, tq_run_save_size(run), sizeof bytes));
                    tq_run_save(run, bytes);
                    before = b->n_event;
                }
            }
            double got[8] = {0};
            for (size_t r = 0; r < model->nq; r++) {
                got[r] = run->state->q[8 * r];
            }
            if (resumed) {
                cr_assert(eq(int, memcmp(got, want, sizeof got), 0), "seed %d", (int)seed);
            }
            memcpy(want, got, sizeof want);
            cr_assert(resumed || b->n_event > before || b->n_event > 0);
            tq_run_close(run);
        }
        close_bench(b);
    }
}

Test(locked, the_holding_torque_is_that_of_inverse_dynamics)
{
    for (uint64_t seed = 0; seed < 10; seed++) {
        tq_model *model = tqt_random_robot(
            seed, (tqt_robot_options){.n_joint = 5,
                                      .kinds = TQT_KINDS_ONE,
                                      .with = TQT_WITH_BRANCHES | TQT_WITH_FRICTION |
                                              TQT_WITH_ROTOR | TQT_WITH_SPRING});
        bench *b = open_bench(model);
        tq_scratch_init(&b->scratch, b->memory, BYTES);
        tqt_states s = tqt_random_states(seed, model, 1);
        double *tau = tqt_doubles(model->nv * s.stride), *qdd = tqt_doubles(model->nv * s.stride),
               *hold = tqt_doubles(model->nv * s.stride), *back = tqt_doubles(model->nv * s.stride);
        signed char mode[16] = {0};
        mode[1] = TQ_MODE_STUCK, mode[3] = TQ_MODE_LOWER;
        const size_t rows[2] = {model->joints[1].v_index, model->joints[3].v_index};
        for (size_t k = 0; k < 2; k++) {
            s.qd[rows[k] * s.stride] = 0.0;
        }
        for (size_t r = 0; r < model->nv; r++) {
            tau[r * s.stride] = 3.0 - (double)r;
        }
        const tq_forward_input in = {
            .n_sample = 1, .stride = s.stride, .q = s.q, .qd = s.qd, .tau = tau};
        cr_assert(eq(int,
                     tq_locked_forward(b->plant.mechanism, &in, mode, &b->scratch, qdd, hold, NULL),
                     TQ_OK));
        cr_assert(le(sz, b->scratch.peak, tq_locked_scratch_size(b->plant.mechanism, s.stride, 0)));
        const tq_inverse_input motion = {
            .n_sample = 1, .stride = s.stride, .q = s.q, .qd = s.qd, .qdd = qdd};
        cr_assert(eq(int, tq_inverse_dynamics(b->plant.mechanism, &motion, &b->scratch, back, NULL),
                     TQ_OK));
        for (size_t r = 0; r < model->nv; r++) {
            const double sum = tau[r * s.stride] + hold[r * s.stride];
            cr_assert(epsilon_eq(dbl, back[r * s.stride], sum, 1e-9 * (1.0 + fabs(sum))),
                      "seed %d row %zu", (int)seed, r);
        }
        cr_assert(
            all(eq(dbl, qdd[rows[0] * s.stride], 0.0), eq(dbl, qdd[rows[1] * s.stride], 0.0)));
        /* an impulse along joint 0 changes M qd in its own row only */
        tq_impulse impulse = {.joint = 0, .qd = -0.7};
        cr_assert(
            eq(int, tq_joint_impulse(b->plant.mechanism, 0, s.q, &impulse, &b->scratch, s.qd, NULL),
               TQ_OK));
        cr_assert(eq(dbl, s.qd[model->joints[0].v_index * s.stride], -0.7));
        free(tau), free(qdd), free(hold), free(back);
        tqt_states_free(&s);
        close_bench(b);
    }
}
