// Every allocation of the CPU engine fails once: the call throws, leaves nothing behind, and works the next time.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <numeric>
#include <random>
#include <vector>

#include "allocation/failing_new.hpp"
#include "io/scratch.hpp"
#include "io/zip.hpp"
#include "multifold/multifold.hpp"
#include "multifold/state.hpp"
#include "multifold/state_file.hpp"

namespace multifold {
namespace {

using namespace testing_memory;

class allocation : public io::with_folder {
 protected:
  allocation() {
    options_.engine = engine_choice::host;
    options_.threads = 1;  // the same allocations each time
    std::iota(values_.begin(), values_.end(), -100.0F);
  }

  // `call` returns what can be compared; `unharmed` looks at what has to be as it was.
  template <class Call, class Look>
  static void fail_each(const Call& call, const Look& unharmed) {
    const auto expected = call();
    ASSERT_EQ(call(), expected);  // whatever is kept between calls is there by now
    int refused = 0;
    for (std::int64_t n = 1; n < 10'000; ++n) {
      const std::int64_t before = live_blocks();
      bool threw = false, done = false;
      {
        fail_allocation(n);
        try {
          const auto found = call();
          fail_allocation(0);
          done = !has_failed();
          if (found != expected) ADD_FAILURE() << "another result without allocation " << n;
        } catch (const std::bad_alloc&) {
          threw = true;
        } catch (const out_of_memory&) {
          threw = true;
        }  // nothing else may come
        fail_allocation(0);
      }
      ASSERT_EQ(live_blocks(), before) << "allocation " << n;
      if (threw) ++refused;
      unharmed();
      if (done) {
        EXPECT_GT(refused, 0);
        ASSERT_EQ(call(), expected);
        return;
      }
    }
    ADD_FAILURE() << "no end";
  }

  template <class Call>
  static void fail_each(const Call& call) {
    fail_each(call, [] {});
  }

