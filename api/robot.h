/* SPDX-License-Identifier: Apache-2.0 */
/* api/robot.h - parsing and printing of robots; a parsed robot is opaque and immutable. */
#ifndef TQA_ROBOT_H
#define TQA_ROBOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/media.h"
#include "api/problem.h"

enum { TQA_NAME_MAX = 128, TQA_DIGEST_TEXT = 65, TQA_ROBOT_BYTES_MAX = 16 << 20 };

typedef struct tqa_robot tqa_robot;

/* Parses a robot. NULL and a problem when the bytes are no robot: 400 for malformed, 422 for
 * impossible; every fault has its place (line and column for XML, a JSON pointer for documents).
 * Bounded in memory (1 MiB and 64 times the bytes, 1 GiB at most), depth (64) and attributes (64 an
 * element). Bytes may be a zip archive of a description and the files that it names: 16 MiB of
 * descriptions and 256 MiB in all. Never reads anything but the bytes. */
tqa_robot *tqa_robot_parse(tqa_media media, const char *bytes, size_t n, tqa_problem *reterr);
void tqa_robot_free(tqa_robot *robot); /* accepts NULL */

/* Writes into the bytes themselves (malloc'ed; moved and longer afterwards) options of reading, so
 * that the digest and the store include them: key "main" (which file of an archive is the robot) or
 * "base" (fixed, floating or planar: what holds the root of a URDF or SDF). It goes before the
 * comment of an archive, as KEY=VALUE, and after other XML, as <?torqued KEY="VALUE"?>. False:
 * neither of these, a value that cannot be, or a comment without room; nothing has changed. */
bool tqa_robot_annotate(char **bytes, size_t *n, const char *key, const char *value,
                        tqa_problem *reterr);

/* BLAKE2b-256 of the parsed bytes, lower-case hex: TQA_DIGEST_TEXT - 1 characters. */
const char *tqa_robot_digest(const tqa_robot *robot);
/* Format of the parsed bytes: "urdf", "mjcf", "sdf" or "document". */
const char *tqa_robot_source(const tqa_robot *robot);
/* Number of degrees of freedom: length of qd and tau. */
uint32_t tqa_robot_nv(const tqa_robot *robot);

/* The robot document (GET), and the answer to PUT (document plus findings). malloc'ed JSON text;
 * NULL only when memory is short. */
char *tqa_robot_document(const tqa_robot *robot, const char *name, size_t *ret_n);
char *tqa_robot_report(const tqa_robot *robot, const char *name, size_t *ret_n);

/* The robot as URDF, malloc'ed; read again it is the same robot, and prints the same text. Parts
 * without a URDF element are in elements torqued:... NULL with a problem: 406 when URDF has no
 * words for it (spherical joints, names that XML cannot hold). Of drives only rotors and friction
 * are written. */
char *tqa_robot_urdf(const tqa_robot *robot, const char *name, size_t *ret_n, tqa_problem *reterr);

/* The robot as MJCF or SDF, malloc'ed; read again it has the same dynamics (a mimic joint of MJCF
 * is a constraint). A comment at its beginning lists the parts that the format cannot express. NULL
 * with a problem: 406 when the tree itself cannot be expressed (constraints, a body that floats
 * elsewhere than in the world, names). */
char *tqa_robot_mjcf(const tqa_robot *robot, const char *name, size_t *ret_n, tqa_problem *reterr);
char *tqa_robot_sdf(const tqa_robot *robot, const char *name, size_t *ret_n, tqa_problem *reterr);

/* The formats that robots are written in, by the word of ?format=. */
typedef enum tqa_robot_form {
    TQA_FORM_DOCUMENT, /* "document", "json" */
    TQA_FORM_URDF,
    TQA_FORM_MJCF,
    TQA_FORM_SDF,
} tqa_robot_form;
char *tqa_robot_print(const tqa_robot *robot, tqa_robot_form form, const char *name, size_t *ret_n,
                      tqa_problem *reterr);

/* The source of other robots for tqa_robot_patch: get returns NULL with a problem. */
typedef struct tqa_robot_others {
    void *ctx;
    const tqa_robot *(*get)(void *ctx, const char *name, tqa_problem *reterr);
    void (*release)(void *ctx, const tqa_robot *robot);
} tqa_robot_others;

/* The document of another robot: this one after a list of operations (JSON: {"operations": [{"op":
 * "lock", "joints": {"j3": 0.5}}, ...]}; api/robots/surgery). malloc'ed; NULL with a problem. */
char *tqa_robot_patch(const tqa_robot *robot, const char *name, const char *patch, size_t n,
                      const tqa_robot_others *others, size_t *ret_n, tqa_problem *reterr);

/* The built-in robots: n of them, name and bytes by number. */
size_t tqa_builtin_count(void);
const char *tqa_builtin_name(size_t i);
const char *tqa_builtin_bytes(size_t i, size_t *ret_n, tqa_media *ret_media);

#endif
