// What a lane gathers of a run in one tile, in the least that holds so many elements: a tile has fewer than 2^15 of a
// run, whose numbers fit half a word.
#pragma once

#include <cstdint>
#include <type_traits>

#include "multifold/cuda/kernels/absorb/packed.cuh"
#include "multifold/plan/policy.hpp"

namespace multifold::inline v0_1::cuda::kernels {

/// The index of a run's element in its batch.
struct run_indices {
  std::int64_t first, step;
  __device__ std::int64_t operator[](int number) const { return first + number * step; }
};

/// Where lanes hold too few elements: the accumulator.
template <class Op>
struct no_lane {
  using type = typename Op::accumulator;
  static constexpr std::int64_t capacity = INT64_MAX;
  __device__ static type identity(const Op& op) { return op.identity(); }
  __device__ static type absorb(const Op& op, const type& l, typename Op::value_type x, std::int64_t i) {
    return op.combine(l, op.lift(x, i));
  }
  __device__ static type widen(const Op&, const type& l) { return l; }
};

/// Any operation: its own lane. One that is the accumulator itself stays from tile to tile; others are merged into it
/// behind each run.
template <class Op>
struct run_lane {
  using lane = std::conditional_t<(lane_of<Op>::capacity >= most_run_share), lane_of<Op>, no_lane<Op>>;
  using type = typename lane::type;
  using accumulator = typename Op::accumulator;
  static constexpr bool stays = lane::capacity == INT64_MAX && std::is_same_v<type, accumulator>;

  __device__ static type identity(const Op& op) { return lane::identity(op); }
  __device__ static void absorb(const Op& op, type& l, typename Op::value_type x, int number,
                                const run_indices& index) {
    l = lane::absorb(op, l, x, index[number]);
  }
  __device__ static accumulator widen(const Op& op, const type& l, const run_indices&) { return lane::widen(op, l); }
};

/// Products of integers go on from tile to tile, too.
template <class C>
struct run_lane<carried_product<C>> {
  using op_type = carried_product<C>;
  using type = pending_product;
  using accumulator = typename op_type::accumulator;

  __device__ static type resumed(const accumulator& kept) { return {kept, 1}; }
  __device__ static accumulator widen(const op_type& op, const type& l, const run_indices&) {
    return op.kind == integer_kind::with_sign ? l.value<std::int64_t>() : l.value<std::uint64_t>();
  }
};

/// The least key of a run and the number of its element, the first of equals: one word, but for keys of 8 bytes.
template <class Key>
struct numbered_least {
  static constexpr bool packed = sizeof(Key) <= 4;
  static constexpr int none = 0xffff;
  using word = std::conditional_t<sizeof(Key) <= 2, std::int32_t, std::int64_t>;
  static constexpr int half = 8 * (sizeof(word) - sizeof(Key));  // bits of a number, below the key
  struct pair {
    Key key;
    int number;
  };
  std::conditional_t<packed, word, pair> least;

  __device__ numbered_least() {
    if constexpr (packed) least = pack(greatest_key<Key>, none);
    else least = {greatest_key<Key>, none};
  }
  __device__ void see(Key k, int number) {
    if constexpr (packed) {
      least = min(least, pack(k, number));
    } else {
      const bool better = k < least.key || (k == least.key && number < least.number);
      least.key = better ? k : least.key;
      least.number = better ? number : least.number;
    }
  }
  /// Of a key that stands in the upper half of a word, whose lower half is zero.
  __device__ void see_upper(std::int32_t upper, int number) requires(sizeof(Key) == 2) {
    least = min(least, upper + number);
  }
  __device__ void merge(const numbered_least& other) {
    if constexpr (packed) least = min(least, other.least);
    else see(other.least.key, other.least.number);
  }
  __device__ Key key() const {
    if constexpr (packed) return static_cast<Key>(least >> half);
    else return least.key;
  }
  __device__ int number() const {
    if constexpr (packed) return static_cast<int>(least & ((word{1} << half) - 1));
    else return least.number;
  }

 private:
  // Numbers are not negative.
  __device__ static word pack(Key k, int number) {
    return static_cast<word>(k) * (word{1} << half) | static_cast<word>(static_cast<unsigned>(number));
  }
};

/// The least word of a run and the number of its element, the first of equals.
template <class T>
struct first_least {
  using words = order_words<T>;
  typename words::word least;
  int number;

