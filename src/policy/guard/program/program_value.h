// ProgramValue: what an expression of a program is, as far as that is written in it.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/guard/run/seen_command.h"

namespace talaria::guard {

struct ProgramValue {
  std::string text;  // what is not known of it is an unknown piece
  std::vector<ProgramValue> items = {};
  std::vector<std::pair<std::string, ProgramValue>> fields = {};  // {name: value}
  bool list = false;                                              // it is `items`
  bool each = false;     // it is one of the items after the other
  bool several = false;  // it may be any number of values
  bool own = false;      // a path below what the program has made itself
  bool path = false;     // an object that stands for a path
  bool pattern = false;  // the names of files that fit
  bool number = false;
  std::vector<ProgramValue> others = {};  // what a name is given elsewhere, if it is not known

  static ProgramValue unknown() { return {.text = std::string(1, kUnknownPiece)}; }

  bool known() const {
    if (several || text.contains(kUnknownPiece)) return false;
    return std::ranges::all_of(items, [](const ProgramValue& one) { return one.known(); });
  }
  bool wholly_unknown() const { return !list && text.size() == 1 && text[0] == kUnknownPiece; }
  const ProgramValue* field(std::string_view name) const {
    const auto found =
        std::ranges::find_if(fields, [&](const auto& entry) { return entry.first == name; });
    return found == fields.end() ? nullptr : &found->second;
  }
  // What it may be, one after the other; only one: it is what it is.
  std::vector<ProgramValue> alternatives() const;
};

inline constexpr std::size_t kMaxAlternatives = 64;

// What is made of the values; where one may be this or that, what is made of each.
ProgramValue of_each(const std::vector<ProgramValue>& values,
                     const std::function<ProgramValue(const std::vector<ProgramValue>&)>& make);

}  // namespace talaria::guard
