// Arrays and sources in shares for several GPUs, and arrays that lie on several.
#include <algorithm>
#include <chrono>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <utility>

#include "multifold/devices.hpp"
#include "multifold/error.hpp"
#include "reduce/begun.hpp"
#include "reduce/device.hpp"
#include "reduce/parts/joined_parts.hpp"
#include "reduce/places.hpp"
#include "reduce/request.hpp"
#include "reduce/sources/source_slice.hpp"

namespace multifold::inline v0_1 {
namespace {

using detail::joined_parts;
using clock = std::chrono::steady_clock;

void check_options(const reduce_options& options) {
  const auto refuse = [](const char* what) {
    throw unsupported_error("several devices take no " + std::string(what) + ": reduce on one");
  };
  if (options.into.data() != nullptr || !options.into.empty()) refuse("memory for their results");
  if (options.keep_state) refuse("state");
  if (!options.checkpoint.empty()) refuse("checkpoint");
  if (options.stream != nullptr) refuse("stream");
  if (options.where) refuse("where");
  if (detail::is_forced(options.forced)) refuse("forced plan");
}

void check_devices(std::span<const int> wanted) {
  const std::vector<int> there = devices();
  if (there.empty()) {
    std::string reason;
    detail::has_device(reason);
    throw engine_error("the device engine is not there: " + reason);
  }
  if (wanted.empty()) throw engine_error("no device was named");
  for (const int each : wanted) {
    if (std::find(there.begin(), there.end(), each) != there.end()) continue;
    throw engine_error("there is no device " + std::to_string(each) + " that runs the kernels of this build; there " +
                       (there.size() == 1 ? "is 1" : "are " + std::to_string(there.size())));
  }
}

// Tells of the bytes of all lanes, by one of them at a time.
class shared_progress {
 public:
  explicit shared_progress(const reduce_options& options, std::size_t lanes) : tell_(options.progress), bytes_(lanes) {}
  // Each of them, a lane or a part, counts from 0.
  void watch(std::size_t lane, reduce_options& own) {
    if (!tell_) return;
    own.progress = [this, lane](std::int64_t bytes) {
      const std::lock_guard lock(mutex_);
      all_ += bytes - std::exchange(bytes_[lane], bytes);
      tell_(all_);
    };
  }

 private:
  const std::function<void(std::int64_t)>& tell_;
  std::mutex mutex_;
  std::vector<std::int64_t> bytes_;
  std::int64_t all_ = 0;
};

// Leaves the thread the device that it had.
class device_in_turn {
 public:
  device_in_turn() : before_(detail::device_in_use()) {}
  device_in_turn(const device_in_turn&) = delete;
  device_in_turn& operator=(const device_in_turn&) = delete;
  ~device_in_turn() {
    try {
      detail::use_device(before_);
    } catch (const error&) {  // which the next call will meet
    }
  }

 private:
  int before_;
};

// Neighbouring shares of `count`, of one item or more each.
struct share {
  std::int64_t first, count;
};
std::vector<share> shares_of(std::int64_t count, std::size_t lanes) {
  const std::int64_t most = std::clamp<std::int64_t>(count, 1, static_cast<std::int64_t>(lanes));
  std::vector<share> all;
  for (std::int64_t i = 0; i < most; ++i) {
    const std::int64_t first = count / most * i + std::min(count % most, i);
    all.push_back({first, count / most + (i < count % most ? 1 : 0)});
  }
  return all;
}

// `reduce_share(share, options)` for each, on the device of its number.
template <class F>
std::vector<reduce_result> by_devices(std::span<const int> devices, const std::vector<share>& shares,
                                      const reduce_options& options, const F& reduce_share) {
  std::vector<reduce_result> results(shares.size());
  shared_progress progress(options, shares.size());
  detail::run_lanes(shares.size(), options.stop, [&](std::size_t lane, const stop_signal& stop) {
    detail::use_device(devices[lane]);
    reduce_options own = options;
    own.engine = engine_choice::device;
    own.stop = stop;
    own.trace = lane == 0 ? options.trace : trace_sink{};
    if (options.memory_bytes > 0)
      own.memory_bytes = std::max<std::int64_t>(options.memory_bytes / static_cast<std::int64_t>(shares.size()), 1);
    progress.watch(lane, own);
    results[lane] = reduce_share(shares[lane], own);
  });
  return results;
}

// Rows of devices, one behind the other.
reduce_result stacked(std::vector<reduce_result> parts, const detail::request& whole) {
  reduce_result all = parts.front();
  for (std::size_t i = 1; i < parts.size(); ++i) {
    all.data.insert(all.data.end(), parts[i].data.begin(), parts[i].data.end());
  }
  all.extents = whole.result_extents;
  detail::add_run_of(parts, all);
  return all;
}

bool keeps_first_axis(const array_view& x, const reduce_options& options) {
  if (x.rank() == 0) return false;
  const std::vector<std::int64_t> reduced = options.axes.of(x.rank());
  return std::find(reduced.begin(), reduced.end(), 0) == reduced.end();
}

[[noreturn]] void refuse_axes() {
  throw unsupported_error("several devices reduce all axes, or keep the first one: these keep another alone");
}

// What can be reduced in shares.
struct divided {
  using reduce_share = std::function<reduce_result(op_kind, const share&, const reduce_options&)>;

