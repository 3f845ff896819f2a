/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/daemon/store/test_files.c - files named by their digest: complete or absent, kept
 * while a row refers to them. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/store/files.h"
#include "daemon/store/jobs.h"
#include "daemon/store/sums.h"
#include "tests/support/store.h"
#include "tests/unit/daemon/store/fixture.h"

TestSuite(files, .init = setup, .fini = teardown, .timeout = 100);

/* FIPS 180-2, appendix B.1 */
static char digest_of_abc[] = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

/* an upload that is not closed yet */
static tqd_upload *upload(const char *bytes, size_t n, char digest[TQD_DIGEST_TEXT])
{
    tqd_store_status status;
    uint64_t size = 0;
    tqd_upload *up = tqd_upload_open(store, &status);
    cr_assert(up != NULL);
    for (size_t i = 0; i < n; i += 7777) { /* in pieces of a size that divides no buffer */
        const size_t piece = n - i < 7777 ? n - i : 7777;
        cr_assert(eq(int, (int)tqd_upload_append(up, bytes + i, piece), TQD_STORE_OK));
    }
    cr_assert(eq(int, (int)tqd_upload_finish(up, digest, &size), TQD_STORE_OK));
    cr_assert(eq(u64, size, n));
    return up;
}

static bool is_there(const char *digest)
{
    uint64_t size;
    tqd_file *file = tqd_file_open(store, digest, &size);
    tqd_file_close(file);
    return file != NULL;
}

static uint64_t sweep(void)
{
    uint64_t removed = 0;
    cr_assert(eq(int, (int)tqt_store_sweep(store, &removed), TQD_STORE_OK));
    return removed;
}

/* number of entries in files/tmp */
static int count_partial(void)
{
    char path[128];
    snprintf(path, sizeof path, "%s/files/tmp", folder);
    DIR *dir = opendir(path);
    int n = 0;
    for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        n += entry->d_name[0] != '.';
    }
    closedir(dir);
    return n;
}

Test(files, digest_and_bytes)
{
    char digest[TQD_DIGEST_TEXT];
    tqd_upload *small = upload("abc", 3, digest);
    cr_assert(eq(str, digest, digest_of_abc));
    static char big[1000003];
    for (size_t i = 0; i < sizeof big; i++) {
        big[i] = (char)(i * 31 >> 3);
    }
    tqd_upload *large = upload(big, sizeof big, digest);
    uint64_t size = 0;
    tqd_file *file = tqd_file_open(store, digest, &size);
    cr_assert(eq(u64, size, sizeof big));
    char piece[1000];
    for (uint64_t at = 0; at < sizeof big; at += 99999) {
        const long n = tqd_file_read(file, at, piece, sizeof piece);
        cr_assert(eq(long, n, at + 1000 <= sizeof big ? 1000 : (long)(sizeof big - at)));
        cr_assert(memcmp(piece, big + at, (size_t)n) == 0);
    }
    cr_assert(eq(long, tqd_file_read(file, sizeof big, piece, 1), 0));
    tqd_file_close(file);
    cr_assert(eq(u64, tqd_store_file_bytes(store), 3 + sizeof big));
    tqd_upload_close(small);
    cr_assert(eq(u64, tqd_store_file_bytes(store), sizeof big), "no row refers to it");
    tqd_upload_close(large);
    cr_assert(eq(u64, tqd_store_file_bytes(store), 0));
}

/* one digest verifies a file of one chunk, a checksum each chunk of more: at the edge between them
 * good bytes are read and a changed one is not */
Test(files, sizes_about_a_chunk)
{
    static const size_t sizes[] = {1, TQD_CHUNK - 1, TQD_CHUNK, TQD_CHUNK + 1, 2 * TQD_CHUNK};
    static char bytes[2 * TQD_CHUNK], found[2 * TQD_CHUNK];
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (char)(i * 131 >> 4);
    }
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        char digest[TQD_DIGEST_TEXT], path[192];
        uint64_t size = 0;
        tqd_upload *up = upload(bytes, sizes[k], digest);
        for (unsigned damaged = 0; damaged < 2; damaged++) {
            tqd_file *file = tqd_file_open(store, digest, &size);
            cr_assert(file != NULL);
            cr_assert(eq(u64, size, sizes[k]));
            long got = 0;
            for (size_t at = 0; at < sizes[k] && got >= 0; at += (size_t)got) {
                got = tqd_file_read(file, at, found + at, sizes[k] - at);
                cr_assert(got != 0);
            }
            cr_assert(eq(int, got < 0, damaged == 1), "%zu bytes", sizes[k]);
            cr_assert(damaged == 1 || memcmp(found, bytes, sizes[k]) == 0, "%zu bytes", sizes[k]);
            tqd_file_close(file);
            snprintf(path, sizeof path, "%s/files/%.2s/%s", folder, digest, digest);
            FILE *stored = fopen(path, "r+");
            cr_assert(stored != NULL, "%s", path);
            fseek(stored, -1, SEEK_END);
            fputc(bytes[sizes[k] - 1] ^ 4, stored);
            fclose(stored);
        }
        tqd_upload_close(up);
    }
}

