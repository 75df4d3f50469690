// The API's `both`: CPU threads and the GPU on one array, in memory and in files; and what it refuses.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "multifold/cuda/buffer.hpp"
#include "multifold/multifold.hpp"
#include "multifold/trace.hpp"
#include "reduce/sources/vector_source.hpp"

namespace multifold {
namespace {

constexpr std::int64_t rows = 200'003, columns = 17;

reduce_options on(engine_choice engine) {
  reduce_options options;
  options.engine = engine;
  options.threads = 2;
  return options;
}

class device_both : public ::testing::Test {
 protected:
  void SetUp() override {
    const engine_info device = engines().front();
    if (!device.supported) GTEST_SKIP() << "no GPU: " << device.reason;
    x_.resize(rows * columns);
    for (std::size_t i = 0; i < x_.size(); ++i) x_[i] = 1.0f / static_cast<float>(i * 7919 % 9973 + 1);
    pinned_ = cuda::pinned_buffer(rows * columns * 4);
    std::memcpy(pinned_.data(), x_.data(), x_.size() * 4);
  }

  array_view view(bool pinned) const {
    return make_view(pinned ? static_cast<const void*>(pinned_.data()) : x_.data(), dtype::f32, {rows, columns});
  }

  std::vector<float> x_;
  cuda::pinned_buffer pinned_;
};

TEST_F(device_both, gives_the_bits_of_the_host) {
  for (const bool pinned : {false, true}) {
    for (const axes& reduced : {axes(), axes{0}, axes{1}}) {
      for (const op_kind op : {op_kind::sum, op_kind::argmax, op_kind::std}) {
        reduce_options options = on(engine_choice::host);
        options.axes = reduced;
        const reduce_result expected = reduce(op, view(pinned), options);
        options.engine = engine_choice::both;
        const reduce_result got = reduce(op, view(pinned), options);
        EXPECT_EQ(got.data, expected.data) << name(op);
        EXPECT_EQ(got.engine, "both");
        EXPECT_EQ(got.bytes, rows * columns * 4);
        EXPECT_LE(got.device_bytes, got.bytes);
        EXPECT_EQ(got.note, "");
        EXPECT_EQ(expected.device_bytes, 0);
      }
    }
  }
}

TEST_F(device_both, of_two_arrays_of_sources_and_with_initial_values) {
  reduce_options host = on(engine_choice::host), both = on(engine_choice::both);
  EXPECT_EQ(reduce(op_kind::dot, view(true), view(false), both).data,
            reduce(op_kind::dot, view(true), view(false), host).data);
  vector_source<float> source(x_, {rows, columns}), again(x_, {rows, columns});
  EXPECT_EQ(reduce(op_kind::mean, source, both).data, reduce(op_kind::mean, again, host).data);
  both.initial = host.initial = {true, false, 0, -1.25};
  EXPECT_EQ(reduce(op_kind::sum, view(true), both).data, reduce(op_kind::sum, view(true), host).data);
}

TEST_F(device_both, keeps_states) {
  reduce_options options = on(engine_choice::host);
  options.keep_state = true;
  const reduce_result expected = reduce(op_kind::sum, view(true), options);
  options.engine = engine_choice::both;
  for (const bool pinned : {false, true}) {
    const reduce_result got = reduce(op_kind::sum, view(pinned), options);
    EXPECT_EQ(got.data, expected.data);
    EXPECT_EQ(got.state, expected.state);
  }
}

TEST_F(device_both, of_files_with_checkpoints_and_without) {
  const std::string folder = std::filesystem::temp_directory_path();
  const std::string path = folder + "/multifold-both-" + std::to_string(::getpid()) + ".npy", part = path + ".part";
  {
    std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + std::to_string(rows) + ", " +
                         std::to_string(columns) + "), }";
    header.resize(117, ' ');
    std::ofstream file(path, std::ios::binary);
    file << std::string("\x93NUMPY\x01\x00\x76\x00", 10) << header << '\n';
    file.write(reinterpret_cast<const char*>(x_.data()), static_cast<std::streamsize>(x_.size() * sizeof(float)));
  }
  for (const bool checkpoints : {false, true}) {
    for (const axes& reduced : {axes(), axes{0}, axes{1}}) {
      if (checkpoints && !reduced.are_all()) continue;
      reduce_options options = on(engine_choice::both);
      options.axes = reduced;
      if (checkpoints) options.checkpoint = part;
      const reduce_result got = reduce(op_kind::mean, *open_npy(path), options);
      EXPECT_EQ(got.engine, "both");
      options.engine = engine_choice::host;
      options.checkpoint.clear();
      EXPECT_EQ(got.data, reduce(op_kind::mean, view(false), options).data);
    }
  }
  std::filesystem::remove(path);
  std::filesystem::remove(part);
}

TEST_F(device_both, tells_both_engines_to_one_trace) {
  std::mutex mutex;
  std::int64_t reduced = 0, copied = 0;
  std::set<int> workers;
  reduce_options options = on(engine_choice::both);
  options.trace = [&](const trace_event& event) {
    if (event.kind == trace_kind::reduce && event.worker >= 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(3));
    const std::lock_guard lock(mutex);
    if (event.kind == trace_kind::reduce) reduced += event.bytes;
    if (event.kind == trace_kind::copy) copied += event.bytes;
    workers.insert(event.worker);
  };
  const reduce_result got = reduce(op_kind::sum, view(true), options);
  EXPECT_EQ(reduced, rows * columns * 4);
  EXPECT_EQ(copied, got.device_bytes);
  EXPECT_EQ(workers.contains(-1), got.device_bytes > 0);
}

TEST_F(device_both, says_that_a_sum_does_not_fit) {
  std::vector<std::int64_t> x(1 << 20, 1);
  const array_view one = make_view(x.data(), {1 << 20}), many = make_view(x.data(), {1 << 10, 1 << 10});
  x[7] = x[900'000] = INT64_MAX / 2 + 1;
  EXPECT_THROW(reduce(op_kind::sum, one, on(engine_choice::both)), overflow_error);
  reduce_options options = on(engine_choice::both);
  options.axes = {{1}};
  EXPECT_NO_THROW(reduce(op_kind::sum, many, options));
  x[6] = INT64_MAX;
  EXPECT_THROW(reduce(op_kind::sum, many, options), overflow_error);
}

TEST_F(device_both, refuses_what_cannot_be_shared) {
  reduce_options fast = on(engine_choice::both);
  fast.wanted = accuracy::fast;
  try {
    reduce(op_kind::sum, view(true), fast);
    ADD_FAILURE() << "rounded sums were shared";
  } catch (const unsupported_error& e) {
    EXPECT_NE(std::string(e.what()).find("accuracy exact"), std::string::npos) << e.what();
  }
  EXPECT_THROW(reduce(op_kind::prod, view(true), on(engine_choice::both)), unsupported_error);
  const cuda::device_buffer there(1 << 12);
  array_view on_device = make_view(there.data(), dtype::f32, {1 << 10});
  on_device.where = place::device;
  EXPECT_THROW(reduce(op_kind::sum, on_device, on(engine_choice::both)), unsupported_error);
}

}  // namespace
}  // namespace multifold
