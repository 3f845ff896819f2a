#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tests/lint/openapi.sh - all that api/openapi/generate.py makes is committed as it makes it; openapi.yaml is valid OpenAPI and keeps what api/published/v1.yaml promised.
set -eu
python=build/venv/bin/python
[ -x $python ] || python=python3
$python -c 'import yaml' 2>/dev/null || { echo "openapi: SKIPPED, PyYAML is not installed (make deps-check)"; exit 0; }
rm -rf build/lint/openapi
$python api/openapi/generate.py build/lint/openapi
for made in $(cd build/lint/openapi && find . -type f) $(cd api/openapi && find ./generated -name '*.[ch]'); do
    cmp -s "api/openapi/$made" "build/lint/openapi/$made" || { echo "api/openapi/$made is not what generate.py makes of the schema: make openapi"; exit 1; }
done
$python clients/python/generate.py --check
$python clients/javascript/types.py --check || { echo 'openapi: make openapi'; exit 1; }
$python clients/torquectl/fields.py --check
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
