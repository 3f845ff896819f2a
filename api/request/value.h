/* SPDX-License-Identifier: Apache-2.0 */
/* api/request/value.h - small requests of nested fields: read as a tree, then field
 * by field, each fault with its place. */
#ifndef TQA_REQUEST_VALUE_H
#define TQA_REQUEST_VALUE_H

#include <jansson.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/codec/events.h"
#include "api/host.h"
#include "api/memory/arena.h"
#include "api/problem.h"
#include "api/request/far.h"
#include "api/request/off_constraints.h"
#include "api/robots/parsed.h"
#include "core/base/scratch.h"

enum {
    TQA_REMARKS_MAX = 8,
    TQA_ABSENT_MAX = 64,
    TQA_TREE_BODY_MAX = 32 << 20,   /* bytes of a request */
    TQA_TREE_VALUES_MAX = 1 << 20,  /* numbers, texts, arrays and objects of a request */
    TQA_TREE_ANSWER_MAX = 4 << 20,  /* numbers of an answer */
    TQA_TREE_MEMORY_MAX = 256 << 20 /* bytes of working arrays */
};

/* One word that was read as another, an object that was made for such, or a value that was assumed.
 */
typedef enum tqa_reading_kind {
    TQA_READ_FIELD,
    TQA_READ_NAME,
    TQA_READ_OBJECT,
    TQA_READ_ASSUMED,
} tqa_reading_kind;

typedef struct tqa_reading {
    tqa_reading_kind kind;
    char from[TQA_POINTER_TEXT], to[TQA_POINTER_TEXT]; /* places: as sent, and as it is read */
    const char *name;                                  /* of the field that it is, or is in */
    const char *sent, *read;                           /* words; the latter such as "initial/q" */
    json_t *value; /* of the field, borrowed, NULL inside of an object made for it; of that object,
                      owned */
} tqa_reading;

/* One request: first a receiver of events, then a tree. */
typedef struct tqa_tree {
    const tqa_robot *robot;    /* NULL: none */
    tqa_robot *own_robot;      /* which the operation has made of it; gone with the call */
    const tqa_host *host;      /* while it runs; NULL: none */
    tqa_problem *problem;      /* the call's; status 0: none */
    tqa_arena *arena;          /* of everything the operation needs; gone with the call */
    unsigned form;             /* which of the operation's forms the query names; 0: none */
    struct tqa_writer *answer; /* api/codec/writer.h; the call's */
    /* An answer too long for memory: the part that `run` left out, one piece a call, written while
     * it is read. False: the end. NULL: `run` has written everything. */
    bool (*more)(struct tqa_tree *tree);
    json_t *root;
    tqa_far far[TQA_FAR_MAX]; /* joints whose coordinates are far beyond their limits */
    size_t n_far;
    struct {
        uint32_t joint; /* TQ_NONE: none */
        const char *text;
    } remarks[TQA_REMARKS_MAX]; /* what else is allowed and probably not meant */
    size_t n_remark;
    tqa_off_search off;    /* constraints that samples of q do not satisfy */
    bool is_strict;        /* no other words are read: the answer has no place to say so */
    bool in_degrees;       /* angles of q, qd, qdd and rpy in the request */
    bool in_radians;       /* those of the answer, whatever the request's are */
    bool is_picture;       /* the answer's arrays are drawn over `t` */
    bool is_motion;        /* the answer is sent on: its unit of angles is always stated */
    unsigned assumed;      /* bits TQA_NEED_... (robot_fields.h): left out, and so zero */
    tqa_reading *readings; /* words that were read as ours (wording.h), in the arena */
    size_t n_reading;
    struct {
        const json_t *object;
        const char *key;
    } absent[TQA_ABSENT_MAX]; /* fields that were looked up and not there, the last of them */
    size_t n_absent;
    void *state;            /* what `check` left for `run`, in the arena */
    atomic_bool is_stopped; /* a computation asked whether it is still wanted, and was not */

    /* while the events arrive */
    size_t depth, n_value;
    json_t *open[TQA_EVENT_DEPTH_MAX + 1];
    const char *key[TQA_EVENT_DEPTH_MAX + 1]; /* of maps: the member that is next */
    size_t n_key[TQA_EVENT_DEPTH_MAX + 1];

    /* byte of the body at which each key and each value begins, in the order in which they came */
    uint64_t *offsets; /* first_offsets, or malloc'ed */
    size_t n_offset, n_offset_room;
    bool lacks_offsets; /* memory was short: no more are noted */
    uint64_t first_offsets[32];
} tqa_tree;

