/* SPDX-License-Identifier: Apache-2.0 */
/* clients/torquectl/main.c - torqued from the command line. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "clients/torquectl/ctl.h"

int main(int argc, char **argv)
{
    static ctl c;
    int n = 0;
    char **words = calloc((size_t)argc + 1, sizeof *words);
    if (words == NULL) {
        return CTL_FAILED;
    }
    c.retries = 2;
    int status = ctl_parse(&c, argc, argv, words, &n);
    if (status == CTL_DONE) {
        status = c.command->run(&c, n, words);
    }
    tqc_close(c.client);
    free(words);
    if (fflush(stdout) != 0 && status == CTL_DONE && errno != EPIPE) {
        ctl_fault("the answer cannot be written: %s", strerror(errno));
        status = CTL_FAILED;
    }
    return status;
}
