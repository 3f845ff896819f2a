/* SPDX-License-Identifier: Apache-2.0 */
/* tests/bench/yyjson.c - yyjson with a warm pool, as its authors measure it. */
#include "tests/bench/yyjson.h"

#ifdef TQB_HAS_YYJSON
#include <stdlib.h>
#include <string.h>
#include <yyjson.h>

enum { POOL = 1 << 26 };

/* touched once, so that no row pays for its pages */
static yyjson_alc warm_pool(void)
{
    static char *pool;
    if (pool == NULL) {
        pool = malloc(POOL);
        if (pool == NULL) {
            abort();
        }
        memset(pool, 1, POOL);
    }
    yyjson_alc alc;
    yyjson_alc_pool_init(&alc, pool, POOL);
    return alc;
}

/* yyjson takes no const and changes nothing without a flag that says so */
static yyjson_doc *parse(const char *text, size_t n, const yyjson_alc *alc)
{
    union {
        const char *in;
        char *out;
    } borrowed = {.in = text};
    return yyjson_read_opts(borrowed.out, n, YYJSON_READ_NOFLAG, alc, NULL);
}

double tqb_yyjson_sum(const char *text, size_t n)
{
    const yyjson_alc alc = warm_pool();
    yyjson_doc *document = parse(text, n, &alc);
    yyjson_val *root = yyjson_doc_get_root(document);
    yyjson_arr_iter all = yyjson_arr_iter_with(root);
    double sum = 0.0;
    for (yyjson_val *x = yyjson_arr_iter_next(&all); x != NULL; x = yyjson_arr_iter_next(&all)) {
        sum += yyjson_get_num(x);
    }
    return sum;
}

void *tqb_yyjson_document(const char *text, size_t n)
{
    return parse(text, n, NULL);
}

size_t tqb_yyjson_write(void *document)
{
    const yyjson_alc alc = warm_pool();
    size_t n = 0;
    return yyjson_write_opts(document, YYJSON_WRITE_NOFLAG, &alc, &n, NULL) != NULL ? n : 0;
}
#else
double tqb_yyjson_sum(const char *text, size_t n)
{
    (void)text;
    (void)n;
    return 0.0;
}

void *tqb_yyjson_document(const char *text, size_t n)
{
    (void)text;
    (void)n;
    return NULL;
}

size_t tqb_yyjson_write(void *document)
{
    (void)document;
    return 0;
}
#endif
