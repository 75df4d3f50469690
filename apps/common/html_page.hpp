// Pages that need nothing else: one file, light and dark, wide and narrow.
#pragma once

#include <string>
#include <string_view>

namespace multifold::app {

/// Text as HTML has it.
std::string escaped(std::string_view text);

/// A page with a heading. `style` is CSS that comes behind what all pages share: the colours --paper, --ink, --faint,
/// --rule and --wait, tables in .scroll, and text of class faint.
std::string html_page(std::string_view title, std::string_view style, std::string_view body);

}  // namespace multifold::app
