// Names every part of the engine.
#include "host/every_part.hpp"

namespace multifold::inline v0_1::host {

const std::array<engine_part*, part_count> every_part = {
    integer_sum_fold, real_sum,        f16_exact_sum,        bf16_exact_sum,
    f32_exact_sum,    f64_exact_sum,   integer_product_fold, real_product,
    integer_extremum, real_extremum,   integer_arg_extremum, real_arg_extremum,
    tallies,          integer_moments, f16_moments,          bf16_moments,
    f32_moments,      f64_moments};

}  // namespace multifold::inline v0_1::host
