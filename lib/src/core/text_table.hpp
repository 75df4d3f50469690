// Tables of plain text.
#pragma once

#include <string>
#include <vector>

namespace multifold {

/// A line a row, columns flush left and two spaces apart. Every row has as many cells as the first, which names them.
std::string text_table(const std::vector<std::vector<std::string>>& rows);

}  // namespace multifold
