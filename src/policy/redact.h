// Secrets taken out of text that a model is shown: keys and tokens by their shape, values by the
// name they are given. What is masked keeps its first six and last four characters if it is long
// enough for that to tell nothing, so that two keys can still be told apart.
#pragma once

#include <string>
#include <string_view>

namespace talaria {

struct RedactOptions {
  bool code_file = false;  // source code: NAME = value and "name": "value" are no secrets there
};

// `text` is valid UTF-8, and so is what it becomes. Takes time in proportion to the text, whatever
// is in it.
std::string redact(std::string_view text, const RedactOptions& options = {});

}  // namespace talaria
