/* SPDX-License-Identifier: Apache-2.0 */
/* api/recordings/names.c - columns by their names: numbered groups, patterns, joints' names, words
 * for quantities. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/recordings/finder.h"

enum { NUMBER_MAX = 100000, COLUMNS_TRIED = 512 };

bool tqa_find_exactly(const tqa_finder *f, const char *name, size_t n, uint32_t *ret)
{
    for (size_t c = 0; c < tqa_table_columns(f->table); c++) {
        const char *other = tqa_table_name(f->table, c);
        if (strlen(other) == n && memcmp(other, name, n) == 0) {
            *ret = (uint32_t)c;
            return true;
        }
    }
    return false;
}

/* ------------------------------------------------------------------------------------- joints */

size_t tqa_finder_row(const tqa_finder *f, tqa_recording_quantity quantity, size_t r)
{
    size_t at = 0;
    for (size_t left = r; f->of_joints; at++) {
        if (tqa_recording_is_of_base(f->request, quantity, at)) {
            continue;
        }
        if (left == 0) {
            return at;
        }
        left--;
    }
    return r;
}

size_t tqa_finder_width(const tqa_finder *f, tqa_recording_quantity quantity)
{
    const size_t n = tqa_recording_width(f->request, quantity);
    size_t of_base = 0;
    for (size_t r = 0; f->of_joints && r < n; r++) {
        of_base += tqa_recording_is_of_base(f->request, quantity, r);
    }
    return n - of_base;
}

bool tqa_finder_may_be_of_joints(const tqa_finder *f, tqa_recording_quantity quantity)
{
    const tqa_recording *recording = f->recording;
    return f->request->base != TQ_NONE &&
           (quantity == TQA_RECORDING_QD ||
            (quantity == TQA_RECORDING_TAU && f->request->takes_contacts) ||
            (quantity == TQA_RECORDING_Q && recording->of_joints[TQA_RECORDING_Q]));
}

const char *tqa_finder_joint(const tqa_finder *f, tqa_recording_quantity quantity, size_t r)
{
    const tqa_robot *robot = f->request->tree->robot;
    const tq_joint *joint =
        tqa_recording_joint(f->request, quantity, tqa_finder_row(f, quantity, r));
    return joint != NULL && joint->nq == 1 && joint->nv == 1
               ? robot->joint_names[joint - robot->model->joints]
               : NULL;
}

/* one is the other, perhaps with a prefix: panda_joint1 and joint1 */
static bool is_same_joint(const char *word, size_t n, const char *joint)
{
    const size_t n_joint = strlen(joint);
    const char *longer = n > n_joint ? word : joint;
    const char *shorter = n > n_joint ? joint : word;
    const size_t n_longer = n > n_joint ? n : n_joint;
    const size_t n_shorter = n > n_joint ? n_joint : n;
    if (n_shorter == 0 || memcmp(longer + n_longer - n_shorter, shorter, n_shorter) != 0) {
        return false;
    }
    return n_longer == n_shorter || strchr("_/-.:", longer[n_longer - n_shorter - 1]) != NULL;
}

bool tqa_find_joints(const tqa_finder *f, tqa_recording_quantity quantity, const uint32_t *words,
                     size_t n_word, size_t n, uint32_t *order)
{
    for (size_t r = 0; r < n; r++) {
        const char *joint = tqa_finder_joint(f, quantity, r);
        size_t found = 0;
        for (size_t k = 0; joint != NULL && k < n_word; k++) {
            const char *word = tqa_table_word(f->table, words[k]);
            if (is_same_joint(word, strlen(word), joint)) {
                order[r] = (uint32_t)k;
                found++;
            }
        }
        if (found != 1) {
            return false;
        }
    }
    return true;
}

/* -------------------------------------------------------------------------------------- groups */

/* k of "name<k>", "name_<k>", "name.<k>" or "name[<k>]"; -1 when `text` is none of these */
static long number_after(const char *text, const char *name)
{
    const size_t n = strlen(name);
    if (strncmp(text, name, n) != 0) {
        return -1;
    }
    text += n;
    text += *text == '_' || *text == '.' || *text == '[' ? 1 : 0;
    char *end = NULL;
    if (*text < '0' || *text > '9') {
        return -1;
    }
    const long k = strtol(text, &end, 10);
    end += *end == ']' ? 1 : 0;
    end += strspn(end, " ");
    return (*end == '\0' || *end == '[' || *end == '(') && k < NUMBER_MAX ? k : -1;
}

