/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/daemon/robots/test_registry.c - names, versions and the bounded cache of parsed
 * robots. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <semaphore.h>

#include "daemon/store/engine.h"
#include "tests/unit/daemon/robots/fake.h"

TestSuite(registry, .init = setup, .fini = teardown, .timeout = 100);

static const tqd_condition always = {.if_match = NULL};

static bool put(const char *name, unsigned n, bool *ret_created)
{
    char bytes[32];
    const int size = snprintf(bytes, sizeof bytes, "robot %u", n);
    tqa_problem problem;
    tqa_robot *robot = fake_parse(TQA_MEDIA_XML, bytes, (size_t)size, &problem);
    const tqa_robot *held = NULL;
    bool created = false;
    const bool good = tqd_registry_put(registry, name, robot, bytes, (size_t)size, &always, &held,
                                       &created, &problem);
    if (good) {
        tqd_registry_release(registry, held);
    }
    if (ret_created != NULL) {
        *ret_created = created;
    }
    return good;
}

/* nv of the robot of that name, which is its number; -1 with the status if there is none */
static int get(const char *name, int *ret_status)
{
    tqa_problem problem = {.status = 0};
    const tqa_robot *robot = tqd_registry_get(registry, name, &problem);
    *ret_status = problem.status;
    if (robot == NULL) {
        return -1;
    }
    const int nv = (int)robot->model->nv;
    tqd_registry_release(registry, robot);
    return nv;
}

static int number_of(const char *name)
{
    int status;
    return get(name, &status);
}

static tqd_robot_found peek(const char *name)
{
    const tqa_robot *robot = NULL;
    const tqd_robot_found found = tqd_registry_peek(registry, name, &robot);
    if (found == TQD_ROBOT_READY) {
        tqd_registry_release(registry, robot);
    }
    return found;
}

Test(registry, builtins_are_there_and_stay)
{
    cr_assert(eq(int, number_of("panda"), 701));
    cr_assert(eq(int, (int)peek("panda"), TQD_ROBOT_READY));
    cr_assert(not(put("panda", 3, NULL)));
    tqa_problem problem;
    cr_assert(not(tqd_registry_delete(registry, "panda", &always, &problem)));
    cr_assert(eq(int, problem.status, 409));
}

Test(registry, versions_are_found_by_digest)
{
    bool created = false;
    cr_assert(put("arm", 1, &created));
    cr_assert(created);
    cr_assert(put("arm", 2, &created));
    cr_assert(not(created));
    char name[256];
    snprintf(name, sizeof name, "arm@%s", fake_digest(1));
    cr_assert(eq(int, number_of("arm"), 2));
    cr_assert(eq(int, number_of(name), 1));
    snprintf(name, sizeof name, "arm@%s", fake_digest(2));
    cr_assert(eq(int, (int)peek(name), TQD_ROBOT_READY));
    snprintf(name, sizeof name, "arm@%s", fake_digest(701));
    cr_assert(eq(int, number_of(name), -1), "the panda was never called arm");
    const char *none[] = {"", "@", "arm@", "arm@12", "nobody", ".", "arm@@"};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        int status = 0;
        cr_assert(eq(int, get(none[i], &status), -1), "%s", none[i]);
        cr_assert(eq(int, status, 404), "%s", none[i]);
    }
}