  std::vector<float> values_ = std::vector<float>(6000);
  reduce_options options_;
};

TEST_F(allocation, of_reductions_in_memory) {
  const std::vector<float> before = values_;
  const array_view view = make_view(values_.data(), {60, 100});
  for (const op_kind op : {op_kind::sum, op_kind::max, op_kind::argmin, op_kind::var, op_kind::prod}) {
    for (const std::vector<std::int64_t>& axes : {std::vector<std::int64_t>{0, 1}, {0}, {1}}) {
      SCOPED_TRACE(std::string(name(op)) + " over " + std::to_string(axes.size()) + " from " + std::to_string(axes[0]));
      options_.axes = axes;
      fail_each([&] { return reduce(op, view, options_).data; });
    }
  }
  EXPECT_EQ(values_, before);
}

TEST_F(allocation, of_segments) {
  std::vector<std::int64_t> offsets(61);
  for (std::size_t i = 0; i < offsets.size(); ++i) offsets[i] = static_cast<std::int64_t>(i);
  const segments rows = segments::from_offsets(make_view(offsets.data(), {61}));
  const std::string file = write("x.npy", io::npy(io::dict("<f4", "(60, 100)"), io::raw(values_)));
  for (const op_kind op : {op_kind::sum, op_kind::argmin, op_kind::std}) {
    SCOPED_TRACE(name(op));
    options_.axes = {0};
    fail_each([&] { return reduce(op, make_view(values_.data(), {60, 100}), rows, options_).data; });
    fail_each([&] { return reduce(op, make_view(values_.data(), {6000}), rows, options_).data; });
    fail_each([&] { return reduce(op, *open_npy(file), rows, options_).data; });
  }
}

TEST_F(allocation, of_files) {
  const std::string array = io::npy(io::dict("<f4", "(60, 100)"), io::raw(values_));
  const std::string npy = write("x.npy", array),
                    npz = write("x.npz", io::zip({{"a.npy", array}, {"b.npy", array}}, true));
  for (const std::string& path : {npy, npz + ":b"}) {
    for (const std::vector<std::int64_t>& axes : {std::vector<std::int64_t>{0, 1}, {0}, {1}}) {
      SCOPED_TRACE(path);
      options_.axes = axes;
      fail_each([&] { return reduce(op_kind::mean, *open_source(path, std::nullopt), options_).data; });
    }
  }
  fail_each([&] { return arrays_in(npz); });
  fail_each([&] {
    std::vector<std::unique_ptr<source>> parts;
    parts.push_back(open_npy(npy));
    parts.push_back(open_source(npz + ":a", std::nullopt));
    options_.axes = axes::all;
    return reduce(op_kind::sum, *concatenate(std::move(parts)), options_).data;
  });
}

TEST_F(allocation, of_states) {
  options_.keep_state = true;
  const array_view view = make_view(values_.data(), {6000});
  fail_each([&] { return reduce(op_kind::sum, view, options_).state; });
  const std::vector<std::byte> state = reduce(op_kind::sum, view, options_).state, before = state;
  fail_each([&] { return merge_states(state, state); });
  fail_each([&] {
    double mean = 0;
    const std::vector<std::byte> copy(state);
    round_state(copy, op_kind::mean, dtype::f64, &mean);
    return mean;
  });
  EXPECT_EQ(state, before);
}

TEST_F(allocation, of_states_of_arrays) {
  options_.axes = {1};
  const array_view view = make_view(values_.data(), {2, static_cast<std::int64_t>(values_.size()) / 2});
  fail_each([&] { return reduce_to_state(op_kind::describe, view, options_).bytes(); });
  const state whole = reduce_to_state(op_kind::describe, view, options_);
  const std::vector<std::byte> before = whole.bytes();
  state next = whole;
  next.move(whole.end());
  fail_each([&] {
    state both = whole;
    both.merge(next);
    return both.bytes();
  });
  fail_each([&] { return state(before).finish(op_kind::describe).data; });
  EXPECT_EQ(whole.bytes(), before);
}

// Elements that pairs hold, and elements of which they hold no sum.
TEST_F(allocation, is_none_for_few_elements_in_hand) {
  std::mt19937_64 random(1);
  std::vector<double> wild(values_.size());
  for (double& x : wild) x = std::ldexp(1.5, static_cast<int>(random() % 2000) - 1000);
  const auto call_each = [&] {
    for (const std::size_t count : {1, 2, 10, 100, 1000, 6000}) {
      const std::span<const float> x(values_.data(), count);
      const std::span<const double> y(wild.data(), count);
      sum(x), mean(x), var(x), norm2(x), dot(x, x), multifold::min(x), multifold::max(x);
      sum(y), mean(y), var(y, 1), norm2(y), dot(y, y), multifold::min(y), multifold::max(y);
    }
  };
  call_each();
  fail_allocation(1);
  call_each();
  EXPECT_FALSE(has_failed());
  fail_allocation(0);
}

// What stood there stays, and nothing stands beside it.
TEST_F(allocation, of_files_that_are_written) {
  const std::vector<std::byte> state = empty_state(dtype::f32);
  const auto untouched = [&](const std::string& file, std::size_t bytes) {
    EXPECT_EQ(files().size(), 1u);
    EXPECT_EQ(bytes_of(path(file)).size(), bytes);
  };
  fail_each(
      [&] {
        state_file file(path("s"), state);
        file.keep();
        return read_state(path("s"));
      },
      [&] { untouched("s", state.size()); });
  std::filesystem::remove(path("s"));
  fail_each(
      [&] {
        write_npy(path("x"), dtype::f32, {60, 100}, std::as_bytes(std::span(values_)));
        return 0;
      },
      [&] { untouched("x", 128 + 24000); });
}

TEST_F(allocation, of_checkpoints) {
  const std::string array = write("x.npy", io::npy(io::dict("<f4", "(6000,)"), io::raw(values_)));
  options_.checkpoint = path("c");
  fail_each(
      [&] {
        std::filesystem::remove(path("c"));
        return reduce(op_kind::sum, *open_npy(array), options_).data;
      },
      [&] { EXPECT_LE(files().size(), 2u); });
  fail_each(  // goes on from what is there
      [&] { return reduce(op_kind::sum, *open_npy(array), options_).data; }, [&] { EXPECT_EQ(files().size(), 2u); });
}

}  // namespace
}  // namespace multifold
