#include "environment/plain/plain_notices.h"

namespace talaria::environment::plain {

void PlainNotices::add(const PlainTrailer& trailer, std::vector<std::string>& notices) {
  if (!trailer.notice.empty()) notices.push_back(trailer.notice);
  if (!std::exchange(told_why_, true)) {
    notices.push_back("this target is used without a runner (transport \"plain\"): " + why_ +
                      ". There are no background processes, terminals or files");
  }
  if (trailer.shell == "sh" && !std::exchange(told_shell_, true)) {
    notices.emplace_back(
        "there is no bash on this target (4.0 or newer): commands run in sh, and of a session the "
        "directory, exported variables, aliases, umask and the options -a, -f and -C are kept; "
        "functions are not, because sh cannot print them");
  }
}

}  // namespace talaria::environment::plain