Test(registry, an_unknown_name_is_answered_with_the_nearest)
{
    put("shoulder-left", 1, NULL);
    put("elbow", 2, NULL);
    static const struct {
        const char *name, *says;
    } rows[] = {
        {"sholder-left", "did you mean \"shoulder-left\"?"},
        {"Elbows", "did you mean \"elbow\"?"},
        {"padna", "did you mean \"panda\"?"},
        {"something-else", "GET /v1/robots lists them"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        tqa_problem problem;
        tqd_registry_unknown(registry, rows[i].name, &problem);
        cr_expect(eq(int, problem.status, 404));
        cr_expect(strstr(problem.detail, rows[i].says) != NULL, "%s", problem.detail);
    }
}

Test(registry, restart_is_cold_then_warm)
{
    put("arm", 1, NULL);
    stop();
    parsed_ever = 0;
    start(8);
    cr_assert(eq(int, (int)peek("arm"), TQD_ROBOT_COLD));
    cr_assert(eq(int, parsed_ever, 2), "only the built-in ones are parsed at start");
    tqd_registry_warm(registry);
    cr_assert(eq(int, (int)peek("arm"), TQD_ROBOT_READY));
    cr_assert(eq(int, number_of("arm"), 1));
    tqa_problem problem;
    cr_assert(tqd_registry_delete(registry, "arm", &always, &problem));
    cr_assert(eq(int, (int)peek("arm"), TQD_ROBOT_NONE));
}

Test(registry, cache_is_bounded_but_never_drops_what_is_held)
{
    char name[16];
    put("held", 1, NULL);
    tqa_problem problem;
    const tqa_robot *held = tqd_registry_get(registry, "held", &problem);
    for (unsigned i = 2; i < 50; i++) {
        snprintf(name, sizeof name, "r%u", i);
        cr_assert(put(name, i, NULL));
    }
    cr_assert(eq(int, parsed_now, 2 + 8));
    cr_assert(eq(int, (int)peek("held"), TQD_ROBOT_READY));
    cr_assert(eq(int, (int)peek("r2"), TQD_ROBOT_COLD), "the idlest went first");
    cr_assert(eq(int, (int)peek("r49"), TQD_ROBOT_READY));
    cr_assert(eq(int, number_of("r2"), 2), "and comes back when asked for");
    tqd_registry_release(registry, held);
}

static void *get_arm(void *ignored)
{
    (void)ignored;
    tqa_problem problem;
    union {
        const tqa_robot *in;
        void *out;
    } robot = {.in = tqd_registry_get(registry, "arm", &problem)};
    return robot.out;
}

static void *release_arm(void *robot)
{
    tqd_registry_release(registry, robot);
    return NULL;
}

static void *elsewhere(void *(*run)(void *arg), void *arg)
{
    pthread_t thread;
    void *result = NULL;
    cr_assert(eq(int, pthread_create(&thread, NULL, run, arg), 0));
    cr_assert(eq(int, pthread_join(thread, &result), 0));
    return result;
}

/* a connection's thread releases a reference taken by a worker's, and the reverse */
Test(registry, threads_release_references_of_others)
{
    char name[16];
    put("arm", 1, NULL);
    for (unsigned round = 0; round < 3; round++) {
        void *held[4];
        for (size_t k = 0; k < 4; k++) {
            held[k] = k % 2 == 0 ? elsewhere(get_arm, NULL) : get_arm(NULL);
            cr_assert(held[k] != NULL);
        }
        for (size_t k = 0; k < 4; k++) {
            cr_assert(eq(int, (int)peek("arm"), TQD_ROBOT_READY));
            for (unsigned i = 0; i < 10; i++) { /* more robots than fit */
                snprintf(name, sizeof name, "r%u", 1000 * round + 100 * (unsigned)k + i);
                cr_assert(put(name, 1000 * round + 100 * (unsigned)k + i + 2, NULL));
            }
            cr_assert(eq(int, (int)peek("arm"), TQD_ROBOT_READY), "%zu still hold it", 4 - k);
            if (k < 2) {
                elsewhere(release_arm, held[k]);
            } else {
                release_arm(held[k]);
            }
        }
        for (unsigned i = 0; i < 10; i++) {
            snprintf(name, sizeof name, "s%u", 10 * round + i);
            cr_assert(put(name, 5000 + 10 * round + i, NULL));
        }
        cr_assert(eq(int, (int)peek("arm"), TQD_ROBOT_COLD), "it is not held");
    }
}

Test(registry, replaced_robot_lives_as_long_as_it_is_held)
{
    put("arm", 1, NULL);
    tqa_problem problem;
    const tqa_robot *held = tqd_registry_get(registry, "arm", &problem);
    put("arm", 2, NULL);
    tqd_registry_delete(registry, "arm", &always, &problem);
    for (unsigned i = 10; i < 40; i++) {
        put("other", i, NULL);
    }
    cr_assert(eq(u32, held->model->nv, 1));
    tqd_registry_release(registry, held);
}

Test(registry, list_is_sorted_and_marked)
{
    put("arm", 1, NULL);
    put("zebra", 2, NULL);
    size_t n = 0;
    tqd_registry_row *rows = tqd_registry_list(registry, &n);
    const char *names[] = {"arm", "panda", "scara", "zebra"};
    cr_assert(eq(sz, n, 4));
    for (size_t i = 0; i < n; i++) {
        cr_assert(eq(str, rows[i].row.name, (char *)names[i]));
        cr_assert(eq(int, rows[i].builtin, i == 1 || i == 2));
    }
    free(rows);
}

Test(registry, names)
{
    char longest[130];
    memset(longest, 'a', sizeof longest);
    longest[128] = '\0';
    cr_assert(tqd_robot_name_good(longest));
    longest[128] = 'a';
    longest[129] = '\0';
    const char *bad[] = {"", ".x", "..", "a//b", "a/", "a b", "a@b", "\xc3\xa9", "a\n", longest};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        cr_assert(not(tqd_robot_name_good(bad[i])), "%zu", i);
    }
    cr_assert(tqd_robot_name_good("UR-5e_v1.2"));
    cr_assert(tqd_robot_name_good("lab-a/arm"), "the key of a name in a namespace");
}

