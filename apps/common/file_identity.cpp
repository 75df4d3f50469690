// Files by device and inode.
#include "common/file_identity.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <optional>
#include <string>
#include <tuple>

#include "common/messages/failure.hpp"

namespace multifold::app {
namespace {

// Device and inode; of a file that is not there yet those of its folder, and its name.
using identity = std::tuple<dev_t, ino_t, std::string>;

std::optional<identity> identity_of(const struct stat& status) {
  if (!S_ISREG(status.st_mode) && !S_ISBLK(status.st_mode)) return std::nullopt;
  if (S_ISBLK(status.st_mode)) return identity{status.st_rdev, 0, "block device"};  // several nodes may name one
  return identity{status.st_dev, status.st_ino, ""};
}

std::optional<identity> identity_of_descriptor(int number) {
  struct stat status {};
  return ::fstat(number, &status) == 0 ? identity_of(status) : std::nullopt;
}

std::optional<identity> identity_of_output(const std::string& path) {
  if (path == "-") return identity_of_descriptor(STDOUT_FILENO);
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) return identity_of(status);
  const std::size_t slash = path.rfind('/') + 1;  // npos + 1 is 0
  const std::string folder = slash == 0 ? "." : path.substr(0, slash);
  if (::stat(folder.c_str(), &status) != 0) return std::nullopt;
  return identity{status.st_dev, status.st_ino, path.substr(slash)};
}

// "x.npz:a" is in the file x.npz, unless there is a file of the whole name.
std::optional<identity> identity_of_input(const std::string& path) {
  if (path == "-") return identity_of_descriptor(STDIN_FILENO);
  struct stat status {};
  for (std::size_t end = path.size(); end > 0 && end != std::string::npos; end = path.rfind(':', end - 1)) {
    if (::stat(path.substr(0, end).c_str(), &status) == 0) return identity_of(status);
  }
  return std::nullopt;
}

std::string said(const named_file& file) { return file.option + " " + label_of(file.path); }

std::string start_of(const named_file& out) {
  const std::string name = out.path == "-" ? "standard output" : label_of(out.path);
  return (out.option.empty() ? "" : out.option + ": ") + name + " is the same file as ";
}

}  // namespace

void check_outputs(const std::vector<named_file>& inputs, const std::vector<named_file>& outputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const named_file& out = outputs[i];
    const std::optional<identity> place = identity_of_output(out.path);
    if (!place) continue;
    for (const named_file& in : inputs) {
      if (place != identity_of_input(in.path)) continue;
      throw usage(start_of(out) + said(in) + ", which would be overwritten; expected another one");
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (place != identity_of_output(outputs[j].path)) continue;
      throw usage(start_of(out) + said(outputs[j]) + "; expected another one");
    }
  }
}

}  // namespace multifold::app
