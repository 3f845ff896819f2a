/* SPDX-License-Identifier: Apache-2.0 */
/* api/response/provenance.c - the members of `provenance`, in their order. */
#include "api/response/provenance.h"

#include "api/version.h"

enum { MEMBERS = 4 };

typedef struct member {
    const char *key, *text;
} member;

static void list_members(const tqa_provenance *provenance, member members[MEMBERS])
{
    members[0] = (member){"robot_digest", provenance->robot_digest};
    members[1] = (member){"request_digest", provenance->request_digest};
    members[2] = (member){"linear_algebra", provenance->linear_algebra};
    members[3] = (member){"integrator", provenance->integrator};
}

size_t tqa_provenance_count(const tqa_provenance *provenance)
{
    member members[MEMBERS];
    size_t n = 1;
    list_members(provenance, members);
    for (size_t i = 0; i < MEMBERS; i++) {
        n += members[i].text != NULL;
    }
    return n;
}

void tqa_provenance_put(tqa_writer *answer, const tqa_provenance *provenance)
{
    member members[MEMBERS];
    list_members(provenance, members);
    tqa_writer_string(answer, "engine", "torqued " TQA_VERSION);
    for (size_t i = 0; i < MEMBERS; i++) {
        if (members[i].text != NULL) {
            tqa_writer_string(answer, members[i].key, members[i].text);
        }
    }
}