/* ------------------------------------------------------------------------------- many threads */

static _Atomic bool over;

static void *reader(void *arg)
{
    (void)arg;
    while (!over) {
        const int n = number_of("arm");
        cr_assert(n >= 1 && n <= 400, "%d", n);
        cr_assert(eq(int, number_of("panda"), 701));
    }
    return NULL;
}

Test(registry, readers_and_writers_at_once)
{
    pthread_t threads[4];
    put("arm", 1, NULL);
    for (size_t i = 0; i < 4; i++) {
        pthread_create(&threads[i], NULL, reader, NULL);
    }
    for (unsigned i = 2; i <= 400; i++) {
        cr_assert(put("arm", i, NULL));
        cr_assert(eq(int, number_of("arm"), (int)i));
    }
    over = true;
    for (size_t i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
    }
}

/* robot n as another node stores it: past the registry */
static void put_elsewhere(const char *name, unsigned n)
{
    tqd_robot_row row = {.nv = n, .source = "urdf", .media = "application/xml"};
    char bytes[32];
    snprintf(row.name, sizeof row.name, "%s", name);
    snprintf(row.digest, sizeof row.digest, "%s", fake_digest(n));
    row.size = (uint64_t)snprintf(bytes, sizeof bytes, "robot %u", n);
    tqd_robot_put write = {
        .write.kind = TQD_WRITE_ROBOT_PUT, .row = &row, .bytes = bytes, .n_byte = (size_t)row.size};
    cr_assert(eq(int, (int)tqd_store_write(store, &write.write), TQD_STORE_OK));
}

static sem_t reached, goes_on;

static void hold_up(tqd_write *write)
{
    (void)write;
    sem_post(&reached);
    sem_wait(&goes_on);
}

static void *put_three(void *arg)
{
    (void)arg;
    cr_assert(put("arm", 3, NULL));
    return NULL;
}

Test(registry, follow_takes_what_others_stored_but_no_name_of_a_change_under_way)
{
    pthread_t thread;
    sem_init(&reached, 0, 0);
    sem_init(&goes_on, 0, 0);
    cr_assert(put("arm", 1, NULL));
    put_elsewhere("other", 4);
    cr_assert(tqd_registry_follow(registry));
    cr_assert(eq(int, number_of("other"), 4));
    /* the writer's thread waits after the first; the second and the change are a group,
     * or the change comes later */
    tqd_garbage_drop first = {.write = {.kind = TQD_WRITE_GARBAGE_DROP, .done = hold_up}};
    tqd_garbage_drop second = {.write = {.kind = TQD_WRITE_GARBAGE_DROP, .done = hold_up}};
    cr_assert(tqd_store_submit(store, &first.write));
    sem_wait(&reached);
    cr_assert(tqd_store_submit(store, &second.write));
    pthread_create(&thread, NULL, put_three, NULL);
    while (tqd_registry_follow(registry)) {
        usleep(1000);
    }
    sem_post(&goes_on);
    sem_wait(&reached); /* the store has robot 3, if that was in the queue already */
    const bool is_current = tqd_registry_follow(registry);
    const int meanwhile = number_of("arm");
    sem_post(&goes_on);
    pthread_join(thread, NULL);
    cr_assert(not(is_current));
    cr_assert(eq(int, meanwhile, 1));
    cr_assert(tqd_registry_follow(registry));
    cr_assert(eq(int, number_of("arm"), 3));
}
