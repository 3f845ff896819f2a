/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/robots/parser.c - adapts api's parser of robots to the registry. */
#include "daemon/robots/registry.h"

const tqd_robot_parser tqd_robot_parser_api = {
    .parse = tqa_robot_parse,
    .release = tqa_robot_free,
    .report = tqa_robot_report,
    .print = tqa_robot_print,
    .patch = tqa_robot_patch,
    .builtin_count = tqa_builtin_count,
    .builtin_name = tqa_builtin_name,
    .builtin_bytes = tqa_builtin_bytes,
};
