/* SPDX-License-Identifier: Apache-2.0 */
/* api/media.h - formats of request bodies, answers and robot files. */
#ifndef TQA_MEDIA_H
#define TQA_MEDIA_H

typedef enum tqa_media {
    TQA_MEDIA_NONE, /* recognise by the first bytes */
    TQA_MEDIA_JSON,
    TQA_MEDIA_CBOR,
    TQA_MEDIA_NPY,
    TQA_MEDIA_NPZ,
    TQA_MEDIA_CSV,
    TQA_MEDIA_SVG, /* answers only: a picture */
    TQA_MEDIA_XML, /* URDF, or MJCF by its root element */
    TQA_MEDIA_OTHER,
} tqa_media;

#endif
