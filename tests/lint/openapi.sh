#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tests/lint/openapi.sh - api/openapi/generated/openapi_json.c is what api/openapi/generate.py makes of api/openapi/openapi.yaml, which is valid OpenAPI and keeps what api/published/v1.yaml promised.
set -eu
python=build/venv/bin/python
[ -x $python ] || python=python3
$python -c 'import yaml' 2>/dev/null || { echo "openapi: SKIPPED, PyYAML is not installed (make deps-check)"; exit 0; }
mkdir -p build/lint
$python api/openapi/generate.py api/openapi/openapi.yaml build/lint/openapi_json.c
cmp -s api/openapi/generated/openapi_json.c build/lint/openapi_json.c || { echo "api/openapi/generated/openapi_json.c is not made from api/openapi/openapi.yaml: make openapi"; exit 1; }
$python tests/lint/contract.py api/openapi/openapi.yaml api/published/v1.yaml
$python -c 'import openapi_spec_validator' 2>/dev/null || { echo "openapi: validity SKIPPED, openapi-spec-validator is not installed (make deps-check)"; exit 0; }
$python - api/openapi/openapi.yaml <<'END'
import sys

import openapi_spec_validator
import yaml

with open(sys.argv[1], encoding="utf-8") as file:
    document = yaml.safe_load(file)
errors = list(openapi_spec_validator.OpenAPIV31SpecValidator(document).iter_errors())
for error in errors:
    print(f"{sys.argv[1]}: /{'/'.join(map(str, error.absolute_path))}: {error.message}")
sys.exit(bool(errors))
END
