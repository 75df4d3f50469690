// Written at once: reports are small.
#include "common/report_file.hpp"

#include <cerrno>
#include <fstream>
#include <system_error>

#include "common/messages/failure.hpp"
#include "multifold/error.hpp"

namespace multifold::app {

void write_report(const std::string& path, std::string_view text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (out) return;
  const int error = errno;
  throw io_error(label_of(path) + ": could not be written: " + std::generic_category().message(error));
}

}  // namespace multifold::app
