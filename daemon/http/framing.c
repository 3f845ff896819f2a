/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/http/framing.c - one state a place in the grammar; a reader of bytes for each. */
#include "daemon/http/framing.h"

#include <string.h>
#include <strings.h>

#include "daemon/http/characters.h"

typedef enum state {
    START, /* of a request: empty lines are passed over */
    START_LF,
    METHOD,
    TARGET_FIRST,
    TARGET,
    VERSION,
    VERSION_LF,
    LINE, /* first byte of a header line */
    NAME,
    VALUE,
    VALUE_LF,
    HEAD_LF,
    BODY,
    SIZE, /* of a chunk */
    EXTENSION,
    SIZE_LF,
    CHUNK,
    CHUNK_CR,
    CHUNK_LF,
    TRAILER, /* first byte of a trailer line */
    TRAILER_NAME,
    TRAILER_VALUE,
    TRAILER_LF,
    END_LF,
} state;

enum { SIZE_DIGITS_MAX = 15, END_MAX = 48 /* bytes of the longest rest_of */ };

/* What a byte leads to: the next state, or a fault. */
static state fail(tqd_framing *f, const char *fault)
{
    f->fault = fault;
    return (state)f->state;
}

static state feed_line(tqd_framing *f, char c, state next, const char *fault)
{
    return c == '\n' ? next : fail(f, fault);
}

static const char cr_alone[] = "a CR without LF behind it";
static const char lf_alone[] = "a line of the header ends by LF without CR";
static const char control[] = "the header has a control character";
_Static_assert(TQD_HEAD_MAX == 5120 && TQD_HEAD_PART == 64, "as the text below says");
static const char too_large[] =
    "request line and headers take more than 5120 bytes, where each line and each argument of the "
    "target counts 64 more";

static state begin_request(tqd_framing *f, char c)
{
    f->is_old = f->chunked = f->has_size = false;
    f->length = f->left = 0;
    f->n_name = f->n_digit = 0;
    f->head = 0;
    f->n_begun++;
    return tqd_is_token_char(c) ? METHOD : fail(f, "a request begins with its method");
}

static state feed_version(tqd_framing *f, char c)
{
    if (c == '\r') {
        /* an unknown version is the library's to refuse */
        f->is_old = f->n_name == 8 && memcmp(f->name, "HTTP/1.0", 8) == 0;
        f->n_name = 0;
        return VERSION_LF;
    }
    if (c == '\n' || c == ' ' || c == '\t' || tqd_is_control(c) || f->n_name == 8) {
        return fail(f, c == '\n' ? lf_alone : "the request line is not method, target, version");
    }
    f->name[f->n_name++] = c;
    return VERSION;
}

static state feed_target(tqd_framing *f, char c, state next)
{
    if (c == '\n' || c == '\r') {
        return fail(f, c == '\n' ? lf_alone : "the request line has no version");
    }
    return tqd_is_control(c) || c == '\t' ? fail(f, control) : next;
}

static state feed_name(tqd_framing *f, char c, state own, state value)
{
    if (c == ':') {
        return value;
    }
    if (!tqd_is_token_char(c)) {
        return fail(f, c == ' ' || c == '\t' ? "a header name has a space behind it"
                                             : "a header name has a character that is not allowed "
                                               "in one, or no colon");
    }
    if (f->n_name < sizeof f->name) {
        f->name[f->n_name++] = c;
    }
    return own;
}

static state begin_line(tqd_framing *f, char c, state name, state value, state end)
{
    f->n_name = 0;
    switch (c) {
    case '\r':
        return end;
    case ':':
        return fail(f, "a header has no name");
    case ' ':
    case '\t':
        return fail(f, "a header line continues the one before");
    case '\n':
        return fail(f, lf_alone);
    default:
        return feed_name(f, c, name, value);
    }
}

static bool is_named(const tqd_framing *f, const char *name)
{
    return f->n_name == strlen(name) && strncasecmp(f->name, name, f->n_name) == 0;
}

static bool is_for_framing(const tqd_framing *f)
{
    return is_named(f, "content-length") || is_named(f, "transfer-encoding");
}

/* Only digits count: whatever else is there, tqd_gate refuses, and the connection ends. */
static void take_value(tqd_framing *f, char c)
{
    const bool is_digit = c >= '0' && c <= '9';
    if (is_named(f, "transfer-encoding")) {
        f->chunked |= c != ' ' && c != '\t' && c != '\r';
    } else if (is_digit && f->length < UINT64_MAX / 16) {
        f->length = f->length * 10 + (uint64_t)(c - '0');
    }
}

static state feed_value(tqd_framing *f, char c, state own, state next)
{
    if (c == '\r') {
        return next;
    }
    if (c == '\n') {
        return fail(f, lf_alone);
    }
    return tqd_is_control(c) ? fail(f, control) : own;
}

