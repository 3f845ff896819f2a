/* SPDX-License-Identifier: Apache-2.0 */
/* tests/bench/steps.c - one client over a Unix socket that waits for each answer: latencies of a
 * request that is sent again and again over one kept connection.
 * Usage: steps SOCKET PATH BODY N; prints p50, p99 and the largest in us, and requests a second. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { ANSWER_MAX = 1 << 16, WARM = 200 };

static double now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

static void fail(const char *what)
{
    perror(what);
    exit(2);
}

/* sends the request and reads its whole answer, which must be a 200 */
static void ask(int fd, const char *request, size_t n)
{
    static char answer[ANSWER_MAX + 1];
    size_t got = 0, need = SIZE_MAX;
    if (write(fd, request, n) != (ssize_t)n) {
        fail("write");
    }
    while (got < need) {
        const ssize_t part = read(fd, answer + got, ANSWER_MAX - got);
        if (part <= 0) {
            fail("read");
        }
        got += (size_t)part;
        answer[got] = '\0';
        const char *body = strstr(answer, "\r\n\r\n");
        const char *length = strstr(answer, "Content-Length: ");
        if (body != NULL && length != NULL) {
            need = (size_t)(body + 4 - answer) + strtoul(length + 16, NULL, 10);
        }
    }
    if (strncmp(answer, "HTTP/1.1 200", 12) != 0) {
        fprintf(stderr, "%s\n", answer);
        exit(2);
    }
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    static char request[ANSWER_MAX];
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (argc != 5) {
        fprintf(stderr, "usage: steps SOCKET PATH BODY N\n");
        return 2;
    }
    const size_t n = strtoul(argv[4], NULL, 10);
    double *us = calloc(n, sizeof *us);
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    (void)snprintf(address.sun_path, sizeof address.sun_path, "%s", argv[1]);
    if (us == NULL || connect(fd, (struct sockaddr *)&address, sizeof address) != 0) {
        fail("connect");
    }
    const int length = snprintf(request, sizeof request,
                                "POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                                "Content-Length: %zu\r\n\r\n%s",
                                argv[2], strlen(argv[3]), argv[3]);
    for (int k = 0; k < WARM; k++) {
        ask(fd, request, (size_t)length);
    }
    const double begin = now_us();
    for (size_t k = 0; k < n; k++) {
        const double t = now_us();
        ask(fd, request, (size_t)length);
        us[k] = now_us() - t;
    }
    const double rate = (double)n * 1e6 / (now_us() - begin);
    qsort(us, n, sizeof *us, by_size);
    printf("%.2f %.2f %.2f %.0f\n", us[n / 2], us[n * 99 / 100], us[n - 1], rate);
    free(us);
    return close(fd);
}
