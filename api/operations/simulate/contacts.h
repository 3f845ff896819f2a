/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/simulate/contacts.h - `contacts` of a simulation: solids that may touch, and their
   results. */
#ifndef TQA_OPERATIONS_SIMULATE_CONTACTS_H
#define TQA_OPERATIONS_SIMULATE_CONTACTS_H

#include "api/request/geom_fields.h"
#include "core/contact/contact.h"

/* In the call's memory. */
typedef struct tqa_contacts {
    tqa_geoms geoms;
    tq_contacts set; /* n_pair 0: nothing can touch */
    tq_contact_pair *pairs;
    const char **pair_names; /* (n_pair x 2) */
    double *q, *gap;         /* (nq), (n_pair) of the row that is being filled */
    tq_scratch scratch;
} tqa_contacts;

#endif
