// Rates: how threads add up, which engine wins, and files that are damaged, of another machine, or cannot be written.
#include "multifold/rates.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "multifold/multifold.hpp"
#include "reduce/rates/file.hpp"

namespace multifold {
namespace {

constexpr std::int64_t gib = INT64_C(1) << 30;

// A variable of the environment with another value, or none, for a while.
class variable {
 public:
  variable(const char* name, const char* value) : name_(name) {
    if (const char* const before = std::getenv(name)) before_ = before;
    set(value);
  }
  variable(const variable&) = delete;
  variable& operator=(const variable&) = delete;
  ~variable() { set(before_ ? before_->c_str() : nullptr); }

 private:
  void set(const char* value) const {
    if (value != nullptr) ::setenv(name_, value, 1);
    else ::unsetenv(name_);
  }
  const char* name_;
  std::optional<std::string> before_;
};

// An H200 and its 16 cores.
constexpr machine_rates h200{16, 12.8e9, 121.7e9, 12.2e9, 73.4e9, 55.4e9, 2.6e9};

TEST(rates, threads_add_up_until_the_limit) {
  const auto rate = [](int threads) { return rate_of_threads(12.8, 121.7, 16, threads); };
  EXPECT_NEAR(rate(1), 12.8, 0.1);
  EXPECT_NEAR(rate(2), 24.9, 0.05 * 24.9);  // as measured
  EXPECT_NEAR(rate(4), 47.3, 0.05 * 47.3);
  EXPECT_NEAR(rate(8), 87.8, 0.05 * 87.8);
  EXPECT_NEAR(rate(16), 121.7, 1e-9 * 121.7);
  EXPECT_EQ(rate(1000), rate(16));
  EXPECT_EQ(rate(0), rate(1));
  for (int threads = 1; threads < 16; ++threads) EXPECT_LT(rate(threads), rate(threads + 1));
}

TEST(rates, threads_that_do_not_get_in_each_others_way) {
  EXPECT_EQ(rate_of_threads(10, 10, 1, 1), 10);
  EXPECT_EQ(rate_of_threads(10, 40, 4, 2), 20);
  EXPECT_EQ(rate_of_threads(10, 50, 4, 2), 20);  // caches helped
  EXPECT_EQ(rate_of_threads(10, 50, 4, 4), 50);
  EXPECT_EQ(rate_of_threads(0, 0, 4, 2), 0);
}

TEST(rates, the_quickest_engine_is_taken) {
  struct row {
    data_place where;
    std::int64_t bytes;
    int threads;
    bool warm;
    engine_choice alone, shared;  // the best of one, and of one or both
  };
  constexpr auto host = engine_choice::host, device = engine_choice::device, both = engine_choice::both;
  for (const row& r : {row{data_place::pinned, 16 * gib, 1, true, device, both},
                       {data_place::pinned, 16 * gib, 4, true, device, both},
                       {data_place::pinned, 16 * gib, 5, true, host, both},
                       {data_place::pinned, 16 * gib, 16, true, host, both},
                       // A thread that stages is about as slow as one that reduces.
                       {data_place::pageable, 16 * gib, 16, true, host, host},
                       {data_place::pageable, 16 * gib, 4, true, host, host},
                       {data_place::pageable, 16 * gib, 1, true, host, host},
                       // A thread that reads a file and only hands it on is quicker than one that reduces it, too.
                       {data_place::source, 16 * gib, 1, true, device, device},
                       {data_place::source, 16 * gib, 4, true, device, device},
                       {data_place::source, 16 * gib, 16, true, host, both},
                       // Opening a device takes longer than a gigabyte on the host.
                       {data_place::pinned, gib, 3, false, host, host},
                       {data_place::pinned, gib, 3, true, device, both},
                       {data_place::source, gib, 4, false, host, host},
                       // Where there is enough to do, the host does not wait for it to open.
                       {data_place::pinned, 64 * gib, 8, false, host, both}}) {
    const engine_decision one = decide(h200, {r.where, r.bytes, r.threads, r.warm, false});
    EXPECT_EQ(one.engine, r.alone) << one.reason;
    EXPECT_EQ(one.reason.find("on both"), std::string::npos) << one.reason;
    const engine_decision found = decide(h200, {r.where, r.bytes, r.threads, r.warm});
    EXPECT_EQ(found.engine, r.shared) << found.reason;
    EXPECT_NE(found.reason.find(std::to_string(r.threads) + " thread"), std::string::npos) << found.reason;
    EXPECT_NE(found.reason.find("on the GPU"), std::string::npos) << found.reason;
  }
  EXPECT_NE(decide(h200, {data_place::pinned, gib, 4, true}).reason.find("on both"), std::string::npos);
}

// Predictions are not that good, and the host's engine is there in any case.
TEST(rates, a_gain_of_less_than_a_twentieth_moves_nothing) {
  constexpr auto size = static_cast<double>(16 * gib);
  machine_rates rates = h200;
  workload work{data_place::pinned, 16 * gib, 16, true};
  work.shareable = false;
  for (const double share : {0.90, 0.94, 0.96, 0.99, 1.01}) {
    rates.link = size / (share * predict(rates, work).host - 0.003) / 0.98;
    const engine_times times = predict(rates, work);
    ASSERT_NEAR(times.device / times.host, share, 0.001);
    EXPECT_EQ(decide(rates, work).engine, share < 0.95 ? engine_choice::device : engine_choice::host) << share;
  }
}

TEST(rates, a_link_that_was_not_measured_is_none) {
  machine_rates alone = h200;
  alone.link = alone.pinning = alone.staged_one = alone.staged_all = 0;
  for (const data_place where : {data_place::pageable, data_place::pinned, data_place::source}) {
    EXPECT_TRUE(std::isinf(predict(alone, {where, gib, 2, true}).device));
    EXPECT_TRUE(std::isinf(predict(alone, {where, gib, 2, true}).both));
    EXPECT_EQ(decide(alone, {where, gib, 2, true}).engine, engine_choice::host);
  }
}

TEST(rates, predictions_grow_with_the_array_and_shrink_with_threads) {
  for (const data_place where : {data_place::pageable, data_place::pinned, data_place::source}) {
    const engine_times few = predict(h200, {where, gib, 2, true}), many = predict(h200, {where, gib, 8, true}),
                       more = predict(h200, {where, 2 * gib, 2, true}), cold = predict(h200, {where, gib, 2, false});
    EXPECT_LT(many.host, few.host);
    EXPECT_LT(few.host, more.host);
    EXPECT_LT(few.device, more.device);
    EXPECT_LT(few.device, cold.device);
    EXPECT_LT(many.both, few.both);
    EXPECT_LT(few.both, more.both);
    if (where != data_place::pinned) continue;  // staging takes threads from the host
    EXPECT_LE(few.both, cold.both);
    EXPECT_LE(cold.both, cold.host);
  }
}

TEST(rates, what_is_asked_for_or_small_needs_no_rates) {
  const batches form = normalise(make_view(nullptr, dtype::f32, {1 << 20}), {0}, element_order::any);
  reduce_options options;
  options.engine = engine_choice::host;
  const reduction sum = make_reduction(op_kind::sum, dtype::f32);
  EXPECT_EQ(decide_engine({sum, form, nullptr, 64 * gib}, options).reason, "it was asked for");
  options.engine = engine_choice::automatic;
  const variable unnamed("MULTIFOLD_ENGINE", nullptr);
  const engine_decision found = decide_engine({sum, form, nullptr, 1 << 20}, options);
  EXPECT_EQ(found.engine, engine_choice::host);
  EXPECT_NE(found.reason, "");
}

class rates_file : public ::testing::Test {
 protected:
  rates_file() {
    std::string pattern = std::filesystem::temp_directory_path() / "multifold-rates-XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
  }
  ~rates_file() override { std::filesystem::remove_all(folder_); }

