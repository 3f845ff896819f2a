/* SPDX-License-Identifier: Apache-2.0 */
/* api/version.h - the one place that states the version; the Makefile reads it from here. */
#ifndef TQA_VERSION_H
#define TQA_VERSION_H

#define TQA_VERSION "0.1.0"

#endif
