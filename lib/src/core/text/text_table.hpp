// Tables of plain text.
#pragma once

#include <string>
#include <vector>

namespace multifold::inline v0_1 {

/// A line a row, columns flush left and two spaces apart. The first row names them; others may end before the last.
std::string text_table(const std::vector<std::vector<std::string>>& rows);

}  // namespace multifold::inline v0_1