  std::string path(const char* name) const { return folder_ / name; }
  void write(const char* name, const std::string& text) const { std::ofstream(path(name), std::ios::binary) << text; }

  std::filesystem::path folder_;
  const detail::rates_record record_{"1.2.3", "Some CPU @ 3 GHz", "00ff", h200};
};

TEST_F(rates_file, comes_back_as_it_was) {
  ASSERT_TRUE(detail::save_rates(path("a/b/rates"), record_));
  EXPECT_EQ(detail::load_rates(path("a/b/rates")), record_);
  detail::rates_record other = record_;
  other.gpu = "";
  other.rates.link = 0;
  ASSERT_TRUE(detail::save_rates(path("a/b/rates"), other));
  EXPECT_EQ(detail::load_rates(path("a/b/rates")), other);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_ / "a/b"), {}), 1);
}

TEST_F(rates_file, that_is_damaged_is_none) {
  const std::string whole = detail::to_text(record_);
  ASSERT_TRUE(detail::parse_rates(whole));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(detail::parse_rates(whole.substr(0, size))) << size;
  }
  EXPECT_FALSE(detail::parse_rates(whole + "x 1\n"));
  const auto with = [&](const std::string& found, const std::string& instead) {
    std::string text = whole;
    return text.replace(text.find(found), found.size(), instead);
  };
  EXPECT_FALSE(detail::parse_rates(with("rates 1", "rates 2")));
  EXPECT_FALSE(detail::parse_rates(with("threads 16", "threads 0")));
  EXPECT_FALSE(detail::parse_rates(with("threads 16", "threads 16x")));
  for (const char* value : {"link nan", "link inf", "link -1", "link 1e300", "link ", "link", "link 1 2", "lynk 1"}) {
    EXPECT_FALSE(detail::parse_rates(with("link 5.54e+10", value))) << value;
  }
  write("zeros", std::string(100'000, '\0'));
  EXPECT_FALSE(detail::load_rates(path("zeros")));
  EXPECT_FALSE(detail::load_rates(path("none")));
  EXPECT_FALSE(detail::load_rates(folder_));
  EXPECT_FALSE(detail::load_rates(""));
}

TEST_F(rates_file, that_cannot_be_written_is_let_be) {
  EXPECT_FALSE(detail::save_rates("", record_));
  EXPECT_FALSE(detail::save_rates("/proc/none/rates", record_));
  write("file", "x");
  EXPECT_FALSE(detail::save_rates(path("file/rates"), record_));
  std::filesystem::create_directory(folder_ / "folder");
  EXPECT_FALSE(detail::save_rates(path("folder"), record_));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 2);
}

