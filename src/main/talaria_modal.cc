// talaria-modal: the client of Modal, a separate program so that talaria does not link gRPC. It
// performs one verb and exits.
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <string>
#include <variant>
#include <vector>

#include "modal/account.h"
#include "modal/command_line.h"
#include "modal/report.h"
#include "modal/verbs.h"
#include "os/file.h"
#include "os/own_process.h"

namespace talaria {
namespace {

int complain(const Error& error, int code) {
  modal::Report(STDERR_FILENO).failure({error.kind(), "", "", error.message()});
  return code;
}

int run(const std::vector<std::string>& arguments) {
  const Result<modal::Verb> verb = modal::parse_verb(arguments);
  if (!verb) return complain(verb.error(), modal::kBadArguments);
  if (std::holds_alternative<modal::VersionVerb>(*verb)) {
    return os::write_all(STDOUT_FILENO, modal::version_line() + "\n") ? modal::kVerbDone
                                                                      : modal::kVerbFailed;
  }
  const Result<modal::Account> account = modal::read_account([](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value != nullptr ? value : "");
  });
  const bool carries = std::holds_alternative<modal::ExecVerb>(*verb);
  if (!account) return complain(account.error(), carries ? modal::kExecFailed : modal::kVerbFailed);
  return modal::run_verb(*verb, *account);
}

}  // namespace
}  // namespace talaria

int main(int argc, char** argv) {
  talaria::os::fill_standard_descriptors();
  ::signal(SIGPIPE, SIG_IGN);  // a closed pipe is an error of the write
  try {
    return talaria::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    return talaria::complain({talaria::ErrorKind::system, error.what()},
                             talaria::modal::kVerbFailed);
  }
}
