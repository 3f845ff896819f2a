#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tests/run/haproxy_cluster.sh - haproxy_cluster.sh ADDRESS ADMIN_SOCKET NODE...: haproxy's settings in front of nodes (HOST:PORT each), printed.
set -eu
address=$1 admin=$2
shift 2
cat <<END
global
    stats socket $admin mode 600 level admin
defaults
    mode http
    timeout connect 2s
    # above the minute of a request that waits for its job, and the silence of a stream of events
    timeout client 70s
    timeout server 70s
    timeout http-request 30s
    option redispatch 1
    retries 3
    # what shall be sent again must be here first, up to tune.bufsize (16 KiB)
    option http-buffer-request
    # a node that ends, or dies, before it has answered anything: the request goes to another one
    retry-on conn-failure empty-response
frontend torqued
    bind $address
    default_backend nodes
backend nodes
    balance leastconn
    option httpchk
    http-check send meth GET uri /readyz ver HTTP/1.1 hdr Host localhost
    # but not what may have been done, and done twice is something else: a job without a key, a change of one version
    acl makes_a_job req.hdr(Prefer) -m sub respond-async
    acl has_key req.hdr(Idempotency-Key) -m found
    http-request disable-l7-retry if METH_POST makes_a_job !has_key
    http-request disable-l7-retry if { req.hdr(If-Match) -m found }
    default-server check inter 500ms rise 1 fall 2
END
n=0
for node in "$@"; do
    n=$((n + 1))
    echo "    server node-$n $node"
done
