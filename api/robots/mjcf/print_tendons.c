/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/mjcf/print_tendons.c - tendons of an exported MJCF, and the sites and geoms that their
 * paths go through and around. */
#include <math.h>
#include <stdio.h>

#include "api/robots/mjcf/mjcf.h"
#include "api/robots/mjcf/print.h"
#include "api/robots/xml_print.h"

/* ' site="tendon_point3"': no two points have the same, whatever the names of tendons. `what`:
 * "point", or "side" of a solid. */
static void put_name(tqa_json_text *text, const char *key, const tqa_robot *robot, uint32_t t,
                     const char *what, uint32_t k)
{
    char name[2 * TQA_NAME_MAX];
    (void)snprintf(name, sizeof name, "%s_%s%u", robot->tendon_names[t], what, k + 1);
    tqa_xml_put_string(text, key, name);
}

static void indent(tqa_json_text *text, uint32_t depth, const char *element)
{
    for (uint32_t c = 0; c < depth; c++) {
        tqa_json_text_raw(text, "  ");
    }
    tqa_json_text_raw(text, element);
}

/* A geom without mass that touches nothing. Tendons do not see the ends of a cylinder. */
static void put_solid(tqa_json_text *text, const tq_tendon_point *solid)
{
    const double *axis = solid->axis;
    const bool sphere = axis[0] == 0.0 && axis[1] == 0.0 && axis[2] == 0.0;
    tqa_xml_put_string(text, "type", sphere ? "sphere" : "cylinder");
    tqa_xml_put_numbers(text, "size", (const double[2]){solid->radius, solid->radius},
                        sphere ? 1 : 2);
    if (!sphere) {
        tqa_xml_put_numbers(text, "zaxis", axis, 3);
    }
    tqa_json_text_raw(text, " mass=\"0\" contype=\"0\" conaffinity=\"0\"");
}

void tqa_mjcf_put_sites(tqa_json_text *text, const tqa_robot *robot, uint32_t link, uint32_t depth)
{
    const tq_model *model = robot->model;
    for (uint32_t t = 0; t < model->n_tendon; t++) {
        const tq_tendon *tendon = &model->tendons[t];
        for (uint32_t k = 0; k < tendon->n_point; k++) {
            const tq_tendon_point *point = &model->points[tendon->first_point + k];
            if (point->link == link) {
                const bool solid = point->radius > 0.0;
                indent(text, depth, solid ? "<geom" : "<site");
                put_name(text, "name", robot, t, "point", k);
                tqa_xml_put_numbers(text, "pos", point->at, 3);
                if (solid) {
                    put_solid(text, point);
                }
                tqa_json_text_raw(text, "/>\n");
            }
            if (point->has_side && point->side_link == link) {
                indent(text, depth, "<site");
                put_name(text, "name", robot, t, "side", k);
                tqa_xml_put_numbers(text, "pos", point->side, 3);
                tqa_json_text_raw(text, "/>\n");
            }
        }
    }
}

static void put_sum(tqa_json_text *text, const tqa_robot *robot, uint32_t t)
{
    const tq_tendon *tendon = &robot->model->tendons[t];
    for (uint32_t k = 0; k < tendon->n_share; k++) {
        const tq_tendon_share *share = &robot->model->shares[tendon->first + k];
        tqa_json_text_raw(text, "      <joint");
        tqa_xml_put_string(text, "joint", robot->joint_names[share->joint]);
        tqa_xml_put_number(text, "coef", share->coefficient);
        tqa_json_text_raw(text, "/>\n");
    }
}

static void put_stop(tqa_json_text *text, const tqa_robot *robot, uint32_t t, uint32_t k)
{
    const tq_tendon *tendon = &robot->model->tendons[t];
    const tq_tendon_point *point = &robot->model->points[tendon->first_point + k];
    const char *element = point->radius > 0.0 ? "geom" : "site";
    tqa_json_text_raw(text, "      <");
    tqa_json_text_raw(text, element);
    put_name(text, element, robot, t, "point", k);
    if (point->has_side) {
        put_name(text, "sidesite", robot, t, "side", k);
    }
    tqa_json_text_raw(text, "/>\n");
}

/* Point by point. Where the weight of what follows is another, and behind an end, a pulley: it has
 * the weight, and the path begins anew behind it. Points without a neighbour are left out. */
static void put_path(tqa_json_text *text, const tqa_robot *robot, uint32_t t)
{
    const tq_tendon *tendon = &robot->model->tendons[t];
    const tq_tendon_point *points = robot->model->points + tendon->first_point;
    double weight = 1.0;
    bool any = false;
    for (uint32_t k = 0; k + 1 < tendon->n_point; k++) {
        const double own = points[k].weight;
        const bool begins = k == 0 || points[k - 1].weight == 0.0;
        if (own == 0.0) {
            continue;
        }
        if (own != weight || (begins && any)) {
            tqa_json_text_raw(text, "      <pulley");
            tqa_xml_put_number(text, "divisor", 1.0 / own);
            tqa_json_text_raw(text, "/>\n");
        }
        if (begins || own != weight) {
            put_stop(text, robot, t, k);
        }
        put_stop(text, robot, t, k + 1);
        weight = own;
        any = true;
    }
}

/* A length of -1 would be the one where the joints' springs rest. */
void tqa_mjcf_put_tendons(tqa_json_text *text, const tqa_robot *robot)
{
    const tq_model *model = robot->model;
    tqa_json_text_raw(text, model->n_tendon > 0 ? "  <tendon>\n" : "");
    for (uint32_t t = 0; t < model->n_tendon; t++) {
        const tq_tendon *tendon = &model->tendons[t];
        const bool spatial = tendon->n_point > 0;
        double lower = tendon->lower;
        if (lower == -1.0 && tendon->upper == -1.0) {
            lower = nextafter(lower, -2.0);
        }
        tqa_json_text_raw(text, spatial ? "    <spatial" : "    <fixed");
        tqa_xml_put_string(text, "name", robot->tendon_names[t]);
        tqa_xml_put_number(text, "stiffness", tendon->stiffness);
        tqa_xml_put_numbers(text, "springlength", (const double[2]){lower, tendon->upper}, 2);
        tqa_xml_put_number(text, "damping", tendon->friction.viscous);
        tqa_xml_put_number(text, "frictionloss", tendon->friction.coulomb);
        tqa_json_text_raw(text, ">\n");
        (spatial ? put_path : put_sum)(text, robot, t);
        tqa_json_text_raw(text, spatial ? "    </spatial>\n" : "    </fixed>\n");
    }
    tqa_json_text_raw(text, model->n_tendon > 0 ? "  </tendon>\n" : "");
}
