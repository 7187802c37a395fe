// EditFailure: why an edit was not made, as a message for the agent.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <vector>

namespace talaria::edit {

enum class EditFailureKind { empty, identical, not_found, ambiguous, escape_drift, too_large };

struct Place {
  std::size_t line;  // from 1
  std::string text;  // of that line, for showing: valid UTF-8, and cut if it is long
};

struct EditFailure {
  EditFailureKind kind;
  std::string message;
  std::vector<Place> places = {};  // of `ambiguous`: the first kMaxShownPlaces
};

template <class T>
using Edit = std::expected<T, EditFailure>;

}  // namespace talaria::edit
