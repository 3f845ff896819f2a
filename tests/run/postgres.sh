#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tests/run/postgres.sh - run a command beside a PostgreSQL of its own: postgres.sh COMMAND...; its address is in TORQUED_POSTGRESQL.
# The server lives in a fresh folder (TORQUED_POSTGRESQL_FOLDER), on a socket there, as an unprivileged user, and goes
# with the command. 77: PostgreSQL is not installed. POSTGRES_DURABLE=1: with fsync, for tests that kill it.
set -u
programs=$(find /usr/lib/postgresql -maxdepth 2 -name bin 2>/dev/null | sort -V | tail -1)
if [ -z "$programs" ] || [ ! -x "$programs/initdb" ]; then
    echo "SKIP: PostgreSQL is not installed (make deps-cluster)"
    exit 77
fi
folder=$(mktemp -d "${TMPDIR:-/tmp}/torqued-postgres-XXXXXX")
chmod 755 "$folder"
as=()
if [ "$(id -u)" = 0 ]; then # initdb refuses root
    chown nobody "$folder"
    as=(setpriv --reuid=nobody --regid="$(id -g nobody)" --clear-groups)
fi
cd "$folder" || exit 1
leave() {
    "${as[@]}" "$programs/pg_ctl" -D "$folder/data" -m immediate -w stop >/dev/null 2>&1
    rm -rf "$folder"
}
trap leave EXIT
trap 'exit 143' INT TERM
"${as[@]}" "$programs/initdb" -D "$folder/data" -U torqued --auth=trust --encoding=UTF8 --locale=C --data-checksums --no-sync >"$folder/initdb.log" 2>&1 ||
    { cat "$folder/initdb.log"; exit 1; }
cat >>"$folder/data/postgresql.conf" <<END
unix_socket_directories = '$folder'
listen_addresses = ''
max_connections = 200
shared_buffers = 32MB
$([ -n "${POSTGRES_DURABLE:-}" ] || printf 'fsync = off\nfull_page_writes = off')
END
export TORQUED_POSTGRESQL_FOLDER=$folder TORQUED_POSTGRESQL_PROGRAMS=$programs TORQUED_POSTGRESQL_AS="${as[*]}"
export TORQUED_POSTGRESQL="postgresql:///postgres?host=$folder&user=torqued"
"${as[@]}" "$programs/pg_ctl" -D "$folder/data" -l "$folder/log" -w start >/dev/null || { cat "$folder/log"; exit 1; }
cd "$OLDPWD" || exit 1
"$@"
