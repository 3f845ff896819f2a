/* SPDX-License-Identifier: Apache-2.0 */
/* api/tables/front.c - the first bytes of a file choose its decoder; those of a compressed file
 * twice. */
#include "api/tables/front.h"

#include <string.h>

static bool fail(tqa_front *front, const char *detail, const char *hint)
{
    front->detail = detail;
    front->hint = hint;
    return false;
}

/* Takes bytes until the head is full; false: it is not yet. */
static bool collect(tqa_front_head *head, const char **bytes, size_t *n)
{
    const size_t left = TQA_FORM_BYTES - head->n;
    const size_t used = *n < left ? *n : left;
    memcpy(head->bytes + head->n, *bytes, used);
    head->n += used;
    *bytes += used;
    *n -= used;
    return head->n == TQA_FORM_BYTES;
}

/* Opens the sink; false: the head is of no table. */
static bool open_table(tqa_front *front, const tqa_front_head *head)
{
    const tqa_foreign *foreign = NULL;
    const tqa_form form = tqa_form_find(head->bytes, head->n, &foreign);
    if (form == TQA_FORM_GZIP || form == TQA_FORM_ZSTD) {
        return fail(front, "the file is compressed twice", "unpack it once");
    }
    if (form == TQA_FORM_FOREIGN) {
        return fail(front, foreign->detail, foreign->hint);
    }
    front->is_open = true;
    return front->sink->open(front->ctx, form) &&
           front->sink->feed(front->ctx, head->bytes, head->n);
}

/* unpacked bytes of a compressed file */
static bool feed_unpacked(void *ctx, const char *bytes, size_t n)
{
    tqa_front *front = ctx;
    if (!front->is_open &&
        (!collect(&front->inner, &bytes, &n) || !open_table(front, &front->inner))) {
        return front->detail == NULL && !front->is_open;
    }
    return n == 0 || front->sink->feed(front->ctx, bytes, n);
}

/* why the unpacking stopped, unless the sink or the head of what is inside did */
static bool explain(tqa_front *front, tqa_decode status)
{
    if (status != TQA_DECODE_OK && front->detail == NULL &&
        tqa_unpack_detail(front->unpack) != NULL) {
        front->is_short = status == TQA_DECODE_REFUSED;
        front->is_too_large = status == TQA_DECODE_LIMIT;
        front->detail = tqa_unpack_detail(front->unpack);
    }
    return status == TQA_DECODE_OK;
}

static bool feed_known(tqa_front *front, const char *bytes, size_t n)
{
    return n == 0 ||
           (front->unpack != NULL ? explain(front, tqa_unpack_feed(front->unpack, bytes, n))
                                  : front->sink->feed(front->ctx, bytes, n));
}

/* the file's first bytes are there, or all of them */
static bool begin(tqa_front *front)
{
    front->has_begun = true;
    front->pack = tqa_pack_find(front->outer.bytes, front->outer.n);
    if (front->pack == TQA_PACK_NONE) {
        return open_table(front, &front->outer);
    }
    front->unpack = tqa_unpack_new(front->pack, feed_unpacked, front);
    if (front->unpack == NULL) {
        front->is_short = true;
        return fail(front, "memory is short", NULL);
    }
    return feed_known(front, front->outer.bytes, front->outer.n);
}

bool tqa_front_feed(tqa_front *front, const char *bytes, size_t n)
{
    if (!front->has_begun) {
        if (!collect(&front->outer, &bytes, &n)) {
            return true;
        }
        if (!begin(front)) {
            return false;
        }
    }
    return feed_known(front, bytes, n);
}

bool tqa_front_finish(tqa_front *front)
{
    if (!front->has_begun && front->outer.n > 0 && !begin(front)) {
        return false;
    }
    if (front->unpack != NULL && !explain(front, tqa_unpack_finish(front->unpack))) {
        return false;
    }
    if (!front->is_open && front->inner.n > 0) {
        return open_table(front, &front->inner);
    }
    return front->is_open || fail(front, "the file is empty", NULL);
}

void tqa_front_free(tqa_front *front)
{
    tqa_unpack_free(front->unpack);
    front->unpack = NULL;
}
