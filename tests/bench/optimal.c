/* SPDX-License-Identifier: Apache-2.0 */
/* tests/bench/optimal.c - CPU time of time-optimal trajectories through the door of api: a line of
 * standard input is {"robot": document, "body": request}, a line of output its time. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/support/one_call.h"

enum { ROUNDS = 5 };

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static tqa_robot *parse(const json_t *document)
{
    char *text = json_dumps(document, JSON_COMPACT);
    tqa_problem problem;
    tqa_robot *robot = tqa_robot_parse(TQA_MEDIA_JSON, text, strlen(text), &problem);
    free(text);
    return robot;
}

/* the least of a few calls, request decoded and answer printed in each */
static int measure(const tqa_robot *robot, const char *body)
{
    double best = 1e30;
    double duration = 0.0;
    for (int k = 0; k < ROUNDS; k++) {
        const double begin = cpu_seconds();
        tqt_answer answer = tqt_call(robot, body, strlen(body),
                                     (tqt_call_options){.operation = "trajectory",
                                                        .content = TQA_MEDIA_JSON,
                                                        .accept = TQA_MEDIA_JSON});
        const double took = cpu_seconds() - begin;
        best = took < best ? took : best;
        if (answer.status != 200) {
            (void)fprintf(stderr, "%d %s\n", answer.status, answer.problem.detail);
            return 1;
        }
        json_t *root = json_loads(answer.text, 0, NULL);
        duration = json_number_value(json_object_get(root, "duration_s"));
        json_decref(root);
        tqt_answer_clear(&answer);
    }
    printf("{\"cpu_s\":%.9g,\"duration_s\":%.17g}\n", best, duration);
    return 0;
}

int main(void)
{
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, stdin) > 0) {
        json_t *root = json_loads(line, 0, NULL);
        tqa_robot *robot = parse(json_object_get(root, "robot"));
        char *body = json_dumps(json_object_get(root, "body"), JSON_COMPACT);
        if (robot == NULL || body == NULL || measure(robot, body) != 0) {
            return 1;
        }
        free(body);
        tqa_robot_free(robot);
        json_decref(root);
    }
    free(line);
    return 0;
}
