/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/observe/request_id.c - a ULID from a clock and a SplitMix64 sequence. */
#include "daemon/observe/request_id.h"

#include <stdbool.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

void tqd_id_source_init(tqd_id_source *source)
{
    source->encoded[0] = '\0';
    const bool good =
        getrandom(&source->state, sizeof source->state, GRND_NONBLOCK) == sizeof source->state &&
        getrandom(&source->salt, sizeof source->salt, GRND_NONBLOCK) == sizeof source->salt;
    if (!good) {
        /* getrandom blocks in early boot: the clock is sufficiently unique for an identifier */
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        source->state = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
        source->salt = (uint16_t)now.tv_nsec;
    }
}

/* SplitMix64 (Steele, Lea, Flood 2014): a bijection of a counter, so no value repeats in 2^64 */
static uint64_t next(tqd_id_source *source)
{
    source->state += 0x9e3779b97f4a7c15u;
    uint64_t z = source->state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static const char digit[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

static void encode_time(tqd_id_source *source, uint64_t time)
{
    source->encoded_ms = time;
    for (int i = (int)sizeof source->encoded - 1; i >= 0; i--) {
        source->encoded[i] = digit[time & 31];
        time >>= 5;
    }
}

void tqd_id_make(tqd_id_source *source, int64_t unix_ms, char ret_text[TQD_ID_TEXT])
{
    const uint64_t time = (uint64_t)unix_ms & 0xffffffffffffu;
    uint64_t low = next(source);
    if (time != source->encoded_ms || source->encoded[0] == '\0') {
        encode_time(source, time); /* many ids of one millisecond share these digits */
    }
    memcpy(ret_text, source->encoded, sizeof source->encoded);
    /* 80 bits: 16 of the thread's salt above 64 of the sequence; 60 of them are twelve digits */
    uint64_t high = (uint64_t)source->salt << 4 | low >> 60;
    for (int i = 25; i >= 14; i--) {
        ret_text[i] = digit[low & 31];
        low >>= 5;
    }
    for (int i = 13; i >= 10; i--) {
        ret_text[i] = digit[high & 31];
        high >>= 5;
    }
    ret_text[26] = '\0';
}
