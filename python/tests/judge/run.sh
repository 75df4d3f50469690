#!/usr/bin/env bash
# The tests of reductions in data-apis/array-api-tests, a clone of which (with its submodule) is in the folder $1.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
cd "$1"
export PYTHONPATH="${PYTHONPATH:+$PYTHONPATH:}$here"
export ARRAY_API_TESTS_MODULE=multifold_namespace ARRAY_API_TESTS_VERSION=2025.12
names='test_max or test_mean or test_min or test_prod or test_std or test_sum or test_var or argmax or argmin'
names+=' or count_nonzero or test_all or test_any or vector_norm or vecdot'
special='test_special_cases and (sum or prod or mean or std or var or (max and not maximum) or (min and not minimum))'
exec "${PYTHON:-python3}" -m pytest -q -p no:cacheprovider -W ignore --max-examples "${2:-300}" -k "$names or ($special)" \
  array_api_tests/test_{statistical_functions,searching_functions,utility_functions,linalg,special_cases}.py
