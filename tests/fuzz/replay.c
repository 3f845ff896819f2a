/* SPDX-License-Identifier: Apache-2.0 */
/* tests/fuzz/replay.c - a plain main for a fuzz target: every file of the given folders, cut, bent,
 * and with numbers at the ends of their range. */
#include <ctype.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    INPUT_MAX = 1 << 22,
    CUTS = 16,    /* each input is also tried cut at this many places */
    BENDS = 64,   /* and with this many single bytes changed */
    NUMBERS = 24, /* and so many of its numbers replaced */
    NUMBER_TEXT = 32,
    SECONDS_A_NUMBER = 30, /* a motion from 1e17 rad is refused after 5 s */
    SECONDS_AN_INPUT = 10  /* SIGALRM ends the program, which is a failure */
};

/* Exactly sized copy, so that AddressSanitizer detects the first byte read beyond the end. */
static void try_bytes(const uint8_t *bytes, size_t size)
{
    uint8_t *copy = malloc(size > 0 ? size : 1);
    if (copy == NULL) {
        fprintf(stderr, "no memory for %zu bytes\n", size);
        exit(2);
    }
    memcpy(copy, bytes, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

static bool is_of_number(uint8_t c)
{
    return isdigit(c) || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

/* The text of a number after one of `,: [=(` or a space; *ret_n: its bytes. 0: there is none. */
static size_t find_number(const uint8_t *bytes, size_t size, size_t from, size_t *ret_n)
{
    for (size_t i = from > 0 ? from : 1; i < size; i++) {
        if ((isdigit(bytes[i]) || bytes[i] == '-') && strchr(",:[ =(", bytes[i - 1]) != NULL) {
            size_t end = i;
            while (end < size && is_of_number(bytes[end])) {
                end++;
            }
            *ret_n = end - i;
            return i;
        }
    }
    return 0;
}

/* Ends of the range of doubles where a number was. */
static void try_numbers(const uint8_t *bytes, size_t size)
{
    static const char *const ends[] = {"5e-324", "1.7976931348623157e308", "-1e-310", "0", "1e17"};
    uint8_t *other = malloc(size + NUMBER_TEXT);
    if (other == NULL) {
        exit(2);
    }
    size_t n = 0;
    size_t at = find_number(bytes, size, 0, &n);
    for (size_t i = 0; i < NUMBERS && at > 0; i++) {
        for (size_t k = 0; k < sizeof ends / sizeof ends[0]; k++) {
            const size_t length = strlen(ends[k]);
            memcpy(other, bytes, at);
            memcpy(other + at, ends[k], length);
            memcpy(other + at + length, bytes + at + n, size - at - n);
            alarm(SECONDS_A_NUMBER);
            try_bytes(other, size - n + length);
        }
        at = find_number(bytes, size, at + n + 1, &n);
    }
    free(other);
}

static void try_file(const char *path)
{
    static uint8_t bytes[INPUT_MAX];
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        perror(path);
        exit(2);
    }
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    alarm(SECONDS_AN_INPUT);
    try_bytes(bytes, size);
    for (size_t i = 0; i < CUTS; i++) {
        try_bytes(bytes, size * i / CUTS);
    }
    uint32_t state = 2463534242u; /* xorshift: the same bends in every run */
    for (size_t i = 0; i < BENDS && size > 0; i++) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        uint8_t *at = &bytes[state % size];
        const uint8_t kept = *at;
        *at = (uint8_t)(state >> 24);
        try_bytes(bytes, size);
        *at = kept;
    }
    try_numbers(bytes, size);
    alarm(0);
}

static size_t try_folder(const char *folder)
{
    DIR *dir = opendir(folder);
    if (dir == NULL) {
        return 0;
    }
    size_t n = 0;
    for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        char path[4096];
        struct stat about;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (stat(path, &about) == 0 && S_ISREG(about.st_mode)) {
            /* written before it is tried: the last name is the culprit of a crash */
            fprintf(stderr, "%s\n", path);
            try_file(path);
            n++;
        }
    }
    closedir(dir);
    return n;
}

int main(int argc, char **argv)
{
    size_t n = 0;
    try_bytes((const uint8_t *)"", 0);
    for (int i = 1; i < argc; i++) {
        n += try_folder(argv[i]);
    }
    printf("%zu inputs\n", n);
    return n > 0 ? 0 : 1;
}
