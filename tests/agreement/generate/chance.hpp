// What random trials are drawn with.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "agreement/trial/data.hpp"

namespace multifold::agreement {

class chance {
 public:
  chance(std::uint64_t seed, std::uint64_t index) : state_(mixed(seed, index)) {}
  std::uint64_t bits() { return mixed(state_, ++drawn_); }
  std::int64_t between(std::int64_t least, std::int64_t greatest) {
    return least + static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(greatest - least + 1));
  }
  bool percent(int p) { return between(0, 99) < p; }
  double unit() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  template <class T, std::size_t N>
  T one_of(const std::array<T, N>& all) {
    return all[bits() % N];
  }
  template <class T>
  void shuffle(std::vector<T>& list) {
    for (std::size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[bits() % i]);
  }

 private:
  std::uint64_t state_, drawn_ = 0;
};

}  // namespace multifold::agreement
