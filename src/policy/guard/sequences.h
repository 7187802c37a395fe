// Rules about several commands of one text: none of them is worth a question alone.
#pragma once

#include <deque>
#include <vector>

#include "policy/guard/judgement.h"
#include "policy/guard/rules/paths.h"
#include "policy/guard/run/seen_command.h"

namespace talaria::guard {

// `hermes_rules`: exactly those that Hermes has.
std::vector<Concern> judge_sequences(const std::deque<SeenCommand>& commands,
                                     const PathKinds& paths, bool hermes_rules);

}  // namespace talaria::guard
