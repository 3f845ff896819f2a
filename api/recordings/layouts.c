/* SPDX-License-Identifier: Apache-2.0 */
/* api/recordings/layouts.c - layouts of columns of known programs, detected automatically. */
#include <string.h>

#include "api/recordings/finder.h"

/* "x" is a column of that name, or columns x0 x1 ..., x_0 x_1 ..., x[0] x[1] ...; with a % the name
 * or number of a joint is in its place. Time may be two columns. */
static const tqa_layout layouts[] = {
    {.name = "ros-joint-state",
     .names = {[TQA_RECORDING_Q] = {"position", "field.position", ".position", "msg.position"},
               [TQA_RECORDING_QD] = {"velocity", "field.velocity", ".velocity", "msg.velocity"},
               [TQA_RECORDING_TAU] = {"effort", "field.effort", ".effort", "msg.effort"}},
     .time = {{"header.stamp.secs", "header.stamp.nsecs", 1.0},
              {"header.stamp.sec", "header.stamp.nanosec", 1.0},
              {"field.header.stamp", NULL, 1e-9},
              {"time", NULL, 1e-9}, /* of rostopic echo -p, after its % */
              {"Time", NULL, 1.0}}},
    {.name = "ur-rtde",
     .names = {[TQA_RECORDING_Q] = {"actual_q"},
               [TQA_RECORDING_QD] = {"actual_qd"},
               [TQA_RECORDING_TAU] = {"actual_current"},
               [TQA_RECORDING_Q_CMD] = {"target_q"},
               [TQA_RECORDING_QD_CMD] = {"target_qd"}},
     .time = {{"timestamp", NULL, 1.0}},
     .tau_is_current = true},
    {.name = "libfranka",
     .names = {[TQA_RECORDING_Q] = {"state.q", "q"},
               [TQA_RECORDING_QD] = {"state.dq", "dq"},
               [TQA_RECORDING_TAU] = {"state.tau_J", "tau_J"},
               [TQA_RECORDING_Q_CMD] = {"state.q_d", "q_d"},
               [TQA_RECORDING_QD_CMD] = {"state.dq_d", "dq_d"}},
     .time = {{"time", NULL, 1e-3}}},
    {.name = "plain"},
    /* torques that the controller computes from currents come first */
    {.name = "ur-rtde",
     .names = {[TQA_RECORDING_Q] = {"actual_q"},
               [TQA_RECORDING_QD] = {"actual_qd"},
               [TQA_RECORDING_TAU] = {"actual_current_as_torque", "actual_joint_torque"}},
     .time = {{"timestamp", NULL, 1.0}}},
    {.name = "kuka-fri",
     .names = {[TQA_RECORDING_Q] = {"mp", "measuredJointPosition", "MeasuredJointPosition"},
               [TQA_RECORDING_TAU] = {"mt", "measuredTorque", "MeasuredTorque"}},
     .time = {{"tsec", "tnsec", 1.0}, {"time", NULL, 1.0}}},
    {.name = "kuka-lbr",
     .names = {[TQA_RECORDING_Q] = {"axisQMsr", "axisQMsr_%"},
               [TQA_RECORDING_TAU] = {"axisTauMsr", "axisTauMsr_%"}},
     .time = {{"ZeitInSec", "ZeitInNanoSec", 1.0}}},
    {.name = "kuka-rsi",
     .names = {[TQA_RECORDING_Q] = {"A", "AIPos.A", "AIPos_A", "AxisAct.A", "AxisAct_A",
                                    "$AXIS_ACT.A"},
               [TQA_RECORDING_TAU] = {"M", "T", "Torque_A", "Torque.A", "$TORQUE_AXIS_ACT",
                                      "GearTorque.A"}},
     .time = {{"IPOC", NULL, 1e-3}},
     .is_degrees = true},
};
enum { N_PRESET = 4, N_LAYOUT = sizeof layouts / sizeof layouts[0] };

