#include "runner/askpass/askpass_main.h"

#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <span>

#include "os/channel.h"
#include "os/file.h"
#include "os/unix_socket.h"

namespace talaria::runner {
namespace {

AskpassAnswer ask(const std::string& directory, std::string_view nonce) {
  const auto socket = os::connect_to_socket(askpass_socket(directory));
  if (!socket) return AskpassAnswer::refused;
  os::set_blocking(socket->get());
  const std::array fds{STDOUT_FILENO};
  if (!send_message(socket->get(), std::as_bytes(std::span(nonce)), fds, os::Waiting::yes)) {
    return AskpassAnswer::refused;
  }
  char answer = 0;
  const bool heard = ::read(socket->get(), &answer, 1) == 1;
  return heard ? AskpassAnswer(answer) : AskpassAnswer::refused;
}

}  // namespace

bool is_askpass(std::string_view argv0) { return argv0.ends_with("/askpass"); }

int askpass_main(const char* argv0) {
  const std::string program(argv0);
  const char* nonce = std::getenv(kNonceVariable);
  const auto answer = ask(program.substr(0, program.rfind('/')), nonce == nullptr ? "" : nonce);
  if (answer == AskpassAnswer::given) return 0;
  std::fputs(answer == AskpassAnswer::rejected
                 ? "talaria: the password was not accepted\n"
                 : "talaria: there is no password for this; only sudo itself gets one, in a "
                   "command that somebody waits for\n",
             stderr);
  return 1;
}

}  // namespace talaria::runner
