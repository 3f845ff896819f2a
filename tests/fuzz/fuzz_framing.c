/* SPDX-License-Identifier: Apache-2.0 */
/* tests/fuzz/fuzz_framing.c - bytes of a connection: cut anywhere they mean the same, and what is
 * read before a fault, with its end, is a message. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/http/framing.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { END = 64 };

static void require(int truth)
{
    if (!truth) {
        abort();
    }
}

static size_t read_copy(tqd_framing *framing, const uint8_t *data, size_t n, char *copy)
{
    memcpy(copy, data, n);
    return tqd_framing_read(framing, copy, n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tqd_framing whole = {0}, cut = {0}, again = {0};
    char *copy = malloc(size + END);
    if (copy == NULL || size == 0) {
        free(copy);
        return 0;
    }
    const size_t at = data[0] * size / 256;
    (void)read_copy(&cut, data, at, copy);
    (void)read_copy(&cut, data + at, size - at, copy);
    const size_t good = read_copy(&whole, data, size, copy);
    require(good <= size && (whole.fault != NULL || good == size));
    require(whole.fault == cut.fault && whole.n_begun == cut.n_begun);
    require(whole.left == cut.left || whole.fault != NULL);
    if (whole.fault != NULL) {
        const size_t end = tqd_framing_end(&whole, copy + good, END);
        require(tqd_framing_read(&again, copy, good + end) == good + end || again.is_old);
        require(again.n_begun == whole.n_begun);
        require(tqd_framing_read(&whole, copy, good) == 0);
    }
    free(copy);
    return 0;
}
