// A Jupyter notebook as text: its cells, without what they printed.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace talaria::tool {

// Nothing if it is none, or has no cells.
std::optional<std::string> notebook_text(std::string_view bytes);

}  // namespace talaria::tool
