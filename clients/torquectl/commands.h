/* SPDX-License-Identifier: Apache-2.0 */
/* clients/torquectl/commands.h - what runs a command of the table: each returns a status. */
#ifndef TORQUECTL_COMMANDS_H
#define TORQUECTL_COMMANDS_H

#include "clients/torquectl/ctl.h"

ctl_run ctl_show, ctl_download, ctl_upload, ctl_backup, ctl_verify_archive;   /* files.c */
ctl_run ctl_robot_get, ctl_robot_put, ctl_robot_check, ctl_robot_change;      /* robots.c */
ctl_run ctl_session_open, ctl_session_step, ctl_session_set;                  /* sessions.c */
ctl_run ctl_job_wait, ctl_job_result, ctl_job_delete;                         /* jobs.c */
ctl_run ctl_operation, ctl_calibrate, ctl_compare;                            /* operation.c */
ctl_run ctl_help, ctl_version, ctl_completion;                                /* help.c */
ctl_run ctl_token_create, ctl_token_list, ctl_token_revoke, ctl_token_rotate; /* tokens.c */
ctl_run ctl_top, ctl_docs;                                                    /* top.c */

#endif