/* A file system without RWF_NOWAIT, such as tmpfs, leaves everything to tqd_file_read. */
static bool reads_cached(const char *path)
{
    char byte;
    const struct iovec part = {.iov_base = &byte, .iov_len = 1};
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t n = preadv2(fd, &part, 1, 0, RWF_NOWAIT);
    close(fd);
    return n == 1;
}

/* Bytes just written are in memory: whole chunks and the last one are read, up to a damaged one. */
Test(files, what_is_in_memory_is_read_by_whole_chunks)
{
    enum { LAST = 1000, SIZE = 3 * TQD_CHUNK + LAST };
    static char bytes[SIZE], found[SIZE + 1];
    for (size_t i = 0; i < SIZE; i++) {
        bytes[i] = (char)(i * 131 >> 4);
    }
    char digest[TQD_DIGEST_TEXT], path[192];
    uint64_t size = 0;
    tqd_upload *up = upload(bytes, SIZE, digest);
    tqd_file *file = tqd_file_open(store, digest, &size);
    snprintf(path, sizeof path, "%s/files/%.2s/%s", folder, digest, digest);
    const size_t all = reads_cached(path) ? SIZE : 0;
    const size_t chunk = all > 0 ? TQD_CHUNK : 0;
    cr_assert(eq(sz, tqd_file_read_cached(file, 0, found, sizeof found), all));
    cr_assert(memcmp(found, bytes, all) == 0);
    cr_assert(eq(sz, tqd_file_read_cached(file, TQD_CHUNK, found, 2 * TQD_CHUNK - 1), chunk));
    cr_assert(memcmp(found, bytes + TQD_CHUNK, chunk) == 0);
    cr_assert(eq(sz, tqd_file_read_cached(file, 3 * TQD_CHUNK, found, LAST), all % TQD_CHUNK));
    cr_assert(memcmp(found, bytes + 3 * TQD_CHUNK, all % TQD_CHUNK) == 0);
    cr_assert(eq(sz, tqd_file_read_cached(file, 3 * TQD_CHUNK, found, LAST - 1), 0));
    cr_assert(eq(sz, tqd_file_read_cached(file, 1, found, SIZE), 0), "no whole chunk");
    cr_assert(eq(sz, tqd_file_read_cached(file, SIZE, found, 1), 0), "the end");
    FILE *stored = fopen(path, "r+");
    fseek(stored, 2 * TQD_CHUNK + 5, SEEK_SET);
    fputc(bytes[2 * TQD_CHUNK + 5] ^ 4, stored);
    fclose(stored);
    cr_assert(eq(sz, tqd_file_read_cached(file, 0, found, SIZE), 2 * chunk));
    cr_assert(eq(long, tqd_file_read(file, 2 * TQD_CHUNK, found, TQD_CHUNK), -1));
    tqd_file_close(file);
    tqd_upload_close(up);
    up = upload(bytes, TQD_CHUNK, digest);
    file = tqd_file_open(store, digest, &size);
    cr_assert(eq(sz, tqd_file_read_cached(file, 0, found, TQD_CHUNK), 0), "one chunk: its digest");
    tqd_file_close(file);
    tqd_upload_close(up);
}

