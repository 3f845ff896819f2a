/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/http/media.c - names of media types. */
#include "daemon/http/media.h"

#include <string.h>
#include <strings.h>

static const struct {
    const char *name;
    tqa_media media;
} types[] = {
    {"application/json", TQA_MEDIA_JSON},
    {"application/cbor", TQA_MEDIA_CBOR},
    {"application/x-npy", TQA_MEDIA_NPY},
    {"application/x-npz", TQA_MEDIA_NPZ},
    {"text/csv", TQA_MEDIA_CSV},
    {"application/xml", TQA_MEDIA_XML},
    {"text/xml", TQA_MEDIA_XML},
    {"*/*", TQA_MEDIA_NONE},
    {"application/*", TQA_MEDIA_NONE},
    {"application/octet-stream", TQA_MEDIA_NONE},
    {"application/x-www-form-urlencoded", TQA_MEDIA_NONE},
};

tqa_media tqd_media_find(const char *header)
{
    tqa_media found = TQA_MEDIA_OTHER;
    if (header == NULL) {
        return TQA_MEDIA_NONE;
    }
    if (strcmp(header, types[0].name) == 0) {
        return types[0].media; /* the common case */
    }
    /* the first supported type of a list; so few types need no weights */
    while (*header != '\0') {
        header += strspn(header, " \t,");
        size_t n = strcspn(header, " \t,;");
        for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
            if (strlen(types[i].name) == n && strncasecmp(types[i].name, header, n) == 0) {
                if (types[i].media != TQA_MEDIA_NONE) {
                    return types[i].media;
                }
                found = TQA_MEDIA_NONE;
            }
        }
        header += strcspn(header, ",");
    }
    return found;
}

const char *tqd_media_name(tqa_media media)
{
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (types[i].media == media && media != TQA_MEDIA_NONE) {
            return types[i].name;
        }
    }
    return "application/octet-stream";
}
