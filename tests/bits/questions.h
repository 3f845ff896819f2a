/* SPDX-License-Identifier: Apache-2.0 */
/* tests/bits/questions.h - questions to every operation, by number. */
#ifndef TQT_QUESTIONS_H
#define TQT_QUESTIONS_H

#include <stddef.h>

#include "api/robots/parsed.h"
#include "tests/support/host.h"
#include "tests/support/random.h"

enum { QUESTION_MAX = 1 << 16 };

typedef struct question {
    const char *operation;
    const tqa_robot *robot; /* NULL: an operation without one */
    size_t n;
    char body[QUESTION_MAX];
} question;

/* Appends to the body. Numbers are multiples of 2^-20: few digits. */
void put(question *to, const char *format, ...) __attribute__((format(printf, 2, 3)));
void put_number(question *to, tqt_random *r, double lower, double upper);
void put_numbers(question *to, tqt_random *r, size_t n, double lower, double upper);
/* "name":[n numbers up to `size`] */
void put_named(question *to, tqt_random *r, const char *name, size_t n, double size);

/* All built-in robots, then random trees; made at the first call. */
size_t robot_count(void);
const tqa_robot *robot_of(size_t k);
const tqa_robot *robot_named(const char *name); /* a built-in; NULL: none */

/* Question i. Of 2,000 in a row, each operation has its share, costly ones a small one. */
void ask_question(size_t i, question *ret);

/* Recordings that the questions name. */
void add_recordings(tqt_host *host);

#endif
