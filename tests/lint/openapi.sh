#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tests/lint/openapi.sh - api/openapi_json.c is what api/openapi_json.py makes of api/openapi.yaml.
set -eu
python=build/venv/bin/python
[ -x $python ] || python=python3
$python -c 'import yaml' 2>/dev/null || { echo "openapi: SKIPPED, PyYAML is not installed (make deps-check)"; exit 0; }
mkdir -p build/lint
$python api/openapi_json.py api/openapi.yaml build/lint/openapi_json.c
cmp -s api/openapi_json.c build/lint/openapi_json.c || { echo "api/openapi_json.c is not made from api/openapi.yaml: make openapi"; exit 1; }