static state end_head(tqd_framing *f, char c)
{
    if (c != '\n') {
        return fail(f, cr_alone);
    }
    if (f->chunked) {
        return f->is_old ? fail(f, "Transfer-Encoding is not of HTTP/1.0") : SIZE;
    }
    f->left = f->length;
    return f->left > 0 ? BODY : START;
}

static state feed_size(tqd_framing *f, char c)
{
    const int digit = tqd_hex_digit(c);
    if (digit >= 0 && f->n_digit < SIZE_DIGITS_MAX) {
        f->left = f->left * 16 + (uint64_t)digit;
        f->n_digit++;
        return SIZE;
    }
    if (f->n_digit > 0 && c == '\r') {
        return SIZE_LF;
    }
    return f->n_digit > 0 && c == ';' ? EXTENSION
                                      : fail(f, "a chunk's size is hexadecimal digits and CRLF");
}

static state feed_size_line(tqd_framing *f, char c)
{
    if (c != '\n') {
        return fail(f, cr_alone);
    }
    f->n_digit = 0;
    return f->left > 0 ? CHUNK : TRAILER;
}

static state feed(tqd_framing *f, char c)
{
    switch ((state)f->state) {
    case START:
        return c == '\r' ? START_LF : begin_request(f, c);
    case START_LF:
        f->n_begun += c != '\n';
        return feed_line(f, c, START, cr_alone);
    case METHOD:
        return c == ' '               ? TARGET_FIRST
               : tqd_is_token_char(c) ? METHOD
                                      : fail(f, "the method is not followed by one space");
    case TARGET_FIRST:
        return c == ' ' ? fail(f, "the method is not followed by one space")
                        : feed_target(f, c, TARGET);
    case TARGET:
        return c == ' ' ? VERSION : feed_target(f, c, TARGET);
    case VERSION:
        return feed_version(f, c);
    case VERSION_LF:
    case VALUE_LF:
        return feed_line(f, c, LINE, cr_alone);
    case LINE:
        return begin_line(f, c, NAME, VALUE, HEAD_LF);
    case NAME:
        return feed_name(f, c, NAME, VALUE);
    case VALUE:
        if (f->has_size) {
            take_value(f, c);
        }
        return feed_value(f, c, VALUE, VALUE_LF);
    case HEAD_LF:
        return end_head(f, c);
    case SIZE:
        return feed_size(f, c);
    case EXTENSION:
        return feed_value(f, c, EXTENSION, SIZE_LF);
    case SIZE_LF:
        return feed_size_line(f, c);
    case CHUNK_CR:
        return c == '\r' ? CHUNK_LF : fail(f, "a chunk is longer than its size");
    case CHUNK_LF:
        return feed_line(f, c, SIZE, cr_alone);
    case TRAILER:
        return begin_line(f, c, TRAILER_NAME, TRAILER_VALUE, END_LF);
    case TRAILER_NAME:
        return feed_name(f, c, TRAILER_NAME, TRAILER_VALUE);
    case TRAILER_VALUE:
        return feed_value(f, c, TRAILER_VALUE, TRAILER_LF);
    case TRAILER_LF:
        return feed_line(f, c, TRAILER, cr_alone);
    case END_LF:
        return feed_line(f, c, START, cr_alone);
    case BODY:
    case CHUNK:
        break;
    }
    return (state)f->state;
}

/* Bytes that need no look: of bodies and chunks, and words of a target or value that have no
 * control character. */
static size_t pass(tqd_framing *f, const char *bytes, size_t n)
{
    if (f->state == BODY || f->state == CHUNK) {
        const size_t passed = f->left < n ? (size_t)f->left : n;
        f->left -= passed;
        if (f->left == 0) {
            f->state = f->state == BODY ? START : CHUNK_CR;
        }
        return passed;
    }
    size_t passed = 0;
    if (f->state == VALUE && !f->has_size) {
        while (n - passed >= sizeof(uint64_t) && !tqd_word_has_control(bytes + passed)) {
            passed += sizeof(uint64_t);
        }
    }
    return passed;
}

/* "34 \r" becomes " 34\r", where all of the value is here. */
static void move_spaces(char *value, size_t n)
{
    size_t end = n;
    while (end > 0 && (value[end - 1] == ' ' || value[end - 1] == '\t')) {
        end--;
    }
    memmove(value + (n - end), value, end);
    memset(value, ' ', n - end);
}

/* Where lines and values begin within the bytes that are read; SIZE_MAX: in an earlier call. */
typedef struct places {
    size_t line, size, value;
} places;

/* A line that is not right, and of which no parser has read a part, can be left out as a whole. */
static size_t unread_line(tqd_framing *f, const places *at, size_t i)
{
    const bool in_size = f->state == SIZE || f->state == EXTENSION || f->state == SIZE_LF;
    const bool in_header = f->state == NAME || f->state == VALUE || f->state == VALUE_LF;
    if (in_size && at->size <= i) {
        f->state = SIZE;
        f->n_digit = 0;
        return at->size;
    }
    if (in_header && at->line <= i) {
        f->state = LINE;
        return at->line;
    }
    return i;
}

