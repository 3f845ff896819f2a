/* SPDX-License-Identifier: Apache-2.0 */
/* tests/bench/exchange.c - the bare exchange: receives a body, sends so many bytes, reads neither.
 * The peer of bulk bodies. Usage: exchange; prints its port, serves one connection at a time until
 * stdin ends. The target of a request is its answer's length: POST /56000128 HTTP/1.1. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* of 64 KiB to 4 MiB the fastest here: it stays in the second cache */
enum { HEAD_MAX = 4096, PIECE = 256 << 10 };

static char piece[PIECE];

static int send_all(int fd, const char *bytes, size_t n)
{
    while (n > 0) {
        const ssize_t sent = send(fd, bytes, n, MSG_NOSIGNAL);
        if (sent <= 0) {
            return 0;
        }
        bytes += sent;
        n -= (size_t)sent;
    }
    return 1;
}

/* The head of a request, with as much of the body as came with it. 0: the stream has ended. */
static size_t receive_head(int fd, char head[HEAD_MAX + 1], const char **ret_body)
{
    size_t n = 0;
    for (;;) {
        const ssize_t got = recv(fd, head + n, HEAD_MAX - n, 0);
        if (got <= 0) {
            return 0;
        }
        n += (size_t)got;
        head[n] = '\0';
        const char *end = strstr(head, "\r\n\r\n");
        if (end != NULL) {
            *ret_body = end + 4;
            return n;
        }
    }
}

static int serve_one(int fd)
{
    char head[HEAD_MAX + 1];
    const char *body = NULL;
    const size_t n_head = receive_head(fd, head, &body);
    const char *length = n_head > 0 ? strstr(head, "Content-Length: ") : NULL;
    const char *target = n_head > 0 ? strchr(head, '/') : NULL;
    if (target == NULL) {
        return 0;
    }
    size_t left = length != NULL ? strtoul(length + 16, NULL, 10) : 0;
    size_t answer = strtoul(target + 1, NULL, 10);
    left -= n_head - (size_t)(body - head);
    while (left > 0) {
        const ssize_t got = recv(fd, piece, left < PIECE ? left : (size_t)PIECE, 0);
        if (got <= 0) {
            return 0;
        }
        left -= (size_t)got;
    }
    const int n =
        snprintf(head, sizeof head, "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\n", answer);
    if (!send_all(fd, head, (size_t)n)) {
        return 0;
    }
    while (answer > 0) {
        const size_t here = answer < PIECE ? answer : (size_t)PIECE;
        if (!send_all(fd, piece, here)) {
            return 0;
        }
        answer -= here;
    }
    return 1;
}

static void *serve(void *arg)
{
    const int listener = *(const int *)arg, on = 1;
    for (;;) {
        const int fd = accept(listener, NULL, NULL);
        if (fd >= 0) {
            setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
            while (serve_one(fd)) {
            }
            close(fd);
        }
    }
    return NULL;
}

int main(void)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof address;
    pthread_t thread;
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) != 0 ||
        listen(fd, 16) != 0 || getsockname(fd, (struct sockaddr *)&address, &n) != 0 ||
        pthread_create(&thread, NULL, serve, &fd) != 0) {
        perror("exchange");
        return 2;
    }
    printf("%u\n", ntohs(address.sin_port));
    fflush(stdout);
    while (getchar() != EOF) {
    }
    return 0;
}
