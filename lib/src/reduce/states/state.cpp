// States as values, and as bytes by their kind: loaded, merged, finished.
#include "multifold/state.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "multifold/error.hpp"
#include "multifold/exact/blob.hpp"
#include "multifold/exact/finish.hpp"
#include "multifold/reduction.hpp"
#include "reduce/states/contents.hpp"

namespace multifold::inline v0_1 {
namespace {

using detail::state_contents;

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

void round_exact_sum(std::span<const std::byte> state, op_kind op, dtype result, void* out) {
  if (!has_exact_form(op) || !is_floating(result)) {
    throw unsupported_error("a state of one exact sum has no " + std::string(name(op)) + " as " +
                            std::string(name(result)) + ": sum and mean as f16, bf16, f32 or f64 can be had");
  }
  alignas(8) std::byte value[8];
  visit_sum(exact_state_kind(state), [&](auto sum) {
    merge_exact(sum, state);
    round_to(op == op_kind::mean ? exact_mean(sum) : exact_total(sum), result, value);
  });
  std::memcpy(out, value, static_cast<std::size_t>(item_bytes(result)));
}

}  // namespace

state::state(op_kind op, dtype element, std::vector<std::int64_t> extents, nan_policy nan)
    : contents_(std::make_unique<state_contents>(detail::empty_contents(op, element, std::move(extents), nan))) {}

state::state(std::span<const std::byte> bytes)
    : contents_(std::make_unique<state_contents>(detail::decode_state(bytes))) {}

state::state(const state& other) : contents_(std::make_unique<state_contents>(*other.contents_)) {}
state::state(state&& other) noexcept = default;
state& state::operator=(const state& other) { return *this = state(other); }
state& state::operator=(state&& other) noexcept = default;
state::~state() = default;

std::vector<std::byte> state::bytes() const { return detail::encode(*contents_); }
bool state::has(op_kind op) const noexcept { return contents_->has(op); }
dtype state::element() const noexcept { return contents_->element; }
const std::vector<std::int64_t>& state::extents() const noexcept { return contents_->extents; }
std::int64_t state::count() const noexcept { return contents_->count; }
std::span<const std::int64_t> state::counts() const noexcept { return contents_->counts; }
std::string state::name() const { return contents_->name(); }

std::int64_t state::end() const noexcept {
  return contents_->runs.empty() ? 0 : contents_->runs.back().first + contents_->runs.back().count;
}

void state::move(std::int64_t by) { detail::move(*contents_, by); }
void state::merge(const state& other) { detail::merge(*contents_, *other.contents_); }

reduce_result state::finish(op_kind op, const finish_options& options) const {
  return detail::finish(*contents_, op, options);
}

std::vector<std::byte> empty_state(dtype element) {
  if (!is_floating(element)) {
    throw unsupported_error("there are no such states of " + std::string(name(element)) +
                            ": f16, bf16, f32 and f64 have them, and class state has those of integers");
  }
  return visit_sum({element, false}, [](const auto& none) { return saved(none); });
}

std::vector<std::byte> merge_states(std::span<const std::byte> a, std::span<const std::byte> b) {
  if (detail::is_exact_blob(a) && detail::is_exact_blob(b)) {
    return visit_sum(exact_state_kind(a), [&](auto sum) {
      merge_exact(sum, a);
      merge_exact(sum, b);
      return saved(sum);
    });
  }
  state both(a);
  both.merge(state(b));
  return both.bytes();
}

void round_state(std::span<const std::byte> in, op_kind op, dtype result, void* out) {
  if (detail::is_exact_blob(in)) return round_exact_sum(in, op, result, out);
  const state from(in);
  if (op == op_kind::describe) throw unsupported_error("a description is no number: state::finish makes it");
  const reduce_result made = from.finish(op, {.result = result});
  if (static_cast<std::int64_t>(made.data.size()) != item_bytes(result)) {
    throw shape_error("a state of " + from.name() + " has several results: state::finish makes them");
  }
  std::memcpy(out, made.data.data(), made.data.size());
}

}  // namespace multifold::inline v0_1
