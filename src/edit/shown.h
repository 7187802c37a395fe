// What a failed edit shows of a file: places, and sections that resemble what was looked for.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "edit/edit_failure.h"

namespace talaria::edit {

using LineViews = std::span<const std::string_view>;

// A line as it may be shown: valid UTF-8 of at most kMaxShownChars characters.
std::string shown_line(std::string_view line);

// The first places of those that begin at these lines, which count from 0.
std::vector<Place> shown_places(LineViews lines, std::span<const std::size_t> starts);

inline constexpr std::string_view kNotFound = "Could not find a match for old_string in the file";

// Sections of the file that begin with a line much like the first one that was looked for, best
// first, under a question; empty if there are none.
std::string did_you_mean(LineViews lines, LineViews wanted);

// "Found 3 matches ..."
std::string ambiguous_message(std::size_t count);

// The message, and below it the places if there are any.
std::string with_places(const EditFailure& failure);

}  // namespace talaria::edit
