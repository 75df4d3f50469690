// Checkpoints of files: which files are the same as before without a look, and which are looked at again.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "io/scratch.hpp"
#include "io/zip.hpp"
#include "multifold/multifold.hpp"
#include "random_bits.hpp"

namespace multifold {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t elements = 2'000'000, most_elements_before = 1'500'000;

// Counts what is read of another source, and breaks off behind element `last`.
class counted_source final : public source {
 public:
  counted_source(std::unique_ptr<source> from, std::int64_t last = INT64_MAX) : from_(std::move(from)), last_(last) {}
  const std::string& name() const noexcept override { return from_->name(); }
  const array_layout& layout() const noexcept override { return from_->layout(); }
  bool random_access() const noexcept override { return from_->random_access(); }
  std::string identity() const override { return from_->identity(); }
  std::int64_t read(std::int64_t first, std::span<std::byte> chunk) override {
    const std::int64_t got = from_->read(first, chunk);
    if (first + got > last_) throw std::runtime_error("gone");
    elements_ += got;
    return got;
  }
  std::int64_t elements() const { return elements_; }

 private:
  std::unique_ptr<source> from_;
  std::int64_t last_;
  std::atomic<std::int64_t> elements_{0};
};

class resumed_files : public io::with_folder, public ::testing::WithParamInterface<const char*> {
 protected:
  resumed_files() {
    options_.engine = engine_choice::host;
    options_.checkpoint = path("c");
    options_.checkpoint_seconds = 0;
    test::random_bits random(4);
    for (float& value : values_) value = static_cast<float>(static_cast<std::int32_t>(random()));
  }

  // As a file that has been there for a while.
  void aged(const std::string& file) const {
    fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::hours(30));
  }

  void make(const std::vector<float>& values) {
    const std::string kind = GetParam();
    const std::vector<float> front(values.begin(), values.begin() + 700'000),
        back(values.begin() + 700'000, values.end());
    if (kind == "raw") write("x", raw(values));
    if (kind == "joined") {
      write("x", raw(front));
      write("y", raw(back));
      aged(path("y"));
    }
    if (kind == "npz") write("x", io::zip({{"a.npy", io::npy(io::dict("<f4", "(2000000,)"), io::raw(values))}}));
    if (kind == "swapped") {
      std::string bytes = io::raw(values);
      for (std::size_t i = 0; i < bytes.size(); i += 4)
        std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(i),
                     bytes.begin() + static_cast<std::ptrdiff_t>(i) + 4);
      write("x", io::npy(io::dict(">f4", "(2000000,)"), bytes));
    }
    aged(path("x"));
  }

  static std::string raw(const std::vector<float>& values) { return io::raw(values); }

  std::unique_ptr<source> open() const {
    const raw_options as_f32{dtype::f32, {}, false, 0};
    const std::string kind = GetParam();
    if (kind == "raw") return open_source(path("x"), as_f32);
    if (kind != "joined") return open_source(path("x"), std::nullopt);
    std::vector<std::unique_ptr<source>> parts;
    parts.push_back(open_source(path("x"), as_f32));
    parts.push_back(open_source(path("y"), as_f32));
    return concatenate(std::move(parts));
  }

  // Leaves a checkpoint of one range.
  void break_off() {
    counted_source input(open(), most_elements_before);
    EXPECT_THROW(reduce(op_kind::sum, input, options_), std::runtime_error);
    ASSERT_TRUE(fs::exists(path("c")));
  }

  struct outcome {
    reduce_result result;
    std::int64_t read;
  };
  outcome go_on() const {
    counted_source input(open());
    reduce_result result = reduce(op_kind::sum, input, options_);
    return {std::move(result), input.elements()};
  }

  float truth() const { return reduce(op_kind::sum, make_view(values_.data(), {elements})).value<float>(); }

  void expect_refused() const {
    EXPECT_PRED2(io::says, io::error_of<format_error>([&] { go_on(); }),
                 "c: found the checkpoint of other elements than those of");
  }

  std::vector<float> values_ = std::vector<float>(elements);
  reduce_options options_;
};

INSTANTIATE_TEST_SUITE_P(kinds, resumed_files, ::testing::Values("raw", "joined", "npz", "swapped"),
                         [](const auto& kind) { return std::string(kind.param); });

TEST_P(resumed_files, are_not_read_again_where_they_are_the_same) {
  make(values_);
  break_off();
  const outcome found = go_on();
  EXPECT_EQ(found.result.value<float>(), truth());
  EXPECT_GT(found.result.resumed, 0);
  EXPECT_EQ(found.read, elements - found.result.resumed);
}

TEST_P(resumed_files, are_read_again_where_it_is_not_known) {
  make(values_);
  break_off();
  const auto another_time = fs::last_write_time(path("x")) - std::chrono::hours(1);
  fs::last_write_time(path("x"), another_time);
  const outcome touched = go_on();
  EXPECT_EQ(touched.result.value<float>(), truth());
  EXPECT_EQ(touched.read, elements);
  fs::remove(path("c"));

  fs::last_write_time(path("x"), fs::file_time_type::clock::now());  // too new for its time to mean anything
  EXPECT_EQ(open()->identity(), "");
  break_off();
  EXPECT_EQ(go_on().read, elements);
}

TEST_P(resumed_files, are_refused_where_they_have_been_replaced_or_changed) {
  make(values_);
  const auto time = fs::last_write_time(path("x"));
  break_off();
  std::vector<float> others = values_;
  others[123'456] += 1e9F;
  fs::rename(path("x"), path("before"));
  make(others);  // of the same size, and all times that can be set are those of before
  fs::last_write_time(path("x"), time);
  expect_refused();
  fs::rename(path("before"), path("x"));
  EXPECT_EQ(go_on().result.value<float>(), truth());
  fs::remove(path("c"));

  break_off();
  std::fstream file(path("x"), std::ios::in | std::ios::out | std::ios::binary);  // in place
  file.seekp(1'000'000);
  file.put('\x55');
  file.close();
  expect_refused();
  fs::last_write_time(path("x"), time);
  expect_refused();
}

TEST_P(resumed_files, are_refused_where_they_changed_while_they_were_read) {
  make(values_);
  counted_source input(open(), most_elements_before);
  std::fstream file(path("x"), std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(1'000'000);
  const char was = static_cast<char>(file.get());
  EXPECT_THROW(reduce(op_kind::sum, input, options_), std::runtime_error);
  file.seekp(1'000'000);
  file.put(static_cast<char>(was ^ 1));
  file.close();
  aged(path("x"));
  expect_refused();
}

}  // namespace
}  // namespace multifold
