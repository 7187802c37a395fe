// Lists that a program takes as data: names of files, or more of its options, in a file or on its
// input. `tar -T list` is judged as tar with the names that the list has.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/guard/run/inner.h"

namespace talaria::guard {

struct ListOption;

struct GivenList {
  const ListOption* option = nullptr;
  std::string file;       // "-": the input of the command
  std::size_t at = 0;     // where the option stands
  std::size_t words = 0;  // that it has, with its value; 0: it is a letter among others
};

// Nothing: it takes no list.
std::optional<GivenList> given_list(const SeenCommand& command);

// Whether it says more than names.
bool instructs(const GivenList& list);

// Whether its input is the list.
bool reads_list(const SeenCommand& command);

// The command with what the list says in the place of the option.
std::vector<InnerCommand> with_list(const SeenCommand& command, std::string_view list);

// The same, of a list on its input or in <(…).
void add_listed_commands(const SeenCommand& command, std::vector<InnerCommand>& inner);

}  // namespace talaria::guard
