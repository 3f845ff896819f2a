/* SPDX-License-Identifier: Apache-2.0 */
/* clients/torquectl/commands.c - the table of commands: help, completion, man page are its. */
#include "clients/torquectl/commands.h"

#include "clients/torquectl/contexts.h"

#define COMPUTES CTL_O_INPUT | CTL_O_FIELD | CTL_O_FILE
#define JOB      COMPUTES | CTL_O_PATIENCE
#define OF_ROBOT "POST", "/v1/robots/%s/"
#define INPUTS                                                                                     \
    "Fields of the request are words FIELD=VALUE, or --FIELD VALUE: numbers and words with "       \
    "commas, rows with semicolons, JSON, @FILE for the value in a file. Fields of objects have "   \
    "dots: solver.method=rk4. A FILE is the request: JSON; CSV or NPY with the columns of "        \
    "its arrays (a header q_0,q_1,...,qd_0,... or q, qd and the third side by side)."
#define WAITS                                                                                      \
    " A long computation becomes a job; --detach prints its id and returns, Ctrl-C leaves it "     \
    "running."

/* clang-format off */
const ctl_command ctl_commands[] = {
    {"id", "ROBOT [FILE]...", 1, 9, ctl_operation, OF_ROBOT "inverse-dynamics", NULL, NULL, COMPUTES, "inverse-dynamics",
     "torques from motion", INPUTS,
     "torquectl id panda q=0,-0.8,0,-2.3,0,1.6,0.8 include=gravity_torque\ntorquectl id panda motion.csv -o csv >torques.csv"},
    {"fd", "ROBOT [FILE]...", 1, 9, ctl_operation, OF_ROBOT "forward-dynamics", NULL, NULL, COMPUTES, "forward-dynamics",
     "accelerations from torques", INPUTS, "torquectl fd planar-2r q=0,0 tau=1,0"},
    {"terms", "ROBOT [FILE]...", 1, 9, ctl_operation, OF_ROBOT "terms", NULL, NULL, COMPUTES, "terms",
     "terms of the equation of motion", INPUTS, "torquectl terms panda q=0,0,0,-1.5,0,1.5,0 include=mass_matrix,gravity_torque"},
    {"kin", "ROBOT [FILE]...", 1, 9, ctl_operation, OF_ROBOT "kinematics", NULL, NULL, COMPUTES, "kinematics",
     "poses of links, velocities, Jacobians", INPUTS, "torquectl kin panda q=0,0,0,-1.5,0,1.5,0 frames.0.link=flange frames.0.at=origin -o json"},
    {"ik", "ROBOT [FILE]...", 1, 9, ctl_operation, OF_ROBOT "inverse-kinematics", NULL, NULL, COMPUTES, "inverse-kinematics",
     "coordinates that bring a link to a pose", INPUTS, "torquectl ik panda frame.link=flange frame.at=origin pose.position=0.4,0,0.5 solutions=2"},
    {"statics", "ROBOT [FILE]...", 1, 9, ctl_operation, OF_ROBOT "statics", NULL, NULL, COMPUTES, "statics",
     "torques that hold wrenches, and what the arm can hold", INPUTS, "torquectl help statics"},
    {"payload", "ROBOT [FILE]...", 1, 9, ctl_operation, OF_ROBOT "payload", NULL, NULL, JOB, "payload",
     "the body that a calibrated robot carries", INPUTS WAITS, "torquectl help payload"},
    {"residual", "ROBOT [FILE]...", 1, 9, ctl_operation, OF_ROBOT "residual", NULL, NULL, JOB, "residual",
     "torque that a calibrated model does not explain", INPUTS WAITS, "torquectl help residual"},
    {"regressor", "ROBOT [FILE]...", 1, 9, ctl_operation, OF_ROBOT "regressor", NULL, NULL, COMPUTES, "regressor",
     "torques as a matrix times parameters", INPUTS, "torquectl regressor planar-2r q=0,0 qd=0,0 qdd=0,0"},
    {"manipulability", "ROBOT [FILE]...", 1, 9, ctl_operation, OF_ROBOT "manipulability", NULL, NULL, COMPUTES, "manipulability",
     "measures of the Jacobian", INPUTS, "torquectl manipulability panda q=0,0,0,-1.5,0,1.5,0 frame.link=flange frame.at=origin"},
    {"distance", "ROBOT [FILE]...", 1, 9, ctl_operation, OF_ROBOT "distance", NULL, NULL, COMPUTES, "distance",
     "distances of shapes on links from each other and from obstacles", INPUTS, "torquectl distance panda q=0,0,0,-1.5,0,1.5,0 shapes.json"},
    {"trajectory", "ROBOT [FILE]...", 1, 9, ctl_operation, OF_ROBOT "trajectory", NULL, NULL, COMPUTES, "trajectory",
     "motion through waypoints, sampled", INPUTS,
     "torquectl trajectory planar-2r waypoints='0,0;1,0.5' durations_s=1 timing=quintic interval_s=0.1 -o csv"},
    {"simulate", "ROBOT [FILE]...", 1, 9, ctl_operation, OF_ROBOT "simulate", NULL, NULL, JOB, "simulate",
     "motion that torques or a controller cause", INPUTS WAITS,
     "torquectl simulate planar-2r initial.q=0.1,0 duration_s=2 output.interval_s=0.01 -o csv >run.csv"},
    {"ensemble", "ROBOT [FILE]...", 1, 9, ctl_operation, OF_ROBOT "ensemble", NULL, NULL, JOB, "ensemble",
     "many simulations that differ in what varies", INPUTS WAITS, "torquectl ensemble panda payloads.json --follow"},
    {"excitation", "ROBOT [FILE]...", 1, 9, ctl_operation, OF_ROBOT "excitation", NULL, NULL, JOB, "excitation",
     "motion worth recording for a calibration", INPUTS WAITS, "torquectl excitation panda tries=100 interval_s=0.01 -o csv >motion.csv"},
    {"calibrate", "ROBOT [DATASET|LOG]...", 1, 200, ctl_calibrate, OF_ROBOT "calibrate", NULL, NULL, JOB, "calibrate",
     "parameters from measured motion",
     "A word that names a file is stored as a dataset first, under its name and digest." WAITS,
     "torquectl calibrate panda run1.csv run2.csv filter.cutoff_hz=8 --follow -o json >found.json"},
    {"compare", "A B", 0, 2, ctl_compare, "POST", "/v1/compare", NULL, NULL, COMPUTES, "compare",
     "two datasets or results, column by column", "A and B are datasets, files, or results as job:ID.",
     "torquectl compare measured.csv job:ID columns=q_0,q_1"},
    {"drive", "[FILE]...", 0, 9, ctl_operation, "POST", "/v1/drive", NULL, NULL, COMPUTES, "drive",
     "motor, gear and amplifier by themselves", INPUTS, "torquectl drive drive.json voltage=24"},
    {"inertia", "[FILE]...", 0, 9, ctl_operation, "POST", "/v1/inertia", NULL, NULL, COMPUTES, "inertia",
     "mass, centre and inertia of bodies put together", INPUTS, "torquectl inertia bodies.json"},
    {"rigid-body", "[FILE]...", 0, 9, ctl_operation, "POST", "/v1/rigid-body", NULL, NULL, COMPUTES, "rigid-body",
     "rotations, twists and wrenches of one body", INPUTS, "torquectl rigid-body body.json"},
    {"robots list", "", 0, 0, ctl_show, "GET", "/v1/robots", "robots", "name nv source builtin digest", 0, NULL, "all robots", "", ""},
    {"robots get", "NAME", 1, 1, ctl_show, "GET", "/v1/robots/%s", NULL, NULL, 0, NULL, "the robot document: joints, links, limits", "", "torquectl robots get panda -o json"},
    {"robots put", "NAME FILE", 2, 2, ctl_robot_put, "PUT", "/v1/robots/%s", NULL, NULL, CTL_O_STRICT, NULL,
     "create or replace from URDF, MJCF or a robot document",
     "What was read of the file, what was ignored, and the findings of the doctor come on standard error, a line each.", "torquectl robots put arm arm.urdf --strict"},
    {"robots check", "FILE...", 1, 64, ctl_robot_check, "PUT", "/v1/robots/%s", NULL, NULL, CTL_O_STRICT, NULL,
     "findings of a file as a compiler prints them; stores nothing",
     "FILE:LINE: doctor: what is wrong. Sent with `dry_run=true`.", "torquectl robots check --strict arm.urdf"},
    {"robots delete", "NAME", 1, 1, ctl_show, "DELETE", "/v1/robots/%s", NULL, NULL, 0, NULL, "delete", "", ""},
    {"datasets list", "", 0, 0, ctl_show, "GET", "/v1/datasets", "datasets", "name rows columns bytes media_type created sha256", 0, NULL, "all datasets", "", ""},
    {"datasets describe", "NAME", 1, 1, ctl_show, "GET", "/v1/datasets/%s", "statistics", "# name min max mean not_finite", 0, NULL, "columns and their statistics", "", ""},
    {"datasets get", "NAME [FILE]", 1, 2, ctl_download, "GET", "/v1/datasets/%s/content", NULL, NULL, 0, NULL, "the bytes", "", ""},
    {"datasets put", "NAME FILE", 2, 2, ctl_upload, "PUT", "/v1/datasets/%s", NULL, NULL, 0, NULL, "create or replace from CSV, NPY and what else the service reads", "", "torquectl datasets put run7 run7.csv"},
    {"datasets delete", "NAME", 1, 1, ctl_show, "DELETE", "/v1/datasets/%s", NULL, NULL, 0, NULL, "delete", "", ""},
    {"jobs list", "", 0, 0, ctl_show, "GET", "/v1/jobs", "jobs", "id kind robot state progress.fraction created", CTL_O_FILTER, NULL, "the newest jobs", "", "torquectl jobs list --state failed --newer-than 1d"},
    {"jobs get", "ID", 1, 1, ctl_show, "GET", "/v1/jobs/%s", NULL, NULL, 0, NULL, "one job", "", ""},
    {"jobs wait", "ID", 1, 1, ctl_job_wait, "GET", "/v1/jobs/%s", NULL, NULL, CTL_O_PATIENCE, NULL, "wait until it has ended",
     "A bar with the time that is left on a terminal, a line for each change with --follow, silence in a pipe. Changes come by the job's event stream, or by asking again where there is none. Exit status 5: it failed or was cancelled.", ""},
    {"jobs result", "ID [FILE]", 1, 2, ctl_job_result, "GET", "/v1/jobs/%s/result", NULL, NULL, CTL_O_FIELD | CTL_O_FILE, NULL, "its result, by -o; --field NAME: one array or attachment", "", "torquectl jobs result ID -o csv run.csv\ntorquectl jobs result ID --field robot.urdf arm.urdf"},
    {"jobs report", "ID [FILE]", 1, 2, ctl_download, "GET", "/v1/jobs/%s/report", NULL, NULL, 0, NULL, "the report of a calibration, one HTML page", "", ""},
    {"jobs request", "ID [FILE]", 1, 2, ctl_download, "GET", "/v1/jobs/%s/request", NULL, NULL, 0, NULL, "the exact request", "", ""},
    {"jobs cancel", "ID", 1, 1, ctl_show, "POST", "/v1/jobs/%s/cancel", NULL, NULL, 0, NULL, "cancel at the next step", "", ""},
    {"jobs delete", "[ID]", 0, 1, ctl_job_delete, "DELETE", "/v1/jobs/%s", NULL, NULL, CTL_O_FILTER | CTL_O_YES, NULL, "a finished job and its result, or all of a filter",
     "With --state, --older-than, --newer-than instead of an ID jobs are counted, and with --yes deleted.", "torquectl jobs delete --state succeeded,failed --older-than 7d --yes"},
    {"status", "", 0, 0, ctl_show, "GET", "/v1/version", NULL, NULL, 0, NULL, "name and version of the service", "", ""},
    {"ready", "", 0, 0, ctl_show, "GET", "/readyz", NULL, NULL, 0, NULL, "whether the service takes work", "Exit status 0 if it does; 1: it starts, stops, is overloaded or does not answer. Needs no token.", "torquectl -s unix:/run/torqued.sock --timeout 5 --retries 0 ready"},
    {"top", "", 0, 0, ctl_top, "GET", "/v1/jobs", NULL, NULL, CTL_O_TOP, NULL, "live view of jobs and rates", "Ends with Ctrl-C. In a pipe: one snapshot.", ""},
    {"docs", "[COMMAND]", 0, 2, ctl_docs, "GET", "/docs", NULL, NULL, 0, NULL, "where the service's own pages are", "", ""},
    {"contexts list", "", 0, 0, ctl_contexts_list, NULL, NULL, "contexts", "name server token_file in_use", 0, NULL, "servers by name", "They are kept in $XDG_CONFIG_HOME/torquectl/contexts, by default ~/.config.", ""},
    {"contexts set", "NAME", 1, 1, ctl_contexts_set, NULL, NULL, NULL, NULL, 0, NULL, "name a server: -s URL, --token-file FILE", "The first one is in use at once.", "torquectl contexts set lab -s http://lab:8420 --token-file ~/.torqued-token"},
    {"contexts use", "NAME", 1, 1, ctl_contexts_use, NULL, NULL, NULL, NULL, 0, NULL, "take this server from now on", "", ""},
    {"contexts delete", "NAME", 1, 1, ctl_contexts_delete, NULL, NULL, NULL, NULL, 0, NULL, "forget a server", "", ""},
    {"token list", "", 0, 0, ctl_token_list, NULL, NULL, "tokens", "name id roles expires state", CTL_O_TOKENS, NULL, "clients' tokens: names, roles, expiry", "", ""},
    {"token create", "NAME ROLES [ATTRIBUTE=VALUE]...", 1, 16, ctl_token_create, NULL, NULL, NULL, NULL, CTL_O_TOKENS, NULL,
     "make a token, and print it this once",
     "Works on the file of the setting `credentials`, which holds digests only; needs no running service. ROLES is roles=read,compute,write,admin: some of them. "
     "expires=90d or a date ends it. torqued(8) lists all attributes.",
     "torquectl token create dashboard roles=read expires=90d\ntorquectl token create cell roles=read,compute --credentials ./tokens"},
    {"token revoke", "NAME [ID]", 1, 2, ctl_token_revoke, NULL, NULL, NULL, NULL, CTL_O_TOKENS, NULL, "remove all tokens of a client, or one", "", ""},
    {"token rotate", "NAME [TIME]", 1, 2, ctl_token_rotate, NULL, NULL, NULL, NULL, CTL_O_TOKENS, NULL, "a new token beside the old one",
     "The old one ends after TIME, by default 1d; until then both are valid.", "torquectl token rotate cell 7d"},
    {"backup", "FILE", 1, 1, ctl_backup, "POST", "/v1/backup", NULL, NULL, 0, NULL, "everything, consistent, while the service runs",
     "A tar archive of mode 0600, checked at once as by `verify`; a faulty one is kept, and the exit status is 1.", "torquectl backup /srv/backup/torqued.tar"},
    {"verify", "FILE", 1, 1, ctl_verify_archive, NULL, NULL, NULL, NULL, 0, NULL, "check a backup: complete, unchanged, database sound", "Needs no running service.", ""},
    {"completion", "bash|zsh|fish", 1, 1, ctl_completion, NULL, NULL, NULL, NULL, 0, NULL, "completion for a shell, on standard output", "`make install` installs all three.", "source <(torquectl completion bash)"},
    {"help", "[COMMAND]", 0, 2, ctl_help, NULL, NULL, NULL, NULL, 0, NULL, "this text, or that of one command", "", "torquectl help id"},
    {"version", "", 0, 0, ctl_version, NULL, NULL, NULL, NULL, 0, NULL, "version of torquectl", "", ""},
};
/* clang-format on */
const size_t ctl_n_command = sizeof ctl_commands / sizeof ctl_commands[0];