/* A tree without a root, and its arena; NULL when memory is short. */
tqa_tree *tqa_tree_new(const tqa_robot *robot, tqa_problem *problem);
void tqa_tree_free(tqa_tree *tree); /* accepts NULL */

/* The receiver to give to a decoder, with the tree as ctx. */
extern const tqa_events tqa_tree_events;

/* JSON pointer of the value that is being received. */
void tqa_tree_place(const void *tree, char pointer[TQA_POINTER_TEXT]);
/* True when what is being received is a member of element *ret_i of an array in the root, or of an
 * object there, which is its own element 0. */
bool tqa_tree_in_element(const tqa_tree *tree, size_t *ret_i);

/* The member whose key comes next is not kept in the tree. */
void tqa_tree_skip_member(tqa_tree *tree);

/* Byte of the body at which the value (or the key) at a pointer begins; UINT64_MAX when there is
 * none or that is not known. */
uint64_t tqa_tree_offset(const tqa_tree *tree, const char *pointer, bool of_key);

/* A value of the tree and its place. */
typedef struct tqa_value {
    tqa_tree *tree;
    json_t *value; /* borrowed; NULL: not there */
    char pointer[TQA_POINTER_TEXT];
} tqa_value;

/* "an object", "a number", "null" ... */
const char *tqa_kind_of(const json_t *value);

tqa_value tqa_value_root(tqa_tree *tree);
/* A member, also where it came in another word (tqa_value_fields has read those). */
tqa_value tqa_value_field(const tqa_value *object, const char *key);
tqa_value tqa_value_item(const tqa_value *array, size_t i);

/* Sets the problem, with this place. Always false. */
bool tqa_value_refuse(const tqa_value *part, const char *slug, const char *hint, const char *format,
                      ...) __attribute__((format(printf, 4, 5)));

/* Each of these is false when it has set the problem. `missing` is the hint for an absent value:
 * text that can be pasted. */
bool tqa_value_need(const tqa_value *part, const char *missing);
/* A field that an object must have, and the hint for adding it. */
typedef struct tqa_needed {
    const char *name, *missing;
} tqa_needed;
/* An object with fields among `known` only (ends with NULL; NULL: any), that has all of `needed`
 * (ends with a NULL name; NULL: none). Every field at fault is named, not the first one alone. */
bool tqa_value_fields(const tqa_value *part, const char *const *known, const tqa_needed *needed);
static inline bool tqa_value_object(const tqa_value *part, const char *const *known)
{
    return tqa_value_fields(part, known, NULL);
}
/* An array of `least` to `most` elements. */
bool tqa_value_array(const tqa_value *part, size_t least, size_t most, size_t *ret_n);
/* The same of names or objects, of which one may come without brackets: tqa_value_item has it. */
bool tqa_value_some(const tqa_value *part, size_t least, size_t most, size_t *ret_n);
/* Such a list of any length; `wanted` is such as "an array of names". */
bool tqa_value_list(const tqa_value *part, const char *wanted, size_t *ret_n);
/* A string; `wanted` is such as "the name of a link". */
bool tqa_value_text(const tqa_value *part, const char *wanted, const char **ret);
bool tqa_value_number(const tqa_value *part, double *ret);
/* A number above 0. */
bool tqa_value_positive(const tqa_value *part, double *ret);
/* A number from `least` to `most`. */
bool tqa_value_within(const tqa_value *part, double least, double most, double *ret);
bool tqa_value_count(const tqa_value *part, size_t least, size_t most, size_t *ret);
bool tqa_value_flag(const tqa_value *part, bool *ret);
bool tqa_value_numbers(const tqa_value *part, size_t n, double *ret);
/* The same; `hint`: for an array of another length. */
bool tqa_value_vector(const tqa_value *part, size_t n, const char *hint, double *ret);
bool tqa_value_matrix(const tqa_value *part, size_t n_row, size_t n_column, double *ret);
/* One of some words (ends with NULL): its number. */
bool tqa_value_choice(const tqa_value *part, const char *const *words, unsigned *ret);
/* Refuses a name that a list has already. Always false. */
bool tqa_value_refuse_twice(const tqa_value *part, const char *name);
/* A list of some words, each at most once: bit k for words[k]. */
bool tqa_value_choices(const tqa_value *part, const char *const *words, unsigned *ret_bits);

