#include "policy/guard/judgement.h"

namespace talaria::guard {

std::string_view answer_name(Answer answer) {
  switch (answer) {
    case Answer::allow:
      return "allow";
    case Answer::ask:
      return "ask";
    case Answer::deny:
      return "deny";
  }
  return "";
}

}  // namespace talaria::guard
