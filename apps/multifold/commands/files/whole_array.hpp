// An array of a file that is held in memory as a whole: what is not reduced chunk by chunk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <vector>

#include "multifold/source.hpp"
#include "multifold/stop_signal.hpp"
#include "multifold/view.hpp"

namespace multifold::app {

class whole_array {
 public:
  /// Reads `input` from its first element to its last. Throws: what reading throws; out_of_memory; cancelled_error soon
  /// after `stop` asks for it.
  explicit whole_array(source& input, const stop_signal& stop = {},
                       const std::function<void(std::int64_t bytes_read)>& progress = {});

  const array_view& view() const { return view_; }

 private:
  struct release {
    void operator()(std::byte* memory) const { std::free(memory); }
  };

  void make_room(std::int64_t bytes);

  std::unique_ptr<std::byte, release> memory_;
  std::int64_t filled_ = 0, room_ = 0;  // bytes
  array_view view_;
};

/// The array of a file, which --where (of bool) or --weights names. Failures name the file.
whole_array read_marks(const std::string& file);
whole_array read_weights(const std::string& file);

}  // namespace multifold::app
