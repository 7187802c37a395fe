// The part of a command's output that is shown: all of it, or its beginning and its end with a
// notice between them that says how much is missing. Always valid UTF-8, cut at whole characters.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "environment/environment.h"

namespace talaria::tool {

struct ShownOutput {
  std::string text;
  bool cut = false;
};

struct OutputLimit {
  std::size_t max_chars = 0;  // two fifths for the beginning, the rest for the end
  bool mask = false;          // secrets, before the cut: half a secret is not recognised
};

// `note` is our own last line ("[Command timed out ...]") and counts as output. One that is not cut
// is not masked either.
ShownOutput shown_output(const environment::CommandOutcome& outcome, std::string_view note,
                         const OutputLimit& limit);

// The same for a text that is all there.
ShownOutput cut_text(std::string text, const OutputLimit& limit);

// Asks for as many bytes as shown_output() may need, and no more.
void limit_output(environment::CommandSpec& spec, std::size_t max_chars);

}  // namespace talaria::tool