/* Memory of the call, zeroed; NULL with the problem set. */
void *tqa_tree_take(tqa_tree *tree, size_t n, size_t each);
/* A scratch of this size out of the call's memory, with a stop as below. */
bool tqa_tree_scratch(tqa_tree *tree, size_t size, tq_scratch *ret);
/* Computations in this scratch stop once the call is cancelled. Any thread. */
void tqa_tree_set_stop(tqa_tree *tree, tq_scratch *scratch);
/* Frees a scratch of tqa_tree_scratch, if it was large. */
void tqa_tree_give_scratch(tqa_tree *tree, tq_scratch *scratch);
/* Whether the call is cancelled: `stop` of core's searches, with the tqa_tree as ctx. */
bool tqa_tree_stop(void *tree);
/* A status of core that is no fault of one field, or that the call was stopped. Always false. */
bool tqa_tree_fail(tqa_tree *tree, const char *pointer, tq_status status, const tq_error *error);

/* Adds one of `warnings` to the answer, of a joint or TQ_NONE; those beyond TQA_REMARKS_MAX are
 * left out. */
void tqa_tree_remark(tqa_tree *tree, uint32_t joint, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ------------------------------------------------------------------------------------------------
 * Fields and names in the words of other tools: read as ours, and said (wording.c)
 */

/* Reads what the object has in other words for fields of `known` (ends with NULL): from now on
 * tqa_value_field finds them under our names. A field of two words, and one that came under its own
 * name, stay unknown. */
void tqa_wording_fields(const tqa_value *object, const char *const *known);
/* A field of the root that streams: at "/word", read as `name`. False: there is no memory. */
bool tqa_wording_stream(tqa_tree *tree, const char *word, size_t n, const char *name);
/* Whether this member of the object was read under another name, which is one of `known`. */
bool tqa_wording_is_read(const tqa_value *object, const char *key, const char *const *known);
/* The value of a field that did not come under its name, if it was read from another; else NULL,
 * and the field is taken to be absent from now on. */
json_t *tqa_wording_missing(const tqa_value *object, const char *key, const char *pointer);
/* A name that is another word for one of `words` (end with NULL): its number. */
bool tqa_wording_choice(const tqa_value *part, const char *const *words, unsigned *ret);

/* What a request leaves out was taken as this. */
void tqa_wording_assume(tqa_tree *tree, const char *pointer, const char *value);

/* A place as it was sent. */
void tqa_wording_place(const tqa_tree *tree, const char *pointer, char ret[TQA_POINTER_TEXT]);
/* Whether there is something for it; writes `read_as` of an answer, whose object is open. */
bool tqa_wording_any(const tqa_tree *tree);
void tqa_wording_put(const tqa_tree *tree, struct tqa_writer *to);
void tqa_wording_free(tqa_tree *tree);

/* What an operation on such a request is made of. */
typedef struct tqa_tree_methods {
    const char *const *fields;  /* of the root; ends with NULL */
    const tqa_needed *needed;   /* of those: must come; NULL: none */
    const char *const *forms;   /* values of ?form=, numbered from 1; NULL: no query */
    const char *const *sources; /* fields that name data to read (log.h); NULL: none */
    bool finds_unnamed; /* joints that q, qd and qdd do not name are unknowns, not assumed zero */
    double (*cost_us)(const tqa_tree *tree);
    /* For an operation that may become a job: refuses a bad request once it is complete, before the
     * 202. NULL: `run` checks the request. False: the problem is set. */
    bool (*check)(tqa_tree *tree);
    /* False: the problem is set. Fills the answer, whose root object is open. */
    bool (*run)(tqa_tree *tree);
} tqa_tree_methods;

#endif