/* columns of name<k> in the order of k, up to `room`; how many there are */
static size_t numbered(const tqa_finder *f, const char *name, size_t room, uint32_t *ret)
{
    size_t found = 0;
    long before = -1;
    while (found < room) {
        long least = NUMBER_MAX;
        for (size_t c = 0; c < tqa_table_columns(f->table); c++) {
            const long k = number_after(tqa_table_name(f->table, c), name);
            if (k > before && k < least) {
                least = k;
                ret[found] = (uint32_t)c;
            }
        }
        if (least == NUMBER_MAX) {
            break;
        }
        before = least;
        found++;
    }
    return found;
}

/* The names of joints beside ROS's positions, velocities, efforts: name[0] ..., of the same
 * prefix. */
static size_t joint_words(const tqa_finder *f, const char *name, size_t room, uint32_t *ret)
{
    char beside[TQA_TABLE_NAME];
    const char *dot = strrchr(name, '.');
    const int n_prefix = dot != NULL ? (int)(dot - name) + 1 : 0;
    (void)snprintf(beside, sizeof beside, "%.*sname", n_prefix, name);
    const size_t n = numbered(f, beside, room, ret);
    return n > 0 && tqa_table_word(f->table, ret[0])[0] != '\0' ? n : 0;
}

bool tqa_find_group(const tqa_finder *f, const char *name, tqa_recording_quantity quantity,
                    size_t n, uint32_t *ret)
{
    enum { ROOM = 64 };
    uint32_t columns[ROOM];
    uint32_t words[ROOM];
    if (n == 1 && tqa_find_exactly(f, name, strlen(name), ret)) {
        return true;
    }
    const size_t n_word = n <= ROOM ? joint_words(f, name, ROOM, words) : 0;
    if (n_word >= n && n_word > 0 && numbered(f, name, ROOM, columns) == n_word &&
        tqa_find_joints(f, quantity, words, n_word, n, ret)) {
        for (size_t r = 0; r < n; r++) {
            ret[r] = columns[ret[r]];
        }
        return true;
    }
    return numbered(f, name, n, ret) == n;
}

/* ------------------------------------------------------------------------------------ patterns */

/* the part of `name` at the pattern's %; 0 bytes: the name does not match */
static size_t in_place(const char *name, const char *pattern, const char **ret)
{
    const size_t n = strlen(name);
    const size_t n_before = strcspn(pattern, "%");
    const char *after = pattern + n_before + (pattern[n_before] == '%' ? 1 : 0);
    const size_t n_after = strlen(after);
    if (n <= n_before + n_after || memcmp(name, pattern, n_before) != 0 ||
        memcmp(name + n - n_after, after, n_after) != 0) {
        return 0;
    }
    *ret = name + n_before;
    return n - n_before - n_after;
}

static bool is_number(const char *text, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        if (text[k] < '0' || text[k] > '9') {
            return false;
        }
    }
    return n > 0 && n < 6;
}

/* joint r's column; how many there are */
static size_t find_by_joint(const tqa_finder *f, const char *pattern,
                            tqa_recording_quantity quantity, size_t r, uint32_t *ret)
{
    const char *joint = tqa_finder_joint(f, quantity, r);
    size_t found = 0;
    for (size_t c = 0; joint != NULL && c < tqa_table_columns(f->table); c++) {
        const char *part = NULL;
        const size_t n_part = in_place(tqa_table_name(f->table, c), pattern, &part);
        if (n_part > 0 && is_same_joint(part, n_part, joint)) {
            *ret = (uint32_t)c;
            found++;
        }
    }
    return found;
}

static bool find_by_joints(const tqa_finder *f, const char *pattern,
                           tqa_recording_quantity quantity, size_t n, uint32_t *ret)
{
    for (size_t r = 0; r < n; r++) {
        if (find_by_joint(f, pattern, quantity, r, &ret[r]) != 1) {
            return false;
        }
    }
    return n > 0;
}

