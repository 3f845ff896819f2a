/* SPDX-License-Identifier: Apache-2.0 */
/* api/call/sources.c - the names of data that a request will read, before it is computed. */
#include <stdio.h>
#include <string.h>

#include "api/call/call.h"
#include "api/recordings/from.h"
#include "api/recordings/parts.h"

typedef struct sink {
    bool (*each)(void *ctx, const char *name);
    void *ctx;
} sink;

static bool report(const sink *t, const char *prefix, const json_t *value)
{
    const char *text = json_string_value(value);
    char name[TQA_SOURCE_NAME];
    if (text == NULL) {
        return true;
    }
    const int n = snprintf(name, sizeof name, "%s%s", prefix, text);
    return n <= 0 || (size_t)n >= sizeof name || t->each(t->ctx, name);
}

/* "name", {"dataset": "name"}, {"job": "id"} or {"q": "name", "tau": "name", ...} */
static bool push_log(const sink *t, const json_t *log)
{
    bool goes_on = report(t, "", log) && report(t, "", json_object_get(log, "dataset")) &&
                   report(t, "job:", json_object_get(log, "job"));
    for (size_t q = 0; goes_on && q < TQA_RECORDING_QUANTITIES; q++) {
        goes_on = report(t, "", json_object_get(log, tqa_recording_quantity_names[q]));
    }
    return goes_on;
}

/* one log, or an array of them */
static bool push_logs(const sink *t, const json_t *value)
{
    bool goes_on = push_log(t, value);
    for (size_t i = 0; goes_on && i < json_array_size(value); i++) {
        goes_on = push_log(t, json_array_get(value, i));
    }
    return goes_on;
}

bool tqa_call_sources(const tqa_call *call, bool (*each)(void *ctx, const char *name), void *ctx)
{
    static const char *const from_field[] = {"from", NULL};
    const sink t = {each, ctx};
    const json_t *root = NULL;
    const char *const *fields = NULL;
    if (call->tree != NULL) {
        fields = call->operation->methods->tree->sources;
    } else if (call->request.from != NULL) {
        root = tqa_from_root(call->request.from);
        fields = from_field;
    }
    bool goes_on = true;
    for (size_t i = 0; goes_on && fields != NULL && fields[i] != NULL; i++) {
        const tqa_value whole = call->tree != NULL ? tqa_value_root(call->tree) : (tqa_value){0};
        goes_on = push_logs(&t, call->tree != NULL ? tqa_value_field(&whole, fields[i]).value
                                                   : json_object_get(root, fields[i]));
    }
    return goes_on;
}
