/* SPDX-License-Identifier: Apache-2.0 */
/* api/recordings/finder.h - columns of one table by their names, for columns.c and layouts.c. */
#ifndef TQA_RECORDINGS_FINDER_H
#define TQA_RECORDINGS_FINDER_H

#include "api/recordings/parts.h"

typedef struct tqa_finder {
    tqa_recording *recording;
    const tqa_recording_request *request;
    tqa_table *table; /* of the quantity searched for */
    const char *source;
    bool of_joints;     /* rows of the floating base are left out */
    double unit;        /* of time, by the layout; 0: as the request says */
    bool unit_is_known; /* and it is unambiguous */
} tqa_finder;

/* All of them: columns in the user's order of joints, as many as ret has room for; false: there are
 * none, and nothing is set in the problem. */

/* The n columns that the request names: a name, a range, numbers, a pattern (selectors.c). False:
 * the problem is set. */
bool tqa_finder_read(const tqa_finder *f, const tqa_value *part, tqa_recording_quantity quantity,
                     size_t n, uint32_t *ret);
/* One column: a name or a number. */
bool tqa_finder_read_one(const tqa_finder *f, const tqa_value *part, uint32_t *ret);
/* The next word of letters from *p on, in lower case; false at the end. */
bool tqa_next_word(const char **p, char out[32]);
/* The column of this name. */
bool tqa_find_exactly(const tqa_finder *f, const char *name, size_t n, uint32_t *ret);
/* name0, name1 ..., name_0 ..., name.0 ..., name[0] ..., in the order of their numbers; by joint
 * where columns of words beside them name the joints (name[0] ... of ROS). Or the one of this name.
 */
bool tqa_find_group(const tqa_finder *f, const char *name, tqa_recording_quantity quantity,
                    size_t n, uint32_t *ret);
/* Columns whose names are `pattern` with a joint's name, or a number, in place of its %. */
bool tqa_find_pattern(const tqa_finder *f, const char *pattern, tqa_recording_quantity quantity,
                      size_t n, uint32_t *ret);
/* The pattern that n columns of this quantity share, by the words in it (position, vel, tau ...).
 * *ret_pattern may be NULL. */
bool tqa_find_by_words(const tqa_finder *f, tqa_recording_quantity quantity, size_t n,
                       uint32_t *ret, char ret_pattern[TQA_TABLE_NAME]);
/* The most columns that share such a pattern, of numbers or of joints' names. */
size_t tqa_count_by_words(const tqa_finder *f, tqa_recording_quantity quantity);
/* A column of times, or two (seconds, nanoseconds): by its name, or as it holds dates; sets the
 * finder's unit. The number of columns, 0 for none. */
size_t tqa_find_clock(tqa_finder *f, uint32_t ret[2]);

/* n consecutive columns from `first` on that are words of the first row: the order of joints in
 * `order` (n, of the user's joints: which of the words). False where the words are others. */
bool tqa_find_joints(const tqa_finder *f, tqa_recording_quantity quantity, const uint32_t *words,
                     size_t n_word, size_t n, uint32_t *order);

/* Row r of the columns searched for: its row in the user's order, and the number of them. */
size_t tqa_finder_row(const tqa_finder *f, tqa_recording_quantity quantity, size_t r);
size_t tqa_finder_width(const tqa_finder *f, tqa_recording_quantity quantity);
/* True if columns of the joints alone may do: pose, twist or force of the base are elsewhere. */
bool tqa_finder_may_be_of_joints(const tqa_finder *f, tqa_recording_quantity quantity);

/* The name of the joint of row r, in the user's order; NULL where a joint has several rows. */
const char *tqa_finder_joint(const tqa_finder *f, tqa_recording_quantity quantity, size_t r);

/* The factor to SI that the column's name ("q1 [deg]") or the row of units below the header states;
 * 0: none. */
double tqa_finder_unit(const tqa_finder *f, tqa_recording_quantity quantity, size_t r,
                       uint32_t column, bool *ret_is_current);

/* A layout that programs are known to write. Names: the likeliest first. */
enum { TQA_LAYOUT_NAMES = 6 };
typedef struct tqa_layout {
    const char *name;
    const char *names[TQA_RECORDING_BASE_POSITION][TQA_LAYOUT_NAMES];
    struct {
        const char *name, *nanoseconds;
        double unit;
    } time[TQA_LAYOUT_NAMES];
    bool tau_is_current;
    bool is_degrees;
} tqa_layout;

extern const tqa_layout tqa_layout_usual; /* the default, where a request names no columns */
/* of this name; NULL: none. The words are those of `preset`. */
extern const char *const tqa_layout_words[];
const tqa_layout *tqa_layout_of(unsigned word);
/* The first layout that has all quantities that are needed; NULL: none. */
const tqa_layout *tqa_layout_find(const tqa_finder *f);
bool tqa_layout_columns(tqa_finder *f, const tqa_layout *layout, tqa_recording_quantity quantity,
                        uint32_t *ret, bool *ret_found);
/* Columns of the floating base by their usual names. */
bool tqa_layout_base(const tqa_finder *f, tqa_recording_quantity quantity, uint32_t *ret);
bool tqa_layout_time(tqa_finder *f, const tqa_layout *layout, uint32_t *ret, bool *ret_found);
/* A line of `ros2 topic echo --csv /joint_states`: no header; seconds, nanoseconds, frame, names of
 * joints, positions, velocities, efforts. */
bool tqa_layout_ros_echo(tqa_finder *f, tqa_recording_quantity quantity, uint32_t *ret,
                         bool *ret_found);

#endif
