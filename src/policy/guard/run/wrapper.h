// How a command that runs the rest of its words is read: which of them are its own.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "policy/guard/run/wrapper_table.h"

namespace talaria::guard {

const Wrapper* find_wrapper(std::string_view program);  // null: it is none

// The first word from `at` on that is no option (or what an option takes); behind "--" if there is.
// A long name may be shortened. `values`: which options take one.
struct OptionValues {
  std::string_view letters = {};
  std::string_view names = {};
  std::string_view pairs = {};  // those that take two
  std::string_view looks = {};  // letters of those with which nothing runs: all words are its own
};
std::size_t behind_options(std::span<const std::string_view> words, std::size_t at,
                           const OptionValues& values, bool assignments = false);

// Where the command stands that `words` run; their number or more: they run none.
std::size_t wrapped_at(const Wrapper& wrapper, std::span<const std::string_view> words);

// NAME=value
bool is_assignment(std::string_view word);

// Whether `name`, which may be shortened, is among those of the list.
bool is_long_option(std::string_view name, std::string_view list);

}  // namespace talaria::guard
