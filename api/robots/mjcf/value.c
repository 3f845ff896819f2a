/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/mjcf/value.c - attributes of MJCF: defaults by class, numbers, rotations. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "api/robots/mjcf/parts.h"
#include "api/robots/zip/zip.h"
#include "core/elementary/elementary.h"
#include "core/spatial/rotation.h"

static const char *own(const tqa_mjcf_node *node, const char *key)
{
    for (const char *const *a = node->attributes; *a != NULL; a += 2) {
        if (strcmp(a[0], key) == 0) {
            return a[1];
        }
    }
    return NULL;
}

static void describe(const tqa_mjcf *m, uint32_t i, char pointer[TQA_POINTER_TEXT])
{
    const tqa_mjcf_node *node = &m->nodes[i];
    const char *name = own(node, "name");
    if (name != NULL) {
        (void)snprintf(pointer, TQA_POINTER_TEXT, "/mujoco//%.30s[@name='%.60s']", node->name,
                       name);
    } else {
        (void)snprintf(pointer, TQA_POINTER_TEXT, "/mujoco//%.30s (line %lu)", node->name,
                       node->line);
    }
}

void tqa_mjcf_fault(tqa_mjcf *m, uint32_t i, const char *slug, const char *hint, const char *format,
                    ...)
{
    char detail[TQA_PROBLEM_TEXT];
    char pointer[TQA_POINTER_TEXT];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(detail, sizeof detail, format, args);
    va_end(args);
    describe(m, i, pointer);
    const uint32_t member = m->nodes[i].member;
    const bool main = member == TQ_NONE || member == m->draft->main;
    tqa_draft_fault(m->draft, slug, pointer, hint, "%.120s%sline %lu: %s",
                    main ? "" : m->draft->archive->members[member].path, main ? "" : ", ",
                    m->nodes[i].line, detail);
}

static void list(tqa_mjcf *m, tqa_urdf_file *file, uint32_t i, const char *attribute,
                 const char *why)
{
    const tqa_mjcf_node *node = &m->nodes[i];
    tqa_urdf_walk w = {.file = file};
    if (attribute != NULL) {
        tqa_urdf_ignore(&w, node->line, why, "%.60s@%.60s", node->name, attribute);
    } else {
        const char *above = node->parent != TQ_NONE ? m->nodes[node->parent].name : "";
        tqa_urdf_ignore(&w, node->line, why, "%.60s/%.60s", above, node->name);
    }
}

void tqa_mjcf_ignore(tqa_mjcf *m, uint32_t i, const char *attribute, const char *why)
{
    list(m, &m->ignored, i, attribute, why);
}

void tqa_mjcf_doubt(tqa_mjcf *m, uint32_t i, const char *attribute, const char *why)
{
    list(m, &m->doubts, i, attribute, why);
}

static uint32_t find_class(const tqa_mjcf *m, const char *name)
{
    for (size_t k = 0; k < m->n_class; k++) {
        if (strcmp(m->classes[k].name, name) == 0) {
            return (uint32_t)k;
        }
    }
    return TQ_NONE;
}

/* A <default> inside <mujoco> adds to "main"; one inside another refines it. */
static void add_class(tqa_mjcf *m, uint32_t i)
{
    const tqa_mjcf_node *node = &m->nodes[i];
    const char *name = own(node, "class");
    uint32_t base = 0;
    if (node->parent != 0) {
        for (size_t k = 0; k < m->n_class; k++) {
            base = m->classes[k].node == node->parent ? (uint32_t)k : base;
        }
        if (name == NULL) {
            tqa_mjcf_fault(m, i, "missing-field", "add class=\"...\"",
                           "a default inside another has no class");
            return;
        }
    }
    if (m->n_class == TQA_MJCF_CLASS_MAX) {
        tqa_mjcf_fault(m, i, "too-large", "fewer classes of defaults",
                       "there are more than %d default classes", TQA_MJCF_CLASS_MAX - 2);
        return;
    }
    m->classes[m->n_class++] =
        (tqa_mjcf_class){.name = name != NULL ? name : "", .node = i, .base = base};
}

/* The row of a class that an element names, or TQ_NONE with a fault. */
static uint32_t resolve_class(tqa_mjcf *m, uint32_t i, const char *name)
{
    const uint32_t c = find_class(m, name);
    if (c == TQ_NONE) {
        tqa_mjcf_fault(m, i, "unknown-name", "add <default class=\"...\"> of this name",
                       "there is no default class \"%.60s\"", name);
    }
    return c;
}

static void find_childclass(tqa_mjcf *m, uint32_t i)
{
    tqa_mjcf_node *node = &m->nodes[i];
    const char *inside = own(node, "childclass");
    const char *name = own(node, "class");
    node->childclass = node->parent != TQ_NONE ? m->nodes[node->parent].childclass : 0;
    if (inside != NULL) {
        const uint32_t c = resolve_class(m, i, inside);
        node->childclass = c != TQ_NONE ? c : 0;
    }
    if (name != NULL && strcmp(node->name, "default") != 0) {
        (void)resolve_class(m, i, name);
    }
}

