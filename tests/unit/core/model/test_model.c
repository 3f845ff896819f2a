/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/core/model/test_model.c - every error in a robot description, and the results for a
 * valid one. */
#include "core/model/model.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>
#include <string.h>

enum { LINKS = 5 };

static tq_model model;
static tq_link links[LINKS];
static tq_joint joints[LINKS - 1];
static uint32_t order[LINKS - 1];

/* 0 -a-> 1 -b-> 2, 1 -c-> 3, 0 -d-> 4, numbered in another order */
static void build(void)
{
    static const uint32_t parent[] = {1, 0, 0, 1}, child[] = {3, 4, 1, 2};
    static const tq_joint_kind kind[] = {TQ_JOINT_REVOLUTE, TQ_JOINT_FLOATING, TQ_JOINT_PRISMATIC,
                                         TQ_JOINT_CONTINUOUS};
    model = (tq_model){.n_link = LINKS,
                       .n_joint = LINKS - 1,
                       .links = links,
                       .joints = joints,
                       .order = order,
                       .gravity = {0, 0, -9.81}};
    memset(links, 0, sizeof links);
    for (int j = 0; j < LINKS - 1; j++) {
        joints[j] = (tq_joint){.kind = kind[j],
                               .parent = parent[j],
                               .child = child[j],
                               .origin.r = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                               .axis = {0, 3, 4},
                               .mimic = TQ_NONE};
    }
}

static void refused(tq_status status, const char *what, size_t index)
{
    tq_error error = {0};
    cr_expect(tq_model_finish(&model, &error) == status, "%s", what);
    cr_expect(error.what != NULL && strcmp(error.what, what) == 0, "%s, not %s",
              error.what != NULL ? error.what : "nothing", what);
    cr_expect(error.index == index, "%s: %zu, not %zu", what, error.index, index);
}

Test(model, finish_fills_root_order_and_rows)
{
    build();
    cr_assert(tq_model_finish(&model, NULL) == TQ_OK);
    cr_expect(model.root == 0 && model.nq == 10 && model.nv == 9);
    const uint32_t expected[] = {1, 2, 0, 3}; /* depth first, siblings in the user's order */
    cr_expect(memcmp(order, expected, sizeof order) == 0);
    cr_expect(joints[2].q_index == 8 && joints[2].v_index == 7 && joints[1].q_index == 1);
    cr_expect(fabs(joints[0].axis[1] - 0.6) < 1e-16 && links[3].joint == 0);
    double before[3];
    memcpy(before, joints[0].axis, sizeof before);
    cr_assert(tq_model_finish(&model, NULL) == TQ_OK);
    cr_expect(memcmp(before, joints[0].axis, sizeof before) == 0,
              "finishing twice changes nothing");
}

Test(model, mimicking_joints_own_no_rows)
{
    build();
    joints[3].mimic = 0;
    joints[3].mimic_multiplier = 2.0;
    cr_assert(tq_model_finish(&model, NULL) == TQ_OK);
    cr_expect(joints[3].nq == 0 && joints[3].q_index == joints[0].q_index && model.nv == 8);
}

Test(model, shapes_and_trees_are_refused)
{
    build();
    model.n_joint = 3;
    refused(TQ_ERR_SHAPE, "n_joint", 0);
    model.n_link = 0;
    refused(TQ_ERR_SHAPE, "n_link", 0);
    build();
    joints[0].parent = 77;
    refused(TQ_ERR_TREE, "joint.parent", 0);
    build();
    joints[2].child = LINKS;
    refused(TQ_ERR_TREE, "joint.child", 2);
    build();
    joints[1].child = 3; /* 4 is then a second root, but the double parent is reported first */
    refused(TQ_ERR_TREE, "link.joint", 3);
    build();
    joints[2].parent = 2; /* 1 -> 2 -> 1 */
    refused(TQ_ERR_TREE, "link.loop", 1);
}

Test(model, numbers_are_refused)
{
    build();
    joints[3].axis[1] = (double)NAN;
    refused(TQ_ERR_NOT_FINITE, "joint.axis", 3);
    build();
    joints[0].friction.coulomb = (double)INFINITY;
    refused(TQ_ERR_NOT_FINITE, "joint.terms", 0);
    build();
    memset(joints[0].axis, 0, sizeof joints[0].axis);
    refused(TQ_ERR_RANGE, "joint.axis", 0);
    build();
    joints[2].origin.r[0] = -1.0; /* a mirror */
    refused(TQ_ERR_RANGE, "joint.origin", 2);
    build();
    joints[2].origin.r[1] = 1e-3;
    refused(TQ_ERR_RANGE, "joint.origin", 2);
    build();
    links[4].inertia.mass = -1.0;
    refused(TQ_ERR_INERTIA, "link.mass", 4);
    build();
    links[4].inertia.about_com[2] = (double)NAN;
    refused(TQ_ERR_NOT_FINITE, "link.inertia", 4);
    build();
    links[4].gravity_compensation = (double)NAN;
    refused(TQ_ERR_NOT_FINITE, "link.gravity_compensation", 4);
    build();
    model.gravity[1] = (double)INFINITY;
    refused(TQ_ERR_NOT_FINITE, "gravity", 0);
}

Test(model, mimicry_is_refused_where_it_has_no_meaning)
{
    static const uint32_t master[] = {0, 1, 99}; /* itself, a joint of six dofs, a joint that does
                                                    not exist */
    for (int k = 0; k < 3; k++) {
        build();
        joints[0].mimic = master[k];
        refused(TQ_ERR_TREE, "joint.mimic", 0);
    }
    build();
    joints[0].mimic = 2;
    joints[2].mimic = 3; /* the master is a mimic joint */
    refused(TQ_ERR_TREE, "joint.mimic", 0);
    build();
    joints[1].mimic = 0; /* a mimic joint of six dofs */
    refused(TQ_ERR_TREE, "joint.mimic", 1);
}