Test(files, uploads_that_are_cut_leave_nothing)
{
    tqd_store_status status;
    tqd_upload *up = tqd_upload_open(store, &status);
    tqd_upload_append(up, "abc", 3);
    cr_assert(eq(u64, tqd_store_file_bytes(store), 3));
    cr_assert(eq(int, count_partial(), 1));
    tqd_upload_close(up);
    cr_assert(eq(int, count_partial(), 0));
    cr_assert(eq(u64, tqd_store_file_bytes(store), 0));
    cr_assert(not(is_there(digest_of_abc)));

    const pid_t child = fork();
    if (child == 0) { /* a process that dies in the middle */
        up = tqd_upload_open(store, &status);
        tqd_upload_append(up, "abc", 3);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    cr_assert(eq(int, count_partial(), 1));
    stop_store();
    start_store();
    cr_assert(eq(int, count_partial(), 0));
}

static void submit_with(const char *digest, char id[TQD_JOB_ID_TEXT])
{
    tqd_job_id_make(id);
    tqd_job_submit op = {.write.kind = TQD_WRITE_JOB_SUBMIT,
                         .id = id,
                         .kind = "k",
                         .robot = "",
                         .robot_digest = "",
                         .client = "c",
                         .request = {.media = "m", .file = digest, .size = 3}};
    cr_assert(eq(int, (int)tqd_store_write(store, &op.write), TQD_STORE_OK));
}

Test(files, kept_by_reference)
{
    char digest[TQD_DIGEST_TEXT];
    char id[TQD_JOB_ID_TEXT];
    tqd_upload *up = upload("abc", 3, digest);
    cr_assert(eq(u64, sweep(), 0), "the upload holds it");
    submit_with(digest, id);
    tqd_upload_close(up);
    cr_assert(eq(u64, sweep(), 0), "the job holds it");

    char media[TQD_MEDIA_TEXT];
    char file[TQD_DIGEST_TEXT];
    char *bytes = NULL;
    uint64_t size = 0;
    tqd_store_job_body(store, id, TQD_BODY_REQUEST, media, &bytes, file, &size);
    cr_assert(bytes == NULL);
    cr_assert(eq(str, file, digest_of_abc));

    tqd_upload_close(upload("abc", 3, digest)); /* the same contents are the same file */
    cr_assert(eq(u64, tqd_store_file_bytes(store), 3));
    tqd_file *reader = tqd_file_open(store, digest, &size);
    tqd_job_cancel cancel = {.write.kind = TQD_WRITE_JOB_CANCEL, .id = id};
    tqd_job_delete delete = {.write.kind = TQD_WRITE_JOB_DELETE, .id = id};
    tqd_store_write(store, &cancel.write);
    tqd_store_write(store, &delete.write);
    /* moved to files/lost; of PostgreSQL the folder is a cache, whose files are removed */
    cr_assert(eq(u64, sweep(), tqd_store_is_shared(store) ? 0 : 1));
    cr_assert(not(is_there(digest)));
    cr_assert(eq(u64, tqd_store_file_bytes(store), 0));
    char text[4] = "";
    cr_assert(eq(long, tqd_file_read(reader, 0, text, 3), 3), "who reads it reads on");
    cr_assert(eq(str, text, "abc"));
    tqd_file_close(reader);
}

Test(files, names_that_are_no_digests_reach_no_path)
{
    const char *bad[] = {"", "abc", "../lock", "..", digest_of_abc + 1};
    uint64_t size;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        cr_assert(tqd_file_open(store, bad[i], &size) == NULL, "%s", bad[i]);
    }
}

Test(files, quota_counts_uploads_in_progress)
{
    stop_store();
    char why[TQD_STORE_WHY];
    const tqd_store_options options = {.folder = folder, .file_bytes_max = 10};
    store = tqd_store_open(&options, why);
    pthread_create(&writer, NULL, write_loop, store);
    tqd_store_status status;
    tqd_upload *one = tqd_upload_open(store, &status);
    tqd_upload *two = tqd_upload_open(store, &status);
    cr_assert(eq(int, (int)tqd_upload_append(one, "123456", 6), TQD_STORE_OK));
    cr_assert(eq(int, (int)tqd_upload_append(two, "12345", 5), TQD_STORE_QUOTA));
    tqd_upload_close(two);
    cr_assert(eq(int, (int)tqd_upload_append(one, "1234", 4), TQD_STORE_OK));
    tqd_upload_close(one);
    cr_assert(eq(u64, tqd_store_file_bytes(store), 0));
}

/* a limit on the size of files simulates a full disk: write() fails in the middle in the same way
 */
Test(files, full_disk_is_reported_and_leaves_nothing)
{
    static char big[1 << 20];
    const struct rlimit limit = {300000, RLIM_INFINITY};
    const struct rlimit none = {RLIM_INFINITY, RLIM_INFINITY};
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigaction(SIGXFSZ, &ignore, NULL);
    cr_assert(eq(int, setrlimit(RLIMIT_FSIZE, &limit), 0));
    tqd_store_status status;
    uint64_t size;
    char digest[TQD_DIGEST_TEXT];
    tqd_upload *up = tqd_upload_open(store, &status);
    cr_assert(eq(int, (int)tqd_upload_append(up, big, sizeof big), TQD_STORE_NO_SPACE));
    tqd_upload_close(up);
    up = tqd_upload_open(store, &status); /* found only by finish */
    cr_assert(eq(int, (int)tqd_upload_append(up, big, (256 << 10) + 60000), TQD_STORE_OK));
    cr_assert(eq(int, (int)tqd_upload_finish(up, digest, &size), TQD_STORE_NO_SPACE));
    tqd_upload_close(up);
    setrlimit(RLIMIT_FSIZE, &none);
    cr_assert(eq(int, count_partial(), 0));
    up = upload("abc", 3, digest);
    cr_assert(is_there(digest_of_abc), "and goes on when there is space again");
    tqd_upload_close(up);
}
