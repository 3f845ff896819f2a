/* SPDX-License-Identifier: Apache-2.0 */
/* api/request/request.h - the fields of a computation's request, from events into blocks. */
#ifndef TQA_REQUEST_REQUEST_H
#define TQA_REQUEST_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/codec/events.h"
#include "api/problem.h"
#include "api/request/options.h"
#include "api/request/samples.h"
#include "api/request/value.h"
#include "api/request/wrench.h"
#include "api/robots/parsed.h"

/* Sample arrays by number. */
typedef enum tqa_motion {
    TQA_MOTION_Q,
    TQA_MOTION_QD,
    TQA_MOTION_QDD,
    TQA_MOTION_TAU,
    TQA_MOTION_QD_REF,
    TQA_MOTION_QDD_REF,
    TQA_MOTION_COUNT,
} tqa_motion;

struct tqa_receiver;

/* One field that an operation takes. */
typedef struct tqa_field {
    const char *name;
    const struct tqa_receiver *receiver; /* of its value */
    tqa_motion motion;
} tqa_field;

/* A name of a list, and its bit. */
typedef struct tqa_choice {
    const char *name; /* NULL ends the list */
    uint64_t bit;
} tqa_choice;

/* The fields that an operation takes. */
typedef struct tqa_schema {
    const tqa_field *fields;
    size_t n_field; /* <= 32 */
    /* bit f: field f must come; is an array of motion that is zero when left out; belongs to an
     * answer that can be sent as it is, and is not read */
    uint32_t required, zero, unused;
    const tqa_choice *without;
    const tqa_choice *include;
} tqa_schema;

struct tqa_request;

/* An array of samples that is being received. */
typedef struct tqa_stream {
    tqa_rows *rows; /* NULL: none is */
    tqa_blocks *blocks;
    const char *name;   /* of a member inside a field; NULL: the field itself */
    const char *wanted; /* the expected value, such as "3 numbers" */
} tqa_stream;

/* The reader of one kind of field. Arrays of samples go into blocks as they arrive; all else
 * becomes a value tree, which is read when the field is complete. Each function may be NULL, and is
 * false when it has set the problem. */
typedef struct tqa_receiver {
    bool (*read)(struct tqa_request *request, const tqa_value *value);
    /* A key inside the value has come at byte `at`: when its member is an array of samples, says
     * where they go. */
    bool (*stream)(struct tqa_request *request, uint64_t at, const char *key, size_t n,
                   tqa_stream *ret);
    /* Checks, once the samples are complete, the fields that must agree with them. */
    bool (*arrive)(struct tqa_request *request);
    /* The document is complete. */
    bool (*finish)(struct tqa_request *request);
} tqa_receiver;

/* Arrays of samples: the field's `motion` says which. */
extern const tqa_receiver tqa_motion_receiver;
/* External wrenches: their forces and moments are arrays of samples. */
extern const tqa_receiver tqa_wrench_receiver;
/* The order of rows; terms to leave out; further results; [x, y, z] of gravity. */
extern const tqa_receiver tqa_joints_receiver, tqa_without_receiver, tqa_include_receiver,
    tqa_gravity_receiver;
/* Any value, which is not read. */
extern const tqa_receiver tqa_unused_receiver;
/* The unit of angles. */
extern const tqa_receiver tqa_angles_receiver;
/* Which Coriolis matrix; a point, along which axes; a box of q; a
 * payload. */
extern const tqa_receiver tqa_form_receiver, tqa_frame_receiver, tqa_axes_receiver,
    tqa_box_receiver, tqa_payload_receiver;

/* The arrays that the operation computes from: the columns of a table. */
static inline uint32_t tqa_schema_columns(const tqa_schema *schema)
{
    return schema->required | schema->zero;
}

static inline bool tqa_field_is_motion(const tqa_field *field)
{
    return field->receiver == &tqa_motion_receiver;
}

/* A request on its way in: the receiver of its events, then what the operation computes from. */
typedef struct tqa_request {
    const tqa_schema *schema;
    const tqa_robot *robot;
    tqa_problem *problem; /* the call's */
    tqa_budget *budget;

    /* where the events are */
    bool is_open;           /* the root's bracket came */
    const tqa_field *field; /* whose value is being received, or NULL */
    tqa_stream stream;
    tqa_tree *tree;      /* of all fields that are no arrays of samples; NULL: none came */
    uint32_t seen;       /* bit f: field f came */
    const char *bad_key; /* while it is refused: part of the place */
    size_t n_bad_key;
    bool is_named;     /* the field is an array of motion, and its object of names is open */
    unsigned n_unused; /* brackets open in the value of a field that is not read */
    bool whole; /* while an array is refused as a whole: its element is not part of the place */

    /* what was read */
    size_t n_sample;  /* after tqa_request_finish, like all below */
    bool flat;        /* one sample, written as one flat array */
    bool in_degrees;  /* angles in the arrays of motion that came, and in the answer */
    uint32_t by_name; /* bit m: array m of motion came as an object of joints' names */
    uint32_t assumed; /* bit f: the array of field f was left out: zero */
    tqa_wrenches wrenches;
    double gravity[3];
    bool has_gravity;
    unsigned without;
    uint64_t include; /* bits of api/openapi/generated/terms.h */
    tqa_options options;
    struct tqa_from *from; /* NULL, or where q, qd, qdd come from: in the robot's order; the call's
                              to free, its answer is printed out of it */
    /* with `joints`: row r of an array as the user writes it is row q_map[r] (v_map[r]) of the
     * robot */
    bool reordered;
    uint32_t *q_map, *v_map;
    /* the arrays of motion; last, because tqa_request_init clears what precedes them */
    tqa_rows rows[TQA_MOTION_COUNT];
    tqa_blocks motion[TQA_MOTION_COUNT];
} tqa_request;

/* Bytes of arena that a request takes beside itself, 64-byte aligned. */
size_t tqa_request_arena_size(const tqa_robot *robot);
void tqa_request_init(tqa_request *request, const tqa_schema *schema, const tqa_robot *robot,
                      void *arena, tqa_budget *budget, tqa_problem *problem);
void tqa_request_clear(tqa_request *request);
/* Frees the samples early: the answer may take their memory. */
void tqa_request_drop_samples(tqa_request *request);

/* JSON pointer of the value that is being received; the request as ctx. */
void tqa_request_place(const void *ctx, char pointer[TQA_POINTER_TEXT]);

/* The receiver to give to a decoder, with the request as ctx. A callback that returns false has set
 * the problem. */
extern const tqa_events tqa_request_events;

/* The document is complete: checks for missing fields and for agreement of lengths, reorders rows
 * to the robot's order, pads. False: the problem is set. */
bool tqa_request_finish(tqa_request *request);
/* The part that needs the samples of a log, once they are in `motion`. */
bool tqa_request_arrive(tqa_request *request);

#endif
