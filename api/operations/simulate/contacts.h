/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/simulate/contacts.h - `contacts` of a simulation: solids that may touch, and their
   results. */
#ifndef TQA_OPERATIONS_SIMULATE_CONTACTS_H
#define TQA_OPERATIONS_SIMULATE_CONTACTS_H

#include "api/request/geom_fields.h"
#include "core/contact/compliant.h"
#include "core/contact/contact.h"

/* In the call's memory. */
typedef struct tqa_contacts {
    tqa_geoms geoms;
    tq_contacts set; /* n_pair 0: nothing can touch */
    tq_contact_pair *pairs;
    const char **pair_names; /* (n_pair x 2) */
    double *q, *gap;         /* (nq), (n_pair) of the row that is being filled */
    tq_scratch scratch;

    bool is_compliant;
    tq_compliance *laws; /* (n_pair), of compliant ones, as all that follows */
    tq_compliant_contacts compliant;
    uint32_t *links;             /* with solids on them */
    double *qd, *force;          /* (nv), (3 n_pair) of the row that is being filled */
    double stored, stored_start; /* J, of that row, and at the start */
} tqa_contacts;

/* What compliant contacts do to the energy of a whole run, J. */
typedef struct tqa_contact_energy {
    double stored, damped, slid;
} tqa_contact_energy;

/* `law`; then stiffness and dissipation of all pairs (`is_common`), or of one, over those of all:
 * fields of the other law are refused. */
bool tqa_contacts_read_law(const tqa_value *part, bool *ret_is_compliant);
bool tqa_contacts_read_compliance(const tqa_value *part, bool is_compliant, bool is_common,
                                  tq_compliance *ret);

#endif