/* numbers in rising order; how many there are, n stored at most */
static size_t find_by_numbers(const tqa_finder *f, const char *pattern, size_t n, uint32_t *ret)
{
    long before = -1;
    size_t found = 0;
    for (;;) {
        long least = NUMBER_MAX;
        uint32_t at = 0;
        for (size_t c = 0; c < tqa_table_columns(f->table); c++) {
            const char *part = "";
            const size_t n_part = in_place(tqa_table_name(f->table, c), pattern, &part);
            const long k = is_number(part, n_part) ? strtol(part, NULL, 10) : -1;
            if (k > before && k < least) {
                least = k;
                at = (uint32_t)c;
            }
        }
        if (least == NUMBER_MAX) {
            return found;
        }
        if (found < n) {
            ret[found] = at;
        }
        before = least;
        found++;
    }
}

bool tqa_find_pattern(const tqa_finder *f, const char *pattern, tqa_recording_quantity quantity,
                      size_t n, uint32_t *ret)
{
    return find_by_joints(f, pattern, quantity, n, ret) || find_by_numbers(f, pattern, n, ret) >= n;
}

/* --------------------------------------------------------------------------------------- words */

typedef struct word {
    const char *text;
    tqa_recording_quantity quantity;
    bool is_part; /* it may begin or end a longer word */
} word;

static const word words[] = {
    {"position", TQA_RECORDING_Q, true},
    {"positions", TQA_RECORDING_Q, true},
    {"pos", TQA_RECORDING_Q, true},
    {"angle", TQA_RECORDING_Q, true},
    {"q", TQA_RECORDING_Q, false},
    {"axisqmsr", TQA_RECORDING_Q, false}, /* of KUKA's DataRecorder */
    {"velocity", TQA_RECORDING_QD, true},
    {"velocities", TQA_RECORDING_QD, true},
    {"vel", TQA_RECORDING_QD, true},
    {"speed", TQA_RECORDING_QD, true},
    {"qd", TQA_RECORDING_QD, false},
    {"dq", TQA_RECORDING_QD, false},
    {"qdot", TQA_RECORDING_QD, false},
    {"acceleration", TQA_RECORDING_QDD, true},
    {"acc", TQA_RECORDING_QDD, false},
    {"qdd", TQA_RECORDING_QDD, false},
    {"ddq", TQA_RECORDING_QDD, false},
    {"effort", TQA_RECORDING_TAU, true},
    {"eff", TQA_RECORDING_TAU, false},
    {"torque", TQA_RECORDING_TAU, true},
    {"torques", TQA_RECORDING_TAU, true},
    {"trq", TQA_RECORDING_TAU, true},
    {"tau", TQA_RECORDING_TAU, true},
    {"axistaumsr", TQA_RECORDING_TAU, false},
};

/* a column with one of these words is not a measurement */
static const char *const others[] = {
    "desired",   "des",         "target", "command",  "commanded",  "cmd",  "ref",
    "reference", "goal",        "set",    "setpoint", "error",      "err",  "current",
    "cur",       "temperature", "temp",   "ext",      "external",   "ipo",  "limit",
    "max",       "min",         "std",    "tcp",      "cart",       "pose", "x",
    "y",         "z",           "d",      "ff",       "feedforward"};

bool tqa_next_word(const char **p, char out[32])
{
    size_t n = 0;
    while (**p != '\0' && !isalpha((unsigned char)**p)) {
        (*p)++;
    }
    while (isalpha((unsigned char)**p)) {
        if (n + 1 < 32) {
            out[n++] = (char)tolower((unsigned char)**p);
        }
        (*p)++;
    }
    out[n] = '\0';
    return n > 0;
}

static bool is_word(const word *w, const char *text)
{
    const size_t n = strlen(w->text);
    const size_t n_text = strlen(text);
    return strcmp(w->text, text) == 0 ||
           (w->is_part && n_text > n &&
            (strncmp(text, w->text, n) == 0 || strcmp(text + n_text - n, w->text) == 0));
}

/* the one quantity that the words of a pattern name; TQA_RECORDING_QUANTITIES: none, or several */
static tqa_recording_quantity quantity_of(const char *pattern)
{
    tqa_recording_quantity ret = TQA_RECORDING_QUANTITIES;
    char text[32];
    while (tqa_next_word(&pattern, text)) {
        for (size_t k = 0; k < sizeof others / sizeof others[0]; k++) {
            if (strcmp(others[k], text) == 0) {
                return TQA_RECORDING_QUANTITIES;
            }
        }
        for (size_t k = 0; k < sizeof words / sizeof words[0]; k++) {
            if (is_word(&words[k], text)) {
                if (ret != TQA_RECORDING_QUANTITIES && ret != words[k].quantity) {
                    return TQA_RECORDING_QUANTITIES;
                }
                ret = words[k].quantity;
            }
        }
    }
    return ret;
}

