// What the sub-command of a command line client does, by its verb: most of them use the same ones.
#pragma once

#include <string_view>

#include "policy/guard/rules/arguments.h"

namespace talaria::guard {

enum class VerbKind { unknown, looks, changes };

// Of a word as clients write it: describe-instances, apps:destroy, batch-delete-image.
VerbKind verb_kind(std::string_view word);

// What the first verb among the operands does. `free`: words at which the search ends, harmless.
VerbKind first_verb(const Arguments& arguments, std::string_view free = "");

// --dry-run, --help and their like: nothing is done.
bool only_rehearses(const Arguments& arguments);

// Whether it prints passwords, tokens or keys that a program keeps.
bool names_secret_verb(const Arguments& arguments);

// Whether it prints a token that is made for one use: gcloud auth print-access-token.
bool makes_token(const Arguments& arguments);

}  // namespace talaria::guard
