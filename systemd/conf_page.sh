#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# systemd/conf_page.sh - torqued.conf(5), in scdoc, out of the table of settings that `torqued --help` prints: conf_page.sh TORQUED
set -eu
cat <<'E2'
torqued.conf(5)

# NAME

torqued.conf - settings of torqued(8)

# DESCRIPTION

A file with one section, _[torqued]_, and lines _name = value_. Lines that begin with _#_ or _;_ are comments. A setting that is not
there has its default. An unknown name, a value out of range and a name given twice are faults: the service does not start (status 78), a reload
changes nothing. *torqued --config* _FILE_ *--check-config* checks a file and prints all settings as they are in force on this machine.

Times have a unit: _ms_, _s_, _min_, _h_ or _d_; sizes _KiB_, _MiB_ or _GiB_, or none: bytes. Settings with a flag can be given on the
command line too, where they take precedence. The unit reads _/etc/torqued/torqued.conf_. SIGHUP (*systemctl reload torqued*) applies
_origins_, _hosts_, _log_level_ and _log_format_; others wait for a restart, and the log names them.

# SETTINGS

E2
"$1" --help | sed '1,/^Settings/d' | awk '
/^  [a-z]/ { name = $1; flag = $2; sub(/,$/, "", name); printf "\n*%s*%s\n", name, flag != "" ? ", *" flag "*" : ""; next }
/^      / {
    sub(/^ +/, "")
    gsub(/[\\*_~`]/, "\\\\&")
    gsub(/<[^>]*>/, "\\\\&")
    sub(/^\[/, "\\[")
    printf "\t%s%s\n", $0, / default /||/^default/ ? "" : "++"
}'
cat <<'E2'

# EXAMPLE

	\[torqued]++
	listen = 0.0.0.0:8420++
	credentials = /etc/torqued/tokens++
	hosts = robots.lab.example++
	jobs\_keep = 90d

# SEE ALSO

*torqued*(8), *torquectl*(1)
E2