  first_least() = default;
  /// Of a lane whose numbers ascend from `first` on: that is the number, too, where all words are as great as can be.
  __device__ first_least(const typename words::policy& p, int first) : least(words::greatest(p)), number(first) {}
  __device__ void see_next(const typename words::policy& p, typename words::word w, int at) {
    number = words::lower(p, least, w) ? at : number;
  }
  /// In any order, if it began with a number greater than all.
  __device__ void see(const typename words::policy& p, typename words::word w, int at) {
    const bool less = words::lower(p, least, w);
    number = words::is_least(p, w, least) && (less || at < number) ? at : number;
  }
};

/// Indices of extrema of integers of 1 and 2 bytes: (key, number) is one word.
template <class T>
struct run_lane<arg_extremum<T>> {
  using op_type = arg_extremum<T>;
  using key = key_of<T>;
  using type = numbered_least<key>;
  using accumulator = typename op_type::accumulator;
  static constexpr bool stays = false;

  __device__ static type identity(const op_type&) { return {}; }
  __device__ static void absorb(const op_type& op, type& l, T x, int number, const run_indices&) {
    // The key of x in the upper bits of a word is that of 0 and a multiple of x: ~x is -x - 1.
    constexpr int up = 32 - 8 * static_cast<int>(sizeof(T));
    const bool greatest = (op.policy.flip & 1) != 0;
    const unsigned scale = greatest ? 0u - (1u << up) : 1u << up;
    const unsigned zero = static_cast<unsigned>(op.policy.flip) << up;
    unsigned value;
    if constexpr (std::is_same_v<T, any_byte>) value = op.policy.truth ? x.bits != 0 : x.bits;
    else value = static_cast<unsigned>(static_cast<int>(x));
    l.least = min(l.least, static_cast<std::int32_t>(value * scale + (zero + static_cast<unsigned>(number))));
  }
  __device__ static accumulator widen(const op_type& op, const type& l, const run_indices& index) {
    if (l.number() == type::none) return op.identity();
    return {l.key(), index[l.number()]};
  }
};

/// Of all others.
template <class T>
requires(floating_storage<T> || sizeof(T) > 2) struct run_lane<arg_extremum<T>> {
  using op_type = arg_extremum<T>;
  using words = order_words<T>;
  using type = first_least<T>;
  using accumulator = typename op_type::accumulator;
  static constexpr bool stays = false;

  __device__ static type identity(const op_type& op) { return {op.policy, numbered_least<key_of<T>>::none}; }
  __device__ static void absorb(const op_type& op, type& l, T x, int number, const run_indices&) {
    l.see(op.policy, words::of(op.policy, x), number);
  }
  __device__ static void absorb_next(const op_type& op, type& l, T x, int number) {
    l.see_next(op.policy, words::of(op.policy, x), number);
  }
  __device__ static accumulator widen(const op_type& op, const type& l, const run_indices& index) {
    const auto key = words::key_at(op.policy, l.least);
    // The greatest key of a float is a NaN that is omitted.
    if (floating_storage<T> && key == greatest_key<key_of<T>>) return op.identity();
    return {key, index[l.number]};
  }
};

/// Extrema of floating point in the words that compare in the fewest instructions.
template <class T>
requires floating_storage<T>
struct run_lane<extremum<T>> {
  using op_type = extremum<T>;
  using words = order_words<T>;
  using accumulator = typename op_type::accumulator;
  using type = typename words::word;
  static constexpr bool stays = false;

  __device__ static type identity(const op_type& op) { return words::greatest(op.policy); }
  __device__ static void absorb(const op_type& op, type& l, T x, int, const run_indices&) {
    l = words::lesser(op.policy, l, words::of(op.policy, x));
  }
  __device__ static accumulator widen(const op_type& op, const type& l, const run_indices&) {
    return words::key_at(op.policy, l);
  }
};

/// Extrema of bytes in words of 32 bits, by two instructions an element: the byte as an unsigned number, turned round
/// for maxima, and of numbers with a sign that bit of it. Whether bytes are true is found out behind the run, since
/// what is true of the least byte is the least truth.
template <>
struct run_lane<extremum<any_byte>> {
  using op_type = extremum<any_byte>;
  using accumulator = op_type::accumulator;
  using type = std::int32_t;
  static constexpr bool stays = false;
  static constexpr bool knows_order = true;  // without with_known_order