const tqa_layout tqa_layout_usual = {
    .name = "the usual names",
    .names = {[TQA_RECORDING_Q] = {"q", "position", "actual_q"},
              [TQA_RECORDING_QD] = {"qd", "dq", "velocity", "actual_qd"},
              [TQA_RECORDING_QDD] = {"qdd", "ddq", "acceleration"},
              [TQA_RECORDING_TAU] = {"tau", "effort", "torque"},
              [TQA_RECORDING_Q_CMD] = {"q_cmd", "q_d", "q_des", "q_ref", "target_q"},
              [TQA_RECORDING_QD_CMD] = {"qd_cmd", "dq_d", "qd_des", "qd_ref", "target_qd"},
              [TQA_RECORDING_TAU_FF] = {"tau_ff"}},
    .time = {{"t", NULL, 1.0}, {"time", NULL, 1.0}, {"timestamp", NULL, 1.0}}};

/* columns of a pattern that all needed quantities share: /joint_states/%/position, joint%_pos */
static const tqa_layout by_words = {.name = "words and joints"};

const char *const tqa_layout_words[] = {"ros-joint-state", "ur-rtde", "libfranka", "plain", NULL};
_Static_assert(sizeof tqa_layout_words / sizeof tqa_layout_words[0] == N_PRESET + 1,
               "a word for each preset");

const tqa_layout *tqa_layout_of(unsigned word)
{
    return &layouts[word];
}

static bool find_columns(const tqa_finder *f, const tqa_layout *layout,
                         tqa_recording_quantity quantity, uint32_t *ret, bool *ret_found)
{
    const size_t n = tqa_finder_width(f, quantity);
    char pattern[TQA_TABLE_NAME];
    *ret_found = false;
    if (layout == &by_words) {
        *ret_found = tqa_find_by_words(f, quantity, n, ret, pattern);
    }
    for (size_t k = 0; k < TQA_LAYOUT_NAMES && layout->names[quantity][k] != NULL && !*ret_found;
         k++) {
        const char *name = layout->names[quantity][k];
        *ret_found = strchr(name, '%') != NULL ? tqa_find_by_words(f, quantity, n, ret, pattern) &&
                                                     strncmp(pattern, name, strcspn(name, "%")) == 0
                                               : tqa_find_group(f, name, quantity, n, ret);
    }
    return *ret_found;
}

bool tqa_layout_columns(tqa_finder *f, const tqa_layout *layout, tqa_recording_quantity quantity,
                        uint32_t *ret, bool *ret_found)
{
    if (!find_columns(f, layout, quantity, ret, ret_found) && !f->of_joints &&
        tqa_finder_may_be_of_joints(f, quantity)) {
        f->of_joints = true;
        f->of_joints = find_columns(f, layout, quantity, ret, ret_found);
    }
    return *ret_found;
}

bool tqa_layout_base(const tqa_finder *f, tqa_recording_quantity quantity, uint32_t *ret)
{
    enum { FIRST = TQA_RECORDING_BASE_POSITION, LAST = TQA_RECORDING_BASE_TWIST, MOST = 6 };
    static const char *const letters[LAST - FIRST + 1][MOST] = {
        {"base_x", "base_y", "base_z"},
        {"base_qw", "base_qx", "base_qy", "base_qz"},
        {"base_vx", "base_vy", "base_vz", "base_wx", "base_wy", "base_wz"}};
    const size_t n = tqa_recording_width(f->request, quantity);
    bool found = true;
    for (size_t r = 0; found && r < n; r++) {
        const char *name = letters[quantity - FIRST][r];
        found = tqa_find_exactly(f, name, strlen(name), &ret[r]);
    }
    return found || tqa_find_group(f, tqa_recording_quantity_names[quantity], quantity, n, ret);
}

bool tqa_layout_time(tqa_finder *f, const tqa_layout *layout, uint32_t *ret, bool *ret_found)
{
    *ret_found = false;
    for (size_t k = 0; k < TQA_LAYOUT_NAMES && layout->time[k].name != NULL; k++) {
        const char *name = layout->time[k].name;
        const char *more = layout->time[k].nanoseconds;
        if (!tqa_find_exactly(f, name, strlen(name), &ret[0]) ||
            (more != NULL && !tqa_find_exactly(f, more, strlen(more), &ret[1]))) {
            continue;
        }
        *ret_found = true;
        f->recording->n_time = more != NULL ? 2 : 1;
        f->unit = layout->time[k].unit;
        f->unit_is_known = layout != &tqa_layout_usual;
        return true;
    }
    return true;
}