static void note(tqd_framing *f, unsigned char before, char *bytes, size_t i, places *at)
{
    if (before == f->state) {
        return;
    }
    if (f->state == LINE) {
        at->line = i + 1;
    } else if (f->state == SIZE) {
        at->size = i + 1;
    } else if (f->state == VALUE) {
        f->has_size = is_for_framing(f);
        at->value = i + 1;
    } else if (f->state == VALUE_LF && f->has_size && at->value <= i) {
        move_spaces(bytes + at->value, i - at->value);
    }
}

static bool is_head(unsigned char at)
{
    return (at >= METHOD && at <= HEAD_LF) || at >= TRAILER;
}

/* `n` bytes of a head, the last one c, that were read in the state `before`. A head that has ended
 * is not refused: what follows would be another message. */
static void charge(tqd_framing *f, unsigned char before, char c, size_t n)
{
    const bool is_argument = before == TARGET && (c == '?' || c == '&');
    const bool is_line = before != f->state && (f->state == LINE || f->state == TRAILER);
    f->head += (uint32_t)n + (is_argument || is_line ? TQD_HEAD_PART : 0);
    if (f->head > TQD_HEAD_MAX && f->fault == NULL && is_head(f->state)) {
        f->is_too_large = true;
        f->fault = too_large;
    }
}

/* Of a head that is too large, i bytes of which were read, the state the same since `same`: room
 * for its end. */
static size_t shorten(const tqd_framing *f, size_t same, size_t i)
{
    const bool can = f->state == TARGET || f->state == NAME || f->state == VALUE;
    return !can || i < same ? i : i - same > END_MAX ? i - END_MAX : same;
}

size_t tqd_framing_read(tqd_framing *framing, char *bytes, size_t n)
{
    size_t i = 0, same = 0;
    places at = {SIZE_MAX, SIZE_MAX, SIZE_MAX};
    at.line = framing->state == LINE ? 0 : SIZE_MAX;
    at.size = framing->state == SIZE && framing->n_digit == 0 ? 0 : SIZE_MAX;
    while (framing->fault == NULL) {
        const size_t passed = pass(framing, bytes + i, n - i);
        i += passed;
        const unsigned char before = framing->state;
        if (i == n) {
            if (is_head(before) && passed > 0) {
                charge(framing, before, ' ', passed);
            }
            break;
        }
        framing->state = (unsigned char)feed(framing, bytes[i]);
        note(framing, before, bytes, i, &at);
        if (framing->fault == NULL && is_head(before)) {
            charge(framing, before, bytes[i], passed + 1);
        }
        i += framing->fault == NULL || framing->is_too_large;
        same = before != framing->state ? i : same;
    }
    if (framing->fault == NULL) {
        return n;
    }
    return unread_line(framing, &at, framing->is_too_large ? shorten(framing, same, i) : i);
}

/* The rest of a message by the place where it was left. Host: libmicrohttpd refuses a request
 * without one by itself. */
static const char *rest_of(const tqd_framing *f)
{
#define HEAD_END "Host: -\r\n\r\n"
    switch ((state)f->state) {
    case START:
        return "GET / HTTP/1.1\r\n" HEAD_END;
    case START_LF:
        return "\nGET / HTTP/1.1\r\n" HEAD_END;
    case METHOD:
        return " / HTTP/1.1\r\n" HEAD_END;
    case TARGET_FIRST:
        return "/ HTTP/1.1\r\n" HEAD_END;
    case TARGET:
        return " HTTP/1.1\r\n" HEAD_END;
    case VERSION:
        return &"HTTP/1.1\r\n" HEAD_END[f->n_name];
    case VERSION_LF:
    case VALUE_LF:
        return "\n" HEAD_END;
    case LINE:
        return HEAD_END;
    case NAME:
        return "-:\r\n" HEAD_END; /* by another name */
    case VALUE:
        return "\r\n" HEAD_END;
    case SIZE:
        return f->n_digit == 0 ? "0\r\n\r\n" : "";
    case CHUNK_CR:
        return "\r\n0\r\n\r\n";
    case CHUNK_LF:
        return "\n0\r\n\r\n";
    case TRAILER:
        return "\r\n";
    case TRAILER_NAME:
        return ":\r\n\r\n";
    case TRAILER_VALUE:
        return "\r\n\r\n";
    case TRAILER_LF:
        return "\n\r\n";
    case HEAD_LF:
    case END_LF:
        return "\n";
    case EXTENSION:
    case SIZE_LF:
    case BODY:
    case CHUNK:
        break;
    }
    return "";
#undef HEAD_END
}

size_t tqd_framing_end(const tqd_framing *framing, char *ret, size_t room)
{
    const char *rest = rest_of(framing);
    const size_t n = strlen(rest);
    if (n > room) {
        return 0;
    }
    memcpy(ret, rest, n);
    return n;
}
