/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/observe/resident.h - resident memory of the process. */
#ifndef TQD_OBSERVE_RESIDENT_H
#define TQD_OBSERVE_RESIDENT_H

#include <stdint.h>

/* Bytes; 0: unknown. */
uint64_t tqd_resident_bytes(void);

#endif