/* it has all quantities of `need`; a clock may be found by other means */
static bool is_whole(const tqa_finder *f, const tqa_layout *layout, unsigned need)
{
    tqa_finder trial = *f;
    const size_t n = f->request->order->nq > f->request->order->nv ? f->request->order->nq
                                                                   : f->request->order->nv;
    uint32_t *ignored = tqa_tree_take(f->request->tree, n + 2, sizeof *ignored);
    bool found = ignored != NULL;
    for (tqa_recording_quantity q = 0; found && q < TQA_RECORDING_TIME; q++) {
        if ((need >> q & 1u) != 0) {
            trial.of_joints = q == TQA_RECORDING_Q && f->recording->of_joints[q];
            (void)tqa_layout_columns(&trial, layout, q, ignored, &found);
        }
    }
    return found;
}

static const tqa_layout *find_whole(const tqa_finder *f, unsigned need)
{
    static const unsigned char order[] = {4, 1, 0, 2, 5, 6, 7};
    if (is_whole(f, &tqa_layout_usual, need)) {
        return &tqa_layout_usual;
    }
    for (size_t k = 0; k < sizeof order; k++) {
        if (is_whole(f, &layouts[order[k]], need)) {
            return &layouts[order[k]];
        }
    }
    return is_whole(f, &by_words, need) ? &by_words : NULL;
}

const tqa_layout *tqa_layout_find(const tqa_finder *f)
{
    /* one that has torques, needed or not, rather than one that has none */
    const tqa_layout *with_torque = find_whole(f, f->request->need | 1u << TQA_RECORDING_TAU);
    return with_torque != NULL ? with_torque : find_whole(f, f->request->need);
}

/* seconds, nanoseconds, frame_id (a word or nothing), n names, then n numbers twice or thrice */
bool tqa_layout_ros_echo(tqa_finder *f, tqa_recording_quantity quantity, uint32_t *ret,
                         bool *ret_found)
{
    enum { FRAME = 2, NAMES = 3 };
    const size_t all = tqa_table_columns(f->table);
    const size_t n = tqa_finder_width(f, quantity);
    size_t n_name = 0;
    while (NAMES + n_name < all && tqa_table_word(f->table, NAMES + n_name)[0] != '\0') {
        n_name++;
    }
    const size_t rest = all > NAMES + n_name ? all - NAMES - n_name : 0;
    *ret_found = false;
    if (n_name == 0 || tqa_table_word(f->table, 0)[0] != '\0' ||
        tqa_table_word(f->table, 1)[0] != '\0' || rest < n_name || rest % n_name != 0 ||
        rest > 3 * n_name) {
        return false;
    }
    if (quantity == TQA_RECORDING_TIME) {
        ret[0] = 0;
        ret[1] = 1;
        f->recording->n_time = 2;
        f->unit = 1.0;
        f->unit_is_known = *ret_found = true;
        return true;
    }
    const size_t group = quantity == TQA_RECORDING_Q ? 0 : quantity == TQA_RECORDING_QD ? 1 : 2;
    uint32_t words[64];
    if (quantity == TQA_RECORDING_QDD || tqa_recording_is_command(quantity) ||
        (group + 1) * n_name > rest || n_name > 64) {
        return true;
    }
    for (size_t k = 0; k < n_name; k++) {
        words[k] = (uint32_t)(NAMES + k);
    }
    if (!tqa_find_joints(f, quantity, words, n_name, n, ret)) {
        for (size_t r = 0; r < n; r++) {
            ret[r] = (uint32_t)r; /* as they come, where the joints have other names */
        }
        if (n != n_name) {
            return true;
        }
    }
    for (size_t r = 0; r < n; r++) {
        ret[r] += (uint32_t)(NAMES + n_name * (1 + group));
    }
    *ret_found = true;
    return true;
}
