/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/sdf/names.c - names as SDF has them: unique among links and joints, without "::". */
#include "api/robots/sdf/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/robots/xml_print.h"

/* "world", __x__, and names with "::", the delimiter of scopes (libsdformat) */
static bool is_reserved(const char *name)
{
    const size_t n = strlen(name);
    return strcmp(name, "world") == 0 || strstr(name, "::") != NULL ||
           (n >= 4 && memcmp(name, "__", 2) == 0 && memcmp(name + n - 2, "__", 2) == 0);
}

static bool is_taken(const tqa_sdf_names *names, const char *name)
{
    bool taken = tqa_robot_link(names->robot, name, strlen(name)) != TQ_NONE ||
                 tqa_robot_joint(names->robot, name, strlen(name)) != TQ_NONE;
    for (size_t k = 0; k < names->n_made && !taken; k++) {
        taken = strcmp(names->made + k * TQA_NAME_MAX, name) == 0;
    }
    return taken;
}

void tqa_sdf_names_other(const tqa_sdf_names *names, const char *base, const char *ending,
                         char ret[TQA_NAME_MAX])
{
    char plain[TQA_NAME_MAX];
    const int kept = (int)(sizeof plain - strlen(ending) - 12);
    (void)snprintf(plain, sizeof plain, "%s", base);
    for (char *c = plain; *c != '\0'; c++) {
        *c = *c == ':' ? '_' : *c;
    }
    for (unsigned k = 1; k < 3 * TQ_LINK_MAX; k++) { /* more than there are names */
        char number[12] = "";
        if (k > 1) {
            (void)snprintf(number, sizeof number, "%u", k);
        }
        (void)snprintf(ret, TQA_NAME_MAX, "%.*s%s%s", kept, plain, ending, number);
        if (!is_taken(names, ret)) {
            return;
        }
    }
}

static const char *make(tqa_sdf_names *names, const char *base, const char *ending)
{
    char *ret = names->made + names->n_made * TQA_NAME_MAX;
    tqa_sdf_names_other(names, base, ending, ret);
    names->n_made++;
    return ret;
}

static bool joint_needs_other(const tqa_robot *robot, uint32_t i)
{
    const char *name = robot->joint_names[i];
    return is_reserved(name) || tqa_robot_link(robot, name, strlen(name)) != TQ_NONE;
}

/* Two slides, as the other formats name them, and their links. */
static void name_slides(tqa_sdf_names *names, uint32_t i)
{
    static const char *const endings[2][2] = {{"_x_slide", "_x_link"}, {"_y_slide", "_y_link"}};
    const char *joint = names->robot->joint_names[i];
    for (size_t k = 0; k < 2; k++) {
        char *own = names->made + names->n_made++ * TQA_NAME_MAX;
        (void)snprintf(own, TQA_NAME_MAX, "%s%s", joint, tqa_xml_planar_endings[k]);
        names->n_other += is_reserved(own);
        names->own_slides[2 * (size_t)i + k] = own;
        names->slides[2 * (size_t)i + k] =
            is_reserved(own) ? make(names, joint, endings[k][0]) : own;
        names->slide_links[2 * (size_t)i + k] = make(names, joint, endings[k][1]);
    }
}

/* Memory for as many names as may be made: of slides each has an own, a joint and a link. */
static bool take(tqa_sdf_names *names, size_t n_made)
{
    const tq_model *model = names->robot->model;
    names->links = calloc(model->n_link + 7 * (size_t)model->n_joint + 1, sizeof *names->links);
    names->made = malloc((n_made + 1) * TQA_NAME_MAX);
    if (names->links == NULL || names->made == NULL) {
        tqa_sdf_names_free(names);
        return false;
    }
    names->joints = names->links + model->n_link;
    names->own_slides = names->joints + model->n_joint;
    names->slides = names->own_slides + 2 * (size_t)model->n_joint;
    names->slide_links = names->slides + 2 * (size_t)model->n_joint;
    return true;
}

bool tqa_sdf_names_init(tqa_sdf_names *names, const tqa_robot *robot)
{
    const tq_model *model = robot->model;
    unsigned n_slide = 0;
    *names = (tqa_sdf_names){.robot = robot};
    for (uint32_t l = 0; l < model->n_link; l++) {
        names->n_other += is_reserved(robot->link_names[l]);
    }
    for (uint32_t i = 0; i < model->n_joint; i++) {
        names->n_other += joint_needs_other(robot, i);
        n_slide += model->joints[i].kind == TQ_JOINT_PLANAR ? 2 : 0;
    }
    if (!take(names, names->n_other + 3 * (size_t)n_slide)) {
        return false;
    }
    for (uint32_t l = 0; l < model->n_link; l++) {
        const char *own = robot->link_names[l];
        names->links[l] = is_reserved(own) ? make(names, own, "_link") : own;
    }
    for (uint32_t i = 0; i < model->n_joint; i++) {
        const char *own = robot->joint_names[i];
        names->joints[i] = joint_needs_other(robot, i) ? make(names, own, "_joint") : own;
        if (model->joints[i].kind == TQ_JOINT_PLANAR) {
            name_slides(names, i);
        }
    }
    return true;
}

void tqa_sdf_names_free(tqa_sdf_names *names)
{
    free(names->links);
    free(names->made);
    names->links = NULL;
    names->made = NULL;
}