/* Every attribute may be looked for in all defaults: elements times defaults is bounded, some
 * hundred times above the largest models there are. */
static void check_cost(tqa_mjcf *m)
{
    size_t n_default = 0;
    for (uint32_t i = 1; i < m->n_node; i = m->nodes[i].end) {
        n_default += strcmp(m->nodes[i].name, "default") == 0 ? m->nodes[i].end - i : 0;
    }
    if (n_default * m->n_node > TQA_MJCF_COST_MAX) {
        tqa_mjcf_fault(m, 0, "too-large", "write defaults once for each kind of element",
                       "%zu elements of defaults for %zu elements", n_default, m->n_node);
    }
}

bool tqa_mjcf_classes(tqa_mjcf *m)
{
    check_cost(m);
    m->n_class = 1;
    m->classes[0] = (tqa_mjcf_class){.name = "main", .node = TQ_NONE, .base = TQ_NONE};
    for (uint32_t i = 0; i < m->n_node; i++) {
        const uint32_t parent = m->nodes[i].parent;
        const bool inside =
            parent == 0 || (parent != TQ_NONE && strcmp(m->nodes[parent].name, "default") == 0);
        if (inside && strcmp(m->nodes[i].name, "default") == 0) {
            add_class(m, i);
        }
    }
    for (uint32_t i = 0; i < m->n_node; i++) {
        find_childclass(m, i);
    }
    return m->draft->problem->status == 0;
}

/* Elements of some sections share one set of defaults: all actuators, all tendons, all equality
 * constraints. */
static bool is_default_of(const tqa_mjcf *m, uint32_t i, const char *child)
{
    static const char *const actuators[] = {
        "general", "motor",    "position", "velocity", "intvelocity", "damper", "cylinder",
        "muscle",  "adhesion", "dcmotor",  "pid",      "orientation", "plugin", "actuator"};
    const tqa_mjcf_node *node = &m->nodes[i];
    const bool in_section = node->parent != TQ_NONE && m->nodes[node->parent].parent == 0;
    const char *section = in_section ? m->nodes[node->parent].name : "";
    if (strcmp(section, "tendon") == 0 || strcmp(section, "equality") == 0) {
        return strcmp(child, section) == 0;
    }
    if (strcmp(section, "actuator") != 0) {
        return strcmp(child, node->name) == 0;
    }
    bool found = false;
    for (size_t k = 0; k < sizeof actuators / sizeof actuators[0]; k++) {
        found = found || strcmp(child, actuators[k]) == 0;
    }
    return found;
}

/* In the <default> of a class: the attribute of its child that is for element i. */
static const char *get_default(const tqa_mjcf *m, uint32_t node, uint32_t element, const char *key)
{
    const char *found = NULL;
    for (uint32_t i = node + 1; node != TQ_NONE && i < m->nodes[node].end; i = m->nodes[i].end) {
        if (is_default_of(m, element, m->nodes[i].name)) {
            const char *value = own(&m->nodes[i], key);
            found = value != NULL ? value : found;
        }
    }
    return found;
}

const char *tqa_mjcf_get(const tqa_mjcf *m, uint32_t i, const char *key)
{
    const tqa_mjcf_node *node = &m->nodes[i];
    const char *value = own(node, key);
    const char *name = own(node, "class");
    if (value != NULL) {
        return value;
    }
    uint32_t c = name != NULL ? find_class(m, name) : node->childclass;
    while (c != TQ_NONE && c != 0 && value == NULL) {
        value = get_default(m, m->classes[c].node, i, key);
        c = m->classes[c].base;
    }
    /* all defaults directly inside <mujoco> are of class "main", by whatever name */
    for (size_t k = 1; k < m->n_class && value == NULL; k++) {
        if (m->nodes[m->classes[k].node].parent == 0) {
            value = get_default(m, m->classes[k].node, i, key);
        }
    }
    return value;
}

bool tqa_mjcf_is(const tqa_mjcf *m, uint32_t i, const char *key, const char *value)
{
    const char *text = tqa_mjcf_get(m, i, key);
    return text != NULL && strcmp(text, value) == 0;
}

static size_t count_words(const char *text)
{
    size_t n = 0;
    bool inside = false;
    for (const char *p = text; *p != '\0'; p++) {
        const bool blank = strchr(" \t\r\n", *p) != NULL;
        n += !blank && !inside;
        inside = !blank;
    }
    return n;
}

