/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/sdf/tree.c - the elements of an SDF file, kept with their attributes and texts. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "api/robots/sdf/parts.h"
#include "api/robots/sdf/sdf.h"
#include "api/robots/xml.h"
#include "core/spatial/rotation.h"

bool tqa_sdf_tree(tqa_sdf *s, const char *bytes, size_t n)
{
    return tqa_xml_tree_read(s->draft, bytes, n, &s->tree);
}

bool tqa_sdf_recognise(const tqa_draft *draft, const char *bytes, size_t n)
{
    return tqa_xml_begins_with(bytes, n, "sdf", NULL, draft->arena);
}

uint32_t tqa_sdf_child(const tqa_sdf *s, uint32_t i, const char *name)
{
    for (uint32_t k = i + 1; k < s->tree.nodes[i].end; k = s->tree.nodes[k].end) {
        if (strcmp(s->tree.nodes[k].name, name) == 0) {
            return k;
        }
    }
    return TQ_NONE;
}

const char *tqa_sdf_attribute(const tqa_sdf *s, uint32_t i, const char *name)
{
    return tqa_xml_tree_attribute(&s->tree, i, name);
}

const char *tqa_sdf_text(const tqa_sdf *s, uint32_t i, const char *child)
{
    const uint32_t k = tqa_sdf_child(s, i, child);
    return k != TQ_NONE ? s->tree.nodes[k].text : NULL;
}

static void describe(const tqa_sdf *s, uint32_t i, char pointer[TQA_POINTER_TEXT])
{
    const char *name = tqa_sdf_attribute(s, i, "name");
    (void)snprintf(pointer, TQA_POINTER_TEXT,
                   name != NULL ? "/sdf//%.30s[@name='%.60s']" : "/sdf//%.30s%.0s",
                   s->tree.nodes[i].name, name != NULL ? name : "");
}

void tqa_sdf_fault(tqa_sdf *s, uint32_t i, const char *slug, const char *hint, const char *format,
                   ...)
{
    char detail[TQA_PROBLEM_TEXT];
    char pointer[TQA_POINTER_TEXT];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(detail, sizeof detail, format, args);
    va_end(args);
    describe(s, i, pointer);
    tqa_draft_fault(s->draft, slug, pointer, hint, "line %lu: %s", s->tree.nodes[i].line, detail);
}

void tqa_sdf_ignore(tqa_sdf *s, uint32_t i, const char *why)
{
    const tqa_xml_node *node = &s->tree.nodes[i];
    tqa_urdf_walk w = {.file = &s->ignored};
    tqa_urdf_ignore(&w, node->line, why, "%.60s/%.60s",
                    node->parent != TQ_NONE ? s->tree.nodes[node->parent].name : "", node->name);
}

void tqa_sdf_numbers(tqa_sdf *s, uint32_t i, size_t n, double *ret)
{
    char pointer[TQA_POINTER_TEXT];
    describe(s, i, pointer);
    const tqa_urdf_place place = {
        .draft = s->draft, .path = pointer, .line = s->tree.nodes[i].line};
    (void)tqa_urdf_read_numbers(&place, s->tree.nodes[i].name, s->tree.nodes[i].text, n, ret);
}

void tqa_sdf_optional(tqa_sdf *s, uint32_t i, const char *child, double *ret)
{
    const uint32_t k = tqa_sdf_child(s, i, child);
    const char *text = k != TQ_NONE ? s->tree.nodes[k].text : "";
    const bool minus = text[0] == '-';
    const char *word = text + (minus || text[0] == '+');
    if (strcmp(word, "inf") == 0 || strcmp(word, "Inf") == 0 || strcmp(word, "infinity") == 0) {
        *ret = minus ? -(double)INFINITY : (double)INFINITY;
    } else if (k != TQ_NONE) {
        tqa_sdf_numbers(s, k, 1, ret);
    }
}

bool tqa_sdf_is_true(const char *text)
{
    return text != NULL && (strcmp(text, "true") == 0 || strcmp(text, "1") == 0);
}

/* x y z and roll pitch yaw, in degrees where it says so, or a quaternion x y z w. */
void tqa_sdf_pose(tqa_sdf *s, uint32_t i, tq_pose *ret)
{
    const uint32_t k = tqa_sdf_child(s, i, "pose");
    double x[7] = {0.0};
    *ret = tq_pose_identity;
    if (k == TQ_NONE || s->tree.nodes[k].text[0] == '\0') {
        return;
    }
    const char *format = tqa_sdf_attribute(s, k, "rotation_format");
    const bool quaternion = format != NULL && strcmp(format, "quat_xyzw") == 0;
    tqa_sdf_numbers(s, k, quaternion ? 7 : 6, x);
    memcpy(ret->p, x, 3 * sizeof *x);
    if (quaternion) {
        const double length = sqrt(x[3] * x[3] + x[4] * x[4] + x[5] * x[5] + x[6] * x[6]);
        const double q[4] = {x[6] / length, x[3] / length, x[4] / length, x[5] / length};
        if (!(length > 0.0)) {
            tqa_sdf_fault(s, k, "range", "write a quaternion of unit length", "no rotation");
            return;
        }
        tq_rotation_from_quaternion(q, ret->r);
        return;
    }
    const bool degrees = tqa_sdf_is_true(tqa_sdf_attribute(s, k, "degrees"));
    for (int e = 3; e < 6 && degrees; e++) {
        x[e] *= M_PI / 180.0;
    }
    if (x[3] != 0.0 || x[4] != 0.0 || x[5] != 0.0) {
        tq_rotation_from_rpy(x + 3, ret->r);
    }
}