  __device__ static type identity(const op_type&) { return INT32_MAX; }
  __device__ static void absorb(const op_type& op, type& l, any_byte x, int, const run_indices&) {
    l = min(l, static_cast<int>(x.bits) ^ turns(op));
  }
  __device__ static accumulator widen(const op_type& op, const type& l, const run_indices&) {
    if (l == INT32_MAX) return op.identity();
    return op.policy.of(any_byte{static_cast<std::uint8_t>(l ^ turns(op))});
  }

 private:
  // Keys are bytes with a sign: those of unsigned numbers have that bit turned.
  __device__ static int turns(const op_type& op) { return op.policy.flip ^ (op.policy.truth ? 0 : INT8_MIN); }
};

/// Sums of bytes: of truths, one instruction an element less than by a comparison.
template <>
struct run_lane<carried_sum<any_byte>> {
  using op_type = carried_sum<any_byte>;
  using accumulator = op_type::accumulator;
  using type = op_type::lane;
  static constexpr bool stays = false;
  static_assert(op_type::lane_capacity >= most_run_share);

  __device__ static type identity(const op_type&) { return 0; }
  __device__ static void absorb(const op_type& op, type& l, any_byte x, int, const run_indices&) {
    l += op.kind == integer_kind::truth ? static_cast<type>(is_set(x.bits)) : op.value_of(x);
  }
  __device__ static accumulator widen(const op_type&, const type& l, const run_indices&) { return l; }
};

/// Counts in words of 32 bits.
template <class C>
struct run_lane<tally<C>> {
  using op_type = tally<C>;
  using accumulator = typename op_type::accumulator;
  using type = unsigned;
  static constexpr bool stays = false;

  __device__ static type identity(const op_type&) { return 0; }
  __device__ static void absorb(const op_type& op, type& l, C x, int, const run_indices&) { l += counted(op, x); }
  __device__ static accumulator widen(const op_type&, const type& l, const run_indices&) { return l; }
};

/// A lane's value of the runs of a batch, over tiles.
template <class Op>
struct run_value {
  using lane = run_lane<Op>;
  static constexpr bool resumes = requires(const typename Op::accumulator& a) { lane::resumed(a); };
  typename Op::accumulator kept;

  run_value() = default;
  __device__ explicit run_value(const Op& op) : kept(op.identity()) {}
  /// What gathers the next run, and what has gathered one.
  __device__ typename lane::type begin(const Op& op) const {
    if constexpr (resumes) return lane::resumed(kept);
    else if constexpr (lane::stays) return kept;
    else return lane::identity(op);
  }
  __device__ void end(const Op& op, const typename lane::type& gathered, const run_indices& index) {
    if constexpr (resumes) kept = lane::widen(op, gathered, index);
    else if constexpr (lane::stays) kept = gathered;
    else kept = op.combine(kept, lane::widen(op, gathered, index));
  }
  /// What was gathered of a run by other means.
  __device__ void merge(const Op& op, const typename Op::accumulator& gathered) { kept = op.combine(kept, gathered); }
  __device__ const typename Op::accumulator& value(const Op&, const run_indices&) const { return kept; }
};

/// A thread's value of a single run that it has alone: nothing is merged.
template <class Op>
struct lone_value {
  static constexpr bool is_lone = true;
  using lane = run_lane<Op>;
  typename lane::type gathered;

  lone_value() = default;
  __device__ explicit lone_value(const Op& op) {
    if constexpr (run_value<Op>::resumes) gathered = lane::resumed(op.identity());
    else gathered = lane::identity(op);
    // The first one is the least where all are as great as can be.
    if constexpr (requires { gathered.see_next(op.policy, gathered.least, 0); }) gathered.number = 0;
  }
  __device__ const typename lane::type& begin(const Op&) const { return gathered; }
  __device__ void end(const Op&, const typename lane::type& all, const run_indices&) { gathered = all; }
  __device__ typename Op::accumulator value(const Op& op, const run_indices& index) const {
    if constexpr (run_value<Op>::resumes) return lane::widen(op, gathered, index);
    else if constexpr (lane::stays) return gathered;
    else return lane::widen(op, gathered, index);
  }
};

}  // namespace multifold::inline v0_1::cuda::kernels
