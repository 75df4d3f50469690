// Files that programs leave beside what they print.
#pragma once

#include <string>
#include <string_view>

namespace multifold::app {

/// Writes `text` to `path`, whatever stood there. Throws io_error, with the path, if not all of it could be written.
void write_report(const std::string& path, std::string_view text);

}  // namespace multifold::app