/* `name` with n bytes at `at` replaced by %; false: it is not of this quantity */
static bool make_pattern(const char *name, size_t at, size_t n, tqa_recording_quantity quantity,
                         char out[TQA_TABLE_NAME])
{
    if (strchr(name, '%') != NULL) {
        return false;
    }
    (void)snprintf(out, TQA_TABLE_NAME, "%.*s%%%s", (int)at, name, name + at + n);
    return quantity_of(out) == quantity;
}

static bool try_joints(const tqa_finder *f, const char *name, tqa_recording_quantity quantity,
                       size_t n, uint32_t *ret, char pattern[TQA_TABLE_NAME])
{
    const char *joint = tqa_finder_joint(f, quantity, 0);
    const char *at = joint != NULL ? strstr(name, joint) : NULL;
    return at != NULL &&
           make_pattern(name, (size_t)(at - name), strlen(joint), quantity, pattern) &&
           find_by_joints(f, pattern, quantity, n, ret);
}

/* each number in the name in turn */
static bool try_numbers(const tqa_finder *f, const char *name, tqa_recording_quantity quantity,
                        size_t n, uint32_t *ret, char pattern[TQA_TABLE_NAME])
{
    for (size_t at = strcspn(name, "0123456789"); name[at] != '\0';) {
        const size_t digits = strspn(name + at, "0123456789");
        if (make_pattern(name, at, digits, quantity, pattern) &&
            find_by_numbers(f, pattern, n, ret) == n) {
            return true;
        }
        at += digits;
        at += strcspn(name + at, "0123456789");
    }
    return false;
}

bool tqa_find_by_words(const tqa_finder *f, tqa_recording_quantity quantity, size_t n,
                       uint32_t *ret, char ret_pattern[TQA_TABLE_NAME])
{
    const size_t all = tqa_table_columns(f->table);
    for (size_t c = 0; n > 0 && c < all && c < COLUMNS_TRIED; c++) {
        const char *name = tqa_table_name(f->table, c);
        if (try_joints(f, name, quantity, n, ret, ret_pattern) ||
            try_numbers(f, name, quantity, n, ret, ret_pattern)) {
            return true;
        }
    }
    return false;
}

static size_t count_by_joints(const tqa_finder *f, const char *name,
                              tqa_recording_quantity quantity)
{
    const size_t n = tqa_finder_width(f, quantity);
    char pattern[TQA_TABLE_NAME];
    size_t most = 0;
    for (size_t of = 0; of < n; of++) {
        const char *joint = tqa_finder_joint(f, quantity, of);
        const char *at = joint != NULL ? strstr(name, joint) : NULL;
        size_t count = 0;
        if (at == NULL ||
            !make_pattern(name, (size_t)(at - name), strlen(joint), quantity, pattern)) {
            continue;
        }
        for (size_t r = 0; r < n; r++) {
            uint32_t ignored = 0;
            count += find_by_joint(f, pattern, quantity, r, &ignored) == 1;
        }
        most = count > most ? count : most;
    }
    return most;
}

size_t tqa_count_by_words(const tqa_finder *f, tqa_recording_quantity quantity)
{
    char pattern[TQA_TABLE_NAME];
    size_t most = 0;
    for (size_t c = 0; c < tqa_table_columns(f->table) && c < COLUMNS_TRIED; c++) {
        const char *name = tqa_table_name(f->table, c);
        const size_t by_joints = most == 0 ? count_by_joints(f, name, quantity) : 0;
        most = by_joints > most ? by_joints : most;
        for (size_t at = strcspn(name, "0123456789"); name[at] != '\0' && most == 0;) {
            const size_t digits = strspn(name + at, "0123456789");
            if (make_pattern(name, at, digits, quantity, pattern)) {
                most = find_by_numbers(f, pattern, 0, NULL);
            }
            at += digits;
            at += strcspn(name + at, "0123456789");
        }
    }
    return most;
}
