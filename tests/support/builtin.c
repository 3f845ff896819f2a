/* SPDX-License-Identifier: Apache-2.0 */
/* tests/support/builtin.c - a built-in robot, parsed. */
#include "tests/support/builtin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

tqa_robot *tqt_builtin(const char *name)
{
    static tqa_problem problem;
    for (size_t i = 0; i < tqa_builtin_count(); i++) {
        if (strcmp(tqa_builtin_name(i), name) == 0) {
            size_t n = 0;
            tqa_media media = TQA_MEDIA_NONE;
            const char *bytes = tqa_builtin_bytes(i, &n, &media);
            tqa_robot *robot = tqa_robot_parse(media, bytes, n, &problem);
            if (robot != NULL) {
                return robot;
            }
            fprintf(stderr, "%s: %s: %s: %s\n", name, problem.slug, problem.detail,
                    problem.faults[0].pointer);
            abort();
        }
    }
    fprintf(stderr, "no built-in robot %s\n", name);
    abort();
}
