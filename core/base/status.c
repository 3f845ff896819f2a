/* SPDX-License-Identifier: Apache-2.0 */
/* core/base/status.c - words and sentences for the status list. */
#include "core/base/status.h"

const char *tq_status_slug(tq_status status)
{
    switch (status) {
#define TQ_STATUS_SLUG(name, slug, text)                                                           \
    case name:                                                                                     \
        return slug;
        TQ_STATUS_LIST(TQ_STATUS_SLUG)
#undef TQ_STATUS_SLUG
    }
    return "unknown";
}

const char *tq_status_text(tq_status status)
{
    switch (status) {
#define TQ_STATUS_TEXT(name, slug, text)                                                           \
    case name:                                                                                     \
        return text;
        TQ_STATUS_LIST(TQ_STATUS_TEXT)
#undef TQ_STATUS_TEXT
    }
    return "unknown status";
}

tq_status tq_fail(tq_error *reterr, tq_status status, const char *what, size_t index, double value)
{
    if (reterr != NULL) {
        *reterr = (tq_error){.what = what, .index = index, .value = value};
    }
    return status;
}
