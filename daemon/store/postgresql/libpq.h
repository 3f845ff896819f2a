/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/postgresql/libpq.h - libpq, loaded when a store is PostgreSQL's: linked, it and the
 * TLS, Kerberos and LDAP that it brings along take 2.7 MiB of a daemon that has SQLite. */
#ifndef TQD_STORE_POSTGRESQL_LIBPQ_H
#define TQD_STORE_POSTGRESQL_LIBPQ_H

#include <postgresql/libpq-fe.h>
#include <stdbool.h>

#define TQD_LIBPQ(X)                                                                               \
    X(PQbackendPID)                                                                                \
    X(PQclear)                                                                                     \
    X(PQcmdStatus)                                                                                 \
    X(PQconnectdbParams)                                                                           \
    X(PQconsumeInput)                                                                              \
    X(PQenterPipelineMode)                                                                         \
    X(PQerrorMessage)                                                                              \
    X(PQexitPipelineMode)                                                                          \
    X(PQfinish)                                                                                    \
    X(PQflush)                                                                                     \
    X(PQfreemem)                                                                                   \
    X(PQgetResult)                                                                                 \
    X(PQgetisnull)                                                                                 \
    X(PQgetlength)                                                                                 \
    X(PQgetvalue)                                                                                  \
    X(PQhost)                                                                                      \
    X(PQisBusy)                                                                                    \
    X(PQnotifies)                                                                                  \
    X(PQntuples)                                                                                   \
    X(PQpipelineSync)                                                                              \
    X(PQport)                                                                                      \
    X(PQresultErrorField)                                                                          \
    X(PQresultErrorMessage)                                                                        \
    X(PQresultStatus)                                                                              \
    X(PQsendFlushRequest)                                                                          \
    X(PQsendQuery)                                                                                 \
    X(PQsendQueryParams)                                                                           \
    X(PQsetNoticeReceiver)                                                                         \
    X(PQsetSingleRowMode)                                                                          \
    X(PQsetnonblocking)                                                                            \
    X(PQsocket)                                                                                    \
    X(PQstatus)                                                                                    \
    X(PQtransactionStatus)

#define TQD_LIBPQ_MEMBER(name) __typeof__(&(name)) name##_;
typedef struct tqd_libpq_table {
    TQD_LIBPQ(TQD_LIBPQ_MEMBER)
} tqd_libpq_table;
extern tqd_libpq_table tqd_libpq;

/* Once, before any other; false with a line when there is no libpq.so.5 (PostgreSQL 14 or newer).
 */
bool tqd_libpq_load(char *why);

#define PQbackendPID         tqd_libpq.PQbackendPID_
#define PQclear              tqd_libpq.PQclear_
#define PQcmdStatus          tqd_libpq.PQcmdStatus_
#define PQconnectdbParams    tqd_libpq.PQconnectdbParams_
#define PQconsumeInput       tqd_libpq.PQconsumeInput_
#define PQenterPipelineMode  tqd_libpq.PQenterPipelineMode_
#define PQerrorMessage       tqd_libpq.PQerrorMessage_
#define PQexitPipelineMode   tqd_libpq.PQexitPipelineMode_
#define PQfinish             tqd_libpq.PQfinish_
#define PQflush              tqd_libpq.PQflush_
#define PQfreemem            tqd_libpq.PQfreemem_
#define PQgetResult          tqd_libpq.PQgetResult_
#define PQgetisnull          tqd_libpq.PQgetisnull_
#define PQgetlength          tqd_libpq.PQgetlength_
#define PQgetvalue           tqd_libpq.PQgetvalue_
#define PQhost               tqd_libpq.PQhost_
#define PQisBusy             tqd_libpq.PQisBusy_
#define PQnotifies           tqd_libpq.PQnotifies_
#define PQntuples            tqd_libpq.PQntuples_
#define PQpipelineSync       tqd_libpq.PQpipelineSync_
#define PQport               tqd_libpq.PQport_
#define PQresultErrorField   tqd_libpq.PQresultErrorField_
#define PQresultErrorMessage tqd_libpq.PQresultErrorMessage_
#define PQresultStatus       tqd_libpq.PQresultStatus_
#define PQsendFlushRequest   tqd_libpq.PQsendFlushRequest_
#define PQsendQuery          tqd_libpq.PQsendQuery_
#define PQsendQueryParams    tqd_libpq.PQsendQueryParams_
#define PQsetNoticeReceiver  tqd_libpq.PQsetNoticeReceiver_
#define PQsetSingleRowMode   tqd_libpq.PQsetSingleRowMode_
#define PQsetnonblocking     tqd_libpq.PQsetnonblocking_
#define PQsocket             tqd_libpq.PQsocket_
#define PQstatus             tqd_libpq.PQstatus_
#define PQtransactionStatus  tqd_libpq.PQtransactionStatus_

#endif