  array_view shape;
  reduce_share rows;      // some of the first axis
  reduce_share elements;  // some of all, of which there are so many shares at most:
  std::int64_t most;
  std::function<reduce_result(op_kind, const reduce_options&)> all;
};

reduce_result reduce_shares(std::span<const int> devices, op_kind op, const divided& input,
                            const reduce_options& options) {
  const auto start = clock::now();
  check_options(options);
  detail::check_arrays(op, 1);
  const array_view& x = input.shape;
  const detail::request whole = detail::make_request(op, x, options);
  check_devices(devices);
  reduce_result result;
  if (x.elements() == 0) {
    reduce_options own = options;
    own.engine = engine_choice::device;
    return input.all(op, own);
  }
  if (keeps_first_axis(x, options)) {
    result = stacked(by_devices(devices, shares_of(x.extents[0], devices.size()), options,
                                [&](const share& of, const reduce_options& own) { return input.rows(op, of, own); }),
                     whole);
  } else {
    if (whole.form.results() != 1) refuse_axes();
    const joined_parts parts(op, x.type, options);
    result =
        parts.join(by_devices(devices, shares_of(input.most, devices.size()), parts.options(),
                              [&](const share& of, const reduce_options& own) { return input.elements(op, of, own); }));
    result.extents = whole.result_extents;
  }
  result.seconds = std::chrono::duration<double>(clock::now() - start).count();
  return result;
}

// Each by the GPU that has it, and all of them at once: threads that wait for a GPU each would take longer to start, and
// to wake, than a gigabyte.
std::vector<detail::begun_reduction> begun_on_devices(op_kind op, const std::vector<const array_view*>& arrays,
                                                      reduce_options options) {
  std::vector<detail::begun_reduction> begun;
  if (arrays.empty()) return begun;
  options.engine = engine_choice::device;
  const device_in_turn turn;
  for (const array_view* each : arrays) {
    detail::use_device(detail::device_of(each->data));
    begun.emplace_back(op, *each, options);
  }
  return begun;
}

array_view share_of(const array_view& x, std::size_t axis, const share& of) {
  array_view some = x;
  some.extents[axis] = of.count;
  some.data = static_cast<const std::byte*>(x.data) + of.first * x.strides[axis] * item_bytes(x.type);
  return some;
}

}  // namespace

std::vector<int> devices() { return detail::devices_with_kernels(); }

reduce_result reduce_on_devices(std::span<const int> devices, op_kind op, const array_view& array,
                                const reduce_options& options) {
  if (array.where == place::device) {
    throw unsupported_error("the array is in the memory of one device: reduce it there, or reduce_parts of several");
  }
  detail::check_address(array);
  const auto longest = std::max_element(array.extents.begin(), array.extents.end());
  const auto axis = static_cast<std::size_t>(longest - array.extents.begin());
  const auto along = [&](std::size_t cut) {
    return [&, cut](op_kind by, const share& of, const reduce_options& own) {
      return reduce(by, cut < array.extents.size() ? share_of(array, cut, of) : array, own);
    };
  };
  return reduce_shares(devices, op,
                       {array, along(0), along(axis), longest == array.extents.end() ? 1 : *longest,
                        [&](op_kind by, const reduce_options& own) { return reduce(by, array, own); }},
                       options);
}

reduce_result reduce_on_devices(std::span<const int> devices, op_kind op, source& input,
                                const reduce_options& options) {
  const array_layout& layout = input.layout();
  if (!input.random_access() || has_unknown_length(layout)) {
    throw unsupported_error(input.name() + ": what is read once, from its beginning to its end, is for one device");
  }
  const array_view shape = detail::view_of(layout);
  if (layout.fortran_order && keeps_first_axis(shape, options) && shape.rank() > 1) refuse_axes();
  const auto reduce_slice = [&](op_kind op_of, std::int64_t first, array_layout of, const reduce_options& own) {
    detail::source_slice some(input, first, std::move(of));
    return reduce(op_of, some, own);
  };
  return reduce_shares(
      devices, op,
      {shape,
       [&](op_kind by, const share& of, const reduce_options& own) {
         array_layout rows = layout;
         rows.extents[0] = of.count;
         return reduce_slice(by, of.first * (shape.elements() / shape.extents[0]), rows, own);
       },
       [&](op_kind by, const share& of, const reduce_options& own) {
         return reduce_slice(by, of.first, {layout.type, {of.count}}, own);
       },
       shape.elements(), [&](op_kind by, const reduce_options& own) { return reduce(by, input, own); }},
      options);
}

reduce_result reduce_parts(op_kind op, std::span<const array_view> parts, const reduce_options& options) {
  const auto start = clock::now();
  check_options(options);
  detail::check_arrays(op, 1);
  if (parts.empty()) throw shape_error("no parts were given");
  if (!options.axes.are_all()) throw unsupported_error("parts are reduced over all axes; some were named");
  const dtype type = parts.front().type;
  std::deque<detail::located> found;
  std::vector<const array_view*> there, here;  // in device memory, and in host memory
  for (const array_view& part : parts) {
    const array_view& each = found.emplace_back(part).view();
    if (each.type != type) {
      throw shape_error("parts are of one dtype; found " + std::string(name(type)) + " and " +
                        std::string(name(each.type)));
    }
    detail::check_address(each);
    if (each.elements() > 0) (each.where == place::device ? there : here).push_back(&each);
  }
  if (there.empty() && here.empty()) return reduce(op, parts.front(), options);
  const joined_parts joined(op, type, options);
  reduce_options own = joined.options();
  std::vector<detail::begun_reduction> begun = begun_on_devices(op, there, own);
  shared_progress progress(joined.options(), here.size());
  own.engine = engine_choice::host;
  std::vector<reduce_result> all;
  for (std::size_t i = 0; i < here.size(); ++i) {
    progress.watch(i, own);
    all.push_back(reduce(op, *here[i], own));
  }
  for (detail::begun_reduction& each : begun) all.push_back(each.finish());
  reduce_result result = joined.join(all);
  result.seconds = std::chrono::duration<double>(clock::now() - start).count();
  return result;
}

}  // namespace multifold::inline v0_1
