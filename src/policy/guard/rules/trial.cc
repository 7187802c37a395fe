#include "policy/guard/rules/trial.h"

#include <algorithm>
#include <string>

#include "policy/guard/rules/sending.h"
#include "policy/guard/run/option_commands.h"

namespace talaria::guard {
namespace {

template <class Test>
bool any_piece(std::string_view text, const Test& test) {
  const std::string lower = lower_case(text);
  for (std::string_view rest = lower; !rest.empty();) {
    const std::size_t end = std::min(rest.find_first_of("/-_.:@=,?& \"'\n"), rest.size());
    if (test(rest.substr(0, end))) return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

// RAILS_ENV=test; DATABASE_URL=postgres://app@localhost/app_dev
bool is_trial_setting(std::string_view name, std::string_view value) {
  if (name.ends_with("_ENV") || name == "--env") return among(value, "test testing");
  const bool address = name.ends_with("_URL") || name.ends_with("_URI") || name.ends_with("_DSN");
  return address && is_this_machine(value) && names_trial(value) && !names_production(value);
}

}  // namespace

bool names_production(std::string_view text) {
  return any_piece(text, [](std::string_view piece) {
    return among(piece, "prod production live prd") ||
           (piece.starts_with("prod") && piece.find_first_not_of("0123456789", 4) == piece.npos);
  });
}

bool names_trial(std::string_view text) {
  return any_piece(text, [](std::string_view piece) {
    return among(piece,
                 "dev development test tests testing local sandbox staging stage review preview "
                 "playground ci");
  });
}

bool names_tests(std::string_view text) {
  if (names_production(text)) return false;
  return any_piece(
      text, [](std::string_view piece) { return among(piece, "test tests testing e2e ci itest"); });
}

bool has_trial_database(const Arguments& arguments) {
  return std::ranges::any_of(arguments.command.variables,
                             [](const SeenAssignment& one) {
                               return is_trial_setting(one.name, one.value.text);
                             }) ||
         arguments.any_word([](std::string_view word) {
           const std::size_t equals = std::min(word.find('='), word.size());
           return is_trial_setting(word.substr(0, equals),
                                   word.substr(std::min(equals + 1, word.size())));
         });
}

bool uses_local_service(const Arguments& arguments) {
  const SeenCommand& command = arguments.command;
  const auto only = [&](std::string_view option, auto test) {
    const auto values = option_values(command, '\0', option);
    return !values.empty() &&
           std::ranges::all_of(values, [&](const SeenWord& word) { return test(word.text); });
  };
  if (among(command.program, "kubectl oc k helm")) {
    const auto local = [](std::string_view name) {
      return name.starts_with("kind-") || name.starts_with("k3d-") ||
             among(name, "minikube docker-desktop rancher-desktop orbstack colima");
    };
    return only("context", local) || only("kube-context", local);
  }
  return command.program == "aws" && only("endpoint-url", is_this_machine);
}

}  // namespace talaria::guard
