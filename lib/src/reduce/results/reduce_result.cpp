// What results give out: numbers of the dtype that they have, or of another one that has them, too.
#include <cmath>
#include <cstring>
#include <string>
#include <type_traits>

#include "multifold/error.hpp"
#include "multifold/reduce.hpp"
#include "multifold/types/scalar.hpp"

namespace multifold::inline v0_1 {
namespace {

// An integer, or else a real number.
struct number {
  bool real = false;
  int128_t integer = 0;
  double value = 0;
};

number read(dtype type, const void* from) {
  return visit_dtype(type, [&]<storage_type T>() -> number {
    T x;
    std::memcpy(&x, from, sizeof x);
    if constexpr (floating_storage<T>) return {true, 0, to_double(x)};
    else if constexpr (std::is_same_v<T, bool8>) return {false, x.bits != 0 ? 1 : 0, 0};
    else return {false, x, 0};
  });
}

bool is_integer(double x) { return std::fabs(x) < 0x1p65 && std::trunc(x) == x; }

// Whether `wanted` has the number: at `out` then.
bool convert_exactly(dtype type, const void* from, dtype wanted, void* out) {
  number x = read(type, from);
  if (x.real && !is_floating(wanted)) {
    if (!is_integer(x.value)) return false;
    x = {false, static_cast<int128_t>(x.value), 0};
  }
  const scalar exact = x.real ? scalar::of_real(x.value, 1) : scalar::of_integer(x.integer, 1);
  if (store(exact, wanted, out) != status::ok) return false;
  const number y = read(wanted, out);
  if (!y.real) return true;
  if (x.real) return x.value == y.value || (std::isnan(x.value) && std::isnan(y.value));
  return is_integer(y.value) && static_cast<int128_t>(y.value) == x.integer;
}

void check_dtype(dtype is, dtype wanted) {
  if (wanted == is) return;
  throw shape_error("the result is " + std::string(name(is)) + ", and " + std::string(name(wanted)) + " was asked for");
}

[[noreturn]] void throw_elsewhere() { throw shape_error("the result stands in the memory that was given for it"); }

}  // namespace

void reduce_result::copy_value(dtype wanted, void* out) const {
  check_dtype(type, wanted);
  check_single();
  std::memcpy(out, data.data(), data.size());
}

void reduce_result::convert_value(dtype wanted, void* out) const {
  check_single();
  if (convert_exactly(type, data.data(), wanted, out)) return;
  throw overflow_error("the result is an " + std::string(name(type)) + " that no " + std::string(name(wanted)) +
                       " is equal to; ask for another dtype of the result");
}

const void* reduce_result::checked_values(dtype wanted) const {
  if (used.what.op == op_kind::describe) throw shape_error("results of describe are summaries, and no values");
  check_dtype(type, wanted);
  if (data.empty() && element_count(extents) > 0) throw_elsewhere();
  return data.data();
}

void reduce_result::check_single() const {
  if (data.empty() && extents.empty()) throw_elsewhere();
  if (static_cast<std::int64_t>(data.size()) != item_bytes(type)) {
    throw shape_error("the result has shape " + to_string(extents) + ", and a single value was asked for");
  }
}

void reduce_result::check_described(dtype element, dtype real) const {
  if (element != used.what.input || real != type) {
    throw shape_error("the summary is one of " + std::string(name(used.what.input)) + " with results of " +
                      std::string(name(type)) + ", and " + std::string(name(element)) + " with " +
                      std::string(name(real)) + " was asked for");
  }
}

const summary& reduce_result::described(std::int64_t index) const {
  constexpr auto item = static_cast<std::int64_t>(sizeof(summary));
  const std::int64_t made = used.what.op == op_kind::describe ? static_cast<std::int64_t>(data.size()) / item : 0;
  if (index < 0 || index >= made) {
    throw shape_error("summary " + std::to_string(index) + " was asked for, and the result holds " +
                      std::to_string(made));
  }
  return reinterpret_cast<const summary*>(data.data())[index];
}

}  // namespace multifold::inline v0_1
