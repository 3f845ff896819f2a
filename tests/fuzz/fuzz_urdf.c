/* SPDX-License-Identifier: Apache-2.0 */
/* tests/fuzz/fuzz_urdf.c - any bytes as a robot: URDF, or a robot document by the first byte. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "api/robots/parsed.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What prints as a URDF must be accepted, and print the same again. */
static void check_urdf(const tqa_robot *robot)
{
    static tqa_problem problem;
    size_t n = 0;
    size_t n_again = 0;
    char *text = tqa_robot_urdf(robot, "r", &n, &problem);
    if (text == NULL) {
        if (problem.status != 406) {
            abort();
        }
        return;
    }
    tqa_robot *again = tqa_robot_parse(TQA_MEDIA_XML, text, n, &problem);
    char *text_again = again != NULL ? tqa_robot_urdf(again, "r", &n_again, &problem) : NULL;
    if (text_again == NULL || n != n_again || memcmp(text, text_again, n) != 0) {
        abort();
    }
    tqa_robot_free(again);
    free(text_again);
    free(text);
}

/* What is accepted must print as a document that is accepted, and prints the same again. */
static void check_round_trip(const tqa_robot *robot)
{
    static tqa_problem problem;
    size_t n = 0;
    size_t n_again = 0;
    char *text = tqa_robot_document(robot, "r", &n);
    if (text == NULL) {
        abort();
    }
    tqa_robot *again = tqa_robot_parse(TQA_MEDIA_JSON, text, n, &problem);
    if (again == NULL) {
        abort();
    }
    char *report = tqa_robot_report(again, "r", &n_again);
    tqa_robot *third = tqa_robot_parse(TQA_MEDIA_JSON, report, n_again, &problem);
    if (third == NULL || third->model->nv != robot->model->nv ||
        memcmp(third->model->links, again->model->links, again->model->n_link * sizeof(tq_link)) !=
            0) {
        abort();
    }
    check_urdf(robot);
    tqa_robot_free(third);
    tqa_robot_free(again);
    free(report);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static tqa_problem problem;
    static char out[16384];
    tqa_robot *robot = tqa_robot_parse(TQA_MEDIA_NONE, (const char *)data, size, &problem);
    if (robot != NULL) {
        check_round_trip(robot);
        tqa_robot_free(robot);
    } else {
        if (problem.status < 400 || problem.detail[0] == '\0') {
            abort();
        }
        (void)tqa_problem_print(&problem, "fuzz", out, sizeof out);
    }
    return 0;
}
