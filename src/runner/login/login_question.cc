#include "runner/login/login_question.h"

#include "runner/limits.h"

namespace talaria::runner {

Result<LoginQuestion> login_question(const link::Login& request, shell::NameMap caller,
                                     ShellKind shell) {
  if (request.timeout_ms > kLongestTimeout) {
    return fail(ErrorKind::bad_request, "timeout_ms: at most " + std::to_string(kLongestTimeout));
  }
  const auto home = caller.find("HOME");
  LoginQuestion question{.plan = {.home = home == caller.end() ? "/" : home->second},
                         .withheld = request.withheld};
  for (const std::string& file : request.files) {
    if (file.contains('\0')) {
      return fail(ErrorKind::bad_request, "a file's name cannot contain a NUL byte");
    }
    question.plan.more_files.push_back(shell::expand_init_file(file, question.plan.home, caller));
  }
  if (request.files.empty() && request.bashrc && shell == ShellKind::bash) {
    question.plan.more_files = shell::usual_init_files(question.plan.home);
  }
  question.caller = std::move(caller);
  return question;
}

}  // namespace talaria::runner
