/* SPDX-License-Identifier: Apache-2.0 */
/* api/codec/pack/unpack.h - gzip and Zstandard streams, unpacked as they arrive. */
#ifndef TQA_CODEC_PACK_UNPACK_H
#define TQA_CODEC_PACK_UNPACK_H

#include "api/codec/events.h"

typedef enum tqa_pack { TQA_PACK_NONE, TQA_PACK_GZIP, TQA_PACK_ZSTD } tqa_pack;

/* By the first n bytes; four at least are needed. */
tqa_pack tqa_pack_find(const char *bytes, size_t n);

/* Takes the next unpacked bytes; false: stop. */
typedef bool tqa_unpack_sink(void *ctx, const char *bytes, size_t n);

typedef struct tqa_unpack tqa_unpack;

/* About 300 KiB; of Zstandard its window beside, 8 MiB at most. NULL when memory is short. */
tqa_unpack *tqa_unpack_new(tqa_pack pack, tqa_unpack_sink *sink, void *ctx);
void tqa_unpack_free(tqa_unpack *unpack); /* accepts NULL */

/**
 * Unpack the next n bytes; cut anywhere. Streams may follow one another.
 *
 * Returns  TQA_DECODE_OK         so far
 *          TQA_DECODE_MALFORMED  damaged, or bytes after the stream
 *          TQA_DECODE_LIMIT      a window above 8 MiB; more than 64 MiB and 256 times what was fed
 *          TQA_DECODE_REFUSED    by the sink, or (`detail` says so) memory is short
 *          Any but OK is final.
 * Checked  tests/unit/api/codec/pack/test_unpack.c
 */
tqa_decode tqa_unpack_feed(tqa_unpack *unpack, const char *bytes, size_t n);
/* End of input: TQA_DECODE_MALFORMED if a stream is cut short. */
tqa_decode tqa_unpack_finish(tqa_unpack *unpack);
/* Why it stopped; NULL: the sink did. */
const char *tqa_unpack_detail(const tqa_unpack *unpack);

#endif
