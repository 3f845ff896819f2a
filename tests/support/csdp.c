/* SPDX-License-Identifier: Apache-2.0 */
/* tests/support/csdp.c - a feasible fit in SDPA's sparse form, and its solution. */
#include "tests/support/csdp.h"

#include <criterion/criterion.h>

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/identify/feasible/block4.h"

enum { TEN = TQ_SVEC4 };
extern char **environ;

/* Bounds are the last entries of the diagonal block `last`, after n_before others. */
static void write_bounds(const tq_feasible *p, size_t last, size_t n_before, FILE *f)
{
    for (size_t k = 0; k < p->n_bound; k++) {
        const tq_feasible_bound *bound = &p->bounds[k];
        const size_t at = n_before + k + 1;
        fprintf(f, "0 %zu %zu %zu %.17g\n", last, at, at, -bound->offset);
        for (size_t i = 0; i < TEN; i++) {
            fprintf(f, "%zu %zu %zu %zu %.17g\n", TEN * bound->body + i + 1, last, at, at,
                    bound->row[i]);
        }
    }
}

/* SDPA's sparse form: minimise s with [1 r; r^T s] >= 0, r = b - A x, and the constraints on bodies
 */
static void write_sdpa(const tq_feasible *p, FILE *f)
{
    const size_t n = TEN * p->n_body + p->n_other;
    const size_t n_positive = p->n_other; /* free ones get a bound far away */
    fprintf(f, "%zu\n%zu\n%zu", n + 1, 2 + p->n_body, p->m + 1);
    for (size_t k = 0; k < p->n_body; k++) {
        fprintf(f, " 4");
    }
    const size_t n_diagonal = n_positive + p->n_bound;
    fprintf(f, " -%zu\n", n_diagonal > 0 ? n_diagonal : 1);
    for (size_t c = 0; c < n; c++) {
        fprintf(f, "0 ");
    }
    fprintf(f, "1\n");
    for (size_t i = 0; i < p->m; i++) {
        fprintf(f, "0 1 %zu %zu -1\n", i + 1, i + 1);
        fprintf(f, "0 1 %zu %zu %.17g\n", i + 1, p->m + 1, -p->b[i]);
    }
    for (size_t k = 0; k < p->n_body; k++) {
        for (int i = 1; i <= 4; i++) {
            fprintf(f, "0 %zu %d %d %.17g\n", 2 + k, i, i, p->floor);
        }
    }
    const size_t last = 2 + p->n_body;
    for (size_t k = 0; k < n_positive; k++) {
        fprintf(f, "0 %zu %zu %zu %g\n", last, k + 1, k + 1, p->positive[k] ? 0.0 : -1e3);
    }
    for (size_t c = 0; c < n; c++) {
        for (size_t i = 0; i < p->m; i++) {
            fprintf(f, "%zu 1 %zu %zu %.17g\n", c + 1, i + 1, p->m + 1, -p->a[c * p->m + i]);
        }
        if (c < TEN * p->n_body) {
            double unit[TEN] = {0};
            tq_block4 e;
            unit[c % TEN] = 1;
            tq_smat4(unit, e);
            for (int i = 0; i < 16; i++) {
                if (e[i] != 0 && i % 4 >= i / 4) {
                    fprintf(f, "%zu %zu %d %d %.17g\n", c + 1, 2 + c / TEN, i / 4 + 1, i % 4 + 1,
                            e[i]);
                }
            }
        } else {
            const size_t k = c - TEN * p->n_body + 1;
            fprintf(f, "%zu %zu %zu %zu 1\n", c + 1, last, k, k);
        }
    }
    write_bounds(p, last, n_positive, f);
    if (n_diagonal == 0) {
        fprintf(f, "%zu %zu 1 1 1\n", n + 1, last);
    }
    fprintf(f, "%zu 1 %zu %zu 1\n", n + 1, p->m + 1, p->m + 1);
}

bool tqt_csdp(const tq_feasible *p, double *ret_x)
{
    char folder[] = "build/csdp-XXXXXX", in[64], out[64], settings[64];
    if (mkdtemp(folder) == NULL) {
        return false;
    }
    snprintf(in, sizeof in, "%s/in.dat-s", folder);
    snprintf(out, sizeof out, "%s/out", folder);
    snprintf(settings, sizeof settings, "%s/param.csdp", folder);
    FILE *f = fopen(settings, "w");
    cr_assert(f != NULL);
    /* with the defaults of CSDP constraints are violated by 1e-6, which lowers the objective by
     * 1e-6 */
    fputs("axtol=1.0e-10\natytol=1.0e-10\nobjtol=1.0e-9\npinftol=1.0e8\ndinftol=1.0e8\n"
          "maxiter=200\nminstepfrac=0.90\nmaxstepfrac=0.97\nminstepp=1.0e-8\nminstepd=1.0e-8\n"
          "usexzgap=1\ntweakgap=0\naffine=0\nprintlevel=0\nperturbobj=0\nfastmode=0\n",
          f);
    fclose(f);
    f = fopen(in, "w");
    cr_assert(f != NULL);
    write_sdpa(p, f);
    fclose(f);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addchdir_np(&actions, folder);
    char *argv[] = {(char[]){"csdp"}, (char[]){"in.dat-s"}, (char[]){"out"}, NULL};
    pid_t pid = 0;
    int state = -1;
    const int error = posix_spawnp(&pid, "csdp", &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error == 0) {
        waitpid(pid, &state, 0);
    }
    /* status 3: solved to reduced accuracy, which is sufficient for the tolerances here */
    bool found =
        error == 0 && WIFEXITED(state) && (WEXITSTATUS(state) == 0 || WEXITSTATUS(state) == 3);
    f = found ? fopen(out, "r") : NULL;
    for (size_t c = 0; f != NULL && c < TEN * p->n_body + p->n_other; c++) {
        cr_assert(fscanf(f, "%lf", &ret_x[c]) == 1);
    }
    if (f != NULL) {
        fclose(f);
    }
    unlink(in), unlink(out), unlink(settings), rmdir(folder);
    return f != NULL;
}
