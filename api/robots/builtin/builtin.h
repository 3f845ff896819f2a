/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/builtin/builtin.h - the robot files of this folder, as the build embeds them. */
#ifndef TQA_ROBOTS_BUILTIN_BUILTIN_H
#define TQA_ROBOTS_BUILTIN_BUILTIN_H

#include <stddef.h>

#include "api/robots/parsed.h"

typedef struct tqa_builtin {
    const char *name;  /* of the file, without its ending */
    const char *bytes; /* (n), and a NUL */
    size_t n;
    tqa_media media;
} tqa_builtin;

/* By name. Written by embed.sh during the build. */
extern const tqa_builtin tqa_builtin_table[];
extern const size_t tqa_builtin_table_size;

#endif
