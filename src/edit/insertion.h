// Adapts a replacement to the place where it is inserted, if the old text was not found exactly:
// indentation, escapes, line endings. All texts have LF.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace talaria::edit {

// Old and new text both have \' or \" where the file has none: the sender escaped them once
// too often, and the new text would bring backslashes into the file. Says so, if it is so.
std::optional<std::string> escape_drift(std::string_view old_text, std::string_view new_text,
                                        std::string_view matched);

// The two characters \t and \r become the real ones if the matched text has real ones and none of
// the two-character kind, and neither the new text nor what is sent `beside` it has a real one: who
// can write a tab means the escape where it is written.
std::string with_real_controls(std::string_view new_text, std::string_view matched,
                               std::string_view beside = {});

// Moves each line that shows something from the pattern's indentation to that of the matched text.
std::string reindented(std::string_view new_text, std::string_view pattern_indent,
                       std::string_view matched_indent);

// `new_text` with the line endings of what it replaces: a line that both have at their start or end
// keeps its own, others get those of the lines they replace. `matched` is what is replaced, with
// the endings it has in the file; `otherwise` is for a place that has none.
std::string with_line_endings(std::string_view new_text, std::string_view matched,
                              std::string_view otherwise);

}  // namespace talaria::edit
