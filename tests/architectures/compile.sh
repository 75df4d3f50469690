#!/usr/bin/env bash
# Compiles one instance of every family of kernels for a GPU that the build itself is not for:
#   compile.sh NVCC [ARCHITECTURE...]
# Without architectures, it is one of those below: each commit has its turn by its hash, sources without git by the day.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

architectures=(80 86 89 100 120)
instances=(extremum arg_extremum tally sum_integer product_integer exact_sum_f32 moment_tiles/2_bytes moment_tiles/bf16 moments_f32)
sources=("${instances[@]/#/instances/}" keys/offsets keys/group_sums keys/sort)

nvcc=$1
shift
if (($# == 0)); then
  number=$(git rev-parse --short=7 HEAD 2>/dev/null) || number=$(date +%j)
  set -- "${architectures[16#$number % ${#architectures[@]}]}"
fi
known=$("$nvcc" --list-gpu-arch)
for architecture in "$@"; do
  if ! grep -qx "compute_$architecture" <<<"$known"; then
    echo "SKIPPED: $nvcc does not know compute_$architecture" >&2
    exit 77
  fi
  for source in "${sources[@]}"; do
    echo "sm_$architecture: $source"
    "$nvcc" -cubin "-arch=sm_$architecture" -std=c++20 -O3 -fmad=false --expt-relaxed-constexpr -Werror all-warnings \
      -DMULTIFOLD_NO_CONTRACTION -I lib/include -I lib/src "lib/src/device/$source.cu" -o /dev/null
  done
done
