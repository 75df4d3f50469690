// What the tests of this room share: a folder that goes away, bytes in files, and the words of an error.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "multifold/error.hpp"
#include "multifold/source.hpp"

namespace multifold::inline v0_1::io {

/// The message of the Error that `action` throws: one line, or the test fails.
template <class Error, class Action>
std::string error_of(Action&& action);

/// A test with an empty folder of its own.
class with_folder : public ::testing::Test {
 protected:
  with_folder() {
    std::string pattern = std::filesystem::temp_directory_path() / "multifold-io-XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
  }
  ~with_folder() override { std::filesystem::remove_all(folder_); }

  std::string path(std::string_view name) const { return (folder_ / name).string(); }

  std::string write(std::string_view name, std::string_view bytes) const {
    std::ofstream(path(name), std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return path(name);
  }

  static std::string bytes_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  /// What is said about `array` in the file `name` with these bytes, or about its only one, behind the file's path.
  std::string refusal_of(std::string_view name, std::string_view bytes, const std::string& array) const {
    const std::string file = write(name, bytes);
    const std::string message =
        error_of<error>([&] { open_source(array.empty() ? file : file + ":" + array, std::nullopt); });
    EXPECT_EQ(message.find(file), 0u) << message;
    return message.substr(std::min(message.size(), file.size()));
  }

  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) names.push_back(entry.path().filename());
    return names;
  }

  std::filesystem::path folder_;
};

template <class Error, class Action>
std::string error_of(Action&& action) {
  try {
    action();
  } catch (const Error& problem) {
    const std::string message = problem.what();
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    return message;
  } catch (const std::exception& problem) {
    ADD_FAILURE() << "another kind of error: " << problem.what();
    return "";
  }
  ADD_FAILURE() << "no error";
  return "";
}

/// For EXPECT_PRED2, which prints both where it fails.
inline bool says(const std::string& message, const std::string& part) {
  return message.find(part) != std::string::npos;
}

/// Every element of `in`, read by chunks of `chunk` elements.
template <class T>
std::vector<T> read_all(source& in, std::int64_t chunk = 1 << 16) {
  std::vector<T> all;
  std::vector<T> some(static_cast<std::size_t>(chunk));
  for (;;) {
    const std::int64_t got = in.read(static_cast<std::int64_t>(all.size()), std::as_writable_bytes(std::span(some)));
    all.insert(all.end(), some.begin(), some.begin() + got);
    if (got < chunk) return all;
  }
}

/// Whether the arrays of an archive, of which those of f64 are read, are refused.
inline bool refuses_to_read(const std::string& path) {
  try {
    for (const std::string& name : arrays_in(path)) {
      const auto in = open_source(name, std::nullopt);
      if (in->layout().type == dtype::f64) read_all<double>(*in);
    }
    return false;
  } catch (const error&) {
    return true;
  }
}

/// The memory of `values` as text.
template <class T>
std::string raw(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

/// A .npy file: magic, version, length, header, data.
inline std::string npy(std::string_view header, std::string_view data, int major = 1) {
  std::string file = "\x93NUMPY";
  file += static_cast<char>(major);
  file += '\0';
  for (int i = 0; i < (major == 1 ? 2 : 4); ++i) file += static_cast<char>(header.size() >> (8 * i));
  return file.append(header).append(data);
}

/// The header that NumPy would write, without padding.
inline std::string dict(std::string_view descr, std::string_view shape, bool fortran_order = false) {
  return "{'descr': '" + std::string(descr) + "', 'fortran_order': " + (fortran_order ? "True" : "False") +
         ", 'shape': " + std::string(shape) + ", }\n";
}

}  // namespace multifold::inline v0_1::io
