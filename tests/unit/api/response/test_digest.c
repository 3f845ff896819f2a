/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/response/test_digest.c - the request's digest equals the output of xxhsum -H2. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "api/response/digest.h"

enum { BYTES = 5000 };

/* output of xxhsum 0.8.1 -H2 for the first n bytes i -> (i * 7 + 3) mod 251; the lengths are on
 * both sides of each change of the algorithm */
static const struct {
    size_t n;
    const char *text;
} cases[] = {
    {0, "99aa06d3014798d86001c324468d497f"},    {1, "22bbb76b211a39ba13e608bc156defed"},
    {16, "ce0b9647ab24f88460d75c5e47d40a24"},   {17, "bfd327edcc2fbd12eeed7654312a26d7"},
    {128, "a04233e3c9599748ef7e4d57ed67de26"},  {129, "6e83694c09641bb7a28da26446fd5ab0"},
    {240, "9a8457fec9cfea5e2288b3c22f48dea4"},  {241, "07870750a974395682b1de299f6e411e"},
    {449, "e6df430419bff21863ae8c9983a7027c"},  {1024, "f96a1bbdb2fef572f75e768c7cdd54b2"},
    {1025, "2b5651dd466531ba667a5eabe344e5df"}, {5000, "2cd84822f38d18458e5898f51713d386"},
};

static void fill(char *bytes)
{
    for (size_t i = 0; i < BYTES; i++) {
        bytes[i] = (char)((i * 7 + 3) % 251);
    }
}

Test(digest, is_what_xxhsum_prints_however_it_is_cut)
{
    static const size_t cuts[] = {1, 7, 64, 449, BYTES};
    static char bytes[BYTES];
    fill(bytes);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (size_t c = 0; c < sizeof cuts / sizeof cuts[0]; c++) {
            static tqa_digest digest;
            char text[TQA_REQUEST_DIGEST_TEXT];
            tqa_digest_init(&digest);
            for (size_t at = 0; at < cases[i].n; at += cuts[c]) {
                const size_t left = cases[i].n - at;
                tqa_digest_feed(&digest, bytes + at, left < cuts[c] ? left : cuts[c]);
            }
            tqa_digest_text(&digest, text);
            cr_assert(eq(str, text, (char *)cases[i].text), "%zu bytes cut at %zu", cases[i].n,
                      cuts[c]);
            tqa_digest_init(&digest);
            tqa_digest_whole(&digest, bytes, cases[i].n);
            tqa_digest_text(&digest, text);
            cr_assert(eq(str, text, (char *)cases[i].text), "%zu bytes at once", cases[i].n);
        }
    }
}

Test(digest, distinguishes_bytes)
{
    static char bytes[BYTES];
    fill(bytes);
    static tqa_digest digest;
    char one[TQA_REQUEST_DIGEST_TEXT], other[TQA_REQUEST_DIGEST_TEXT];
    tqa_digest_init(&digest);
    tqa_digest_feed(&digest, bytes, BYTES);
    tqa_digest_text(&digest, one);
    bytes[BYTES / 2] ^= 1;
    tqa_digest_init(&digest);
    tqa_digest_feed(&digest, bytes, BYTES);
    tqa_digest_text(&digest, other);
    cr_assert(ne(str, one, other));
}
