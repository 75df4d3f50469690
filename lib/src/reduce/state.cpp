// States by their kind: loaded, merged, rounded.
#include "multifold/state.hpp"

#include <cstring>
#include <string>

#include "multifold/error.hpp"
#include "multifold/exact/blob.hpp"
#include "multifold/exact/finish.hpp"
#include "multifold/reduction.hpp"

namespace multifold {
namespace {

// Calls `f` with a sum of `kind`, which is empty.
template <class F>
auto visit_sum(exact_kind kind, const F& f) {
  return visit_floating(kind.element, [&]<class T>() { return kind.products ? f(exact_dot<T>()) : f(exact_sum<T>()); });
}

template <exact_format Format>
std::vector<std::byte> saved(const exact_accumulator<Format>& sum) {
  std::vector<std::byte> state(exact_state_bytes<Format>);
  save_exact(sum, state);
  return state;
}

}  // namespace

std::vector<std::byte> empty_state(dtype element) {
  if (!is_floating(element)) {
    throw unsupported_error("there are no states of " + std::string(name(element)) +
                            ": f16, bf16, f32 and f64 have them");
  }
  return visit_sum({element, false}, [](const auto& none) { return saved(none); });
}

std::vector<std::byte> merge_states(std::span<const std::byte> a, std::span<const std::byte> b) {
  return visit_sum(exact_state_kind(a), [&](auto sum) {
    merge_exact(sum, a);
    merge_exact(sum, b);
    return saved(sum);
  });
}

void round_state(std::span<const std::byte> state, op_kind op, dtype result, void* out) {
  if (!has_exact_form(op) || !is_floating(result)) {
    throw unsupported_error("a state has no " + std::string(name(op)) + " as " + std::string(name(result)) +
                            ": sum and mean as f16, bf16, f32 or f64 can be had");
  }
  alignas(8) std::byte value[8];
  visit_sum(exact_state_kind(state), [&](auto sum) {
    merge_exact(sum, state);
    round_to(op == op_kind::mean ? exact_mean(sum) : exact_total(sum), result, value);
  });
  std::memcpy(out, value, static_cast<std::size_t>(item_bytes(result)));
}

}  // namespace multifold