size_t tqa_mjcf_numbers(tqa_mjcf *m, uint32_t i, const char *key, size_t least, size_t most,
                        double *ret)
{
    const char *text = tqa_mjcf_get(m, i, key);
    char pointer[TQA_POINTER_TEXT];
    if (text == NULL) {
        return 0;
    }
    size_t n = count_words(text);
    n = n < least ? least : n > most ? most : n; /* the reader refuses it */
    describe(m, i, pointer);
    const tqa_urdf_place place = {.draft = m->draft, .path = pointer, .line = m->nodes[i].line};
    return tqa_urdf_read_numbers(&place, key, text, n, ret) ? n : 0;
}

static bool normalise(double *x, size_t n)
{
    double square = 0.0;
    for (size_t k = 0; k < n; k++) {
        square += x[k] * x[k];
    }
    const double length = sqrt(square);
    for (size_t k = 0; k < n && length > 0.0; k++) {
        x[k] /= length;
    }
    return length > 0.0 && isfinite(length);
}

/* The rotation that takes z to a given direction by the shortest way. */
static void turn_z(const double z[3], double r[9])
{
    double axis[3] = {-z[1], z[0], 0.0};
    const double sine = tq_hypot(z[0], z[1]);
    if (!normalise(axis, 3)) {
        axis[0] = 1.0; /* already there, or opposite: half a turn about x */
    }
    tq_rotation_about(axis, tq_atan2(sine, z[2]), r);
}

static void read_euler(tqa_mjcf *m, const double euler[3], double r[9])
{
    memcpy(r, tq_pose_identity.r, sizeof tq_pose_identity.r);
    for (int k = 0; k < 3; k++) {
        const char c = m->set.eulerseq[k];
        const bool fixed = c >= 'X' && c <= 'Z';
        double axis[3] = {0.0, 0.0, 0.0};
        double turn[9];
        double next[9];
        axis[(fixed ? c - 'X' : c - 'x')] = 1.0;
        tq_rotation_about(axis, euler[k] * m->set.angle, turn);
        tq_mat_product(fixed ? turn : r, fixed ? r : turn, next);
        memcpy(r, next, sizeof next);
    }
}

static bool read_xyaxes(const double a[6], double r[9])
{
    double x[3] = {a[0], a[1], a[2]};
    double y[3] = {a[3], a[4], a[5]};
    bool good = normalise(x, 3);
    const double along = x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
    for (int k = 0; k < 3; k++) {
        y[k] -= along * x[k];
    }
    good = normalise(y, 3) && good;
    const double z[3] = {x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2],
                         x[0] * y[1] - x[1] * y[0]};
    for (int k = 0; k < 3; k++) {
        r[3 * k] = x[k];
        r[3 * k + 1] = y[k];
        r[3 * k + 2] = z[k];
    }
    return good;
}

void tqa_mjcf_pose(tqa_mjcf *m, uint32_t i, tq_pose *ret)
{
    double x[6];
    bool good = true;
    unsigned n_given = 0;
    *ret = tq_pose_identity;
    (void)tqa_mjcf_numbers(m, i, "pos", 3, 3, ret->p);
    if (tqa_mjcf_numbers(m, i, "quat", 4, 4, x) > 0) {
        good = normalise(x, 4);
        tq_rotation_from_quaternion(x, ret->r);
        n_given++;
    }
    if (tqa_mjcf_numbers(m, i, "axisangle", 4, 4, x) > 0) {
        good = normalise(x, 3) && good;
        tq_rotation_about(x, x[3] * m->set.angle, ret->r);
        n_given++;
    }
    if (tqa_mjcf_numbers(m, i, "euler", 3, 3, x) > 0) {
        read_euler(m, x, ret->r);
        n_given++;
    }
    if (tqa_mjcf_numbers(m, i, "xyaxes", 6, 6, x) > 0) {
        good = read_xyaxes(x, ret->r) && good;
        n_given++;
    }
    if (tqa_mjcf_numbers(m, i, "zaxis", 3, 3, x) > 0) {
        good = normalise(x, 3) && good;
        turn_z(x, ret->r);
        n_given++;
    }
    if (!good) {
        tqa_mjcf_fault(m, i, "range", "no direction may be zero", "the rotation is none");
        *ret = tq_pose_identity;
    }
    if (n_given > 1) {
        tqa_mjcf_fault(m, i, "duplicate-field", "keep one of quat, axisangle, euler, xyaxes, zaxis",
                       "the rotation is given %u times", n_given);
    }
}

tq_pose tqa_mjcf_body_pose(tqa_mjcf *m, uint32_t body)
{
    tq_pose pose = tq_pose_identity;
    while (m->nodes[body].owner != TQ_NONE && m->nodes[body].owner != body) {
        tq_pose own;
        tqa_mjcf_pose(m, body, &own);
        own = tq_pose_multiply(&m->nodes[body].at, &own);
        pose = tq_pose_multiply(&own, &pose);
        body = m->nodes[body].owner;
    }
    return pose;
}