TEST_F(rates_file, is_found_where_caches_are) {
  const variable none("MULTIFOLD_RATES", nullptr), home("HOME", "/h"), cache("XDG_CACHE_HOME", "relative");
  EXPECT_EQ(detail::rates_path(), "/h/.cache/multifold/rates");
  const variable absolute("XDG_CACHE_HOME", "/c");
  EXPECT_EQ(detail::rates_path(), "/c/multifold/rates");
  {
    const variable named("MULTIFOLD_RATES", "here");
    EXPECT_EQ(detail::rates_path(), "here");
  }
  const variable no_cache("XDG_CACHE_HOME", nullptr), homeless("HOME", nullptr);
  EXPECT_EQ(detail::rates_path(), "");
}

TEST_F(rates_file, of_another_machine_is_none) {
  const variable named("MULTIFOLD_RATES", path("rates").c_str());
  EXPECT_FALSE(cached_rates());
  ASSERT_TRUE(detail::save_rates(path("rates"), record_));
  EXPECT_FALSE(cached_rates());
}

TEST_F(rates_file, is_left_by_a_measurement) {
  const variable named("MULTIFOLD_RATES", path("rates").c_str());
  const machine_rates measured = measure_rates();
  EXPECT_GT(measured.host_one, 1e8);
  EXPECT_GT(measured.host_all, 1e8);
  EXPECT_EQ(cached_rates(), measured);
}

}  // namespace
}  // namespace multifold
