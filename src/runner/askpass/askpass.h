// Askpass: passes passwords to the sudo of commands. A command that has one gets the path of a
// program (SUDO_ASKPASS) that sudo runs when it wants a password: it is this runner under another
// name, which passes the end of sudo's pipe on to us (askpass_main.h). We look at who asks and
// write the password into that pipe ourselves, so that no process of the command ever holds it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>

#include "base/result.h"
#include "base/task.h"
#include "os/file_facts.h"
#include "os/unique_fd.h"
#include "runner/askpass/sudo_grant.h"
#include "shell/state.h"

namespace talaria::runner {

class Askpass {
 public:
  // Socket and program are made in `directory` when the first password comes.
  Askpass(asio::io_context& loop, std::string directory);
  ~Askpass();
  Askpass(const Askpass&) = delete;
  Askpass& operator=(const Askpass&) = delete;

  // For a command that is about to start. Null where we are root, whom sudo never asks.
  Result<std::shared_ptr<SudoGrant>> grant(Secret password);

  // What the command has in its environment.
  shell::NameMap variables(const SudoGrant& grant) const;

  void close();

 private:
  using Socket = asio::local::stream_protocol::socket;
  using Acceptor = asio::local::stream_protocol::acceptor;

  Result<void> be_there();
  Task<void> accept();
  Task<void> serve(Socket socket) const;
  char answer(int peer, std::string_view nonce, const std::vector<os::UniqueFd>& fds) const;
  std::shared_ptr<SudoGrant> find(std::string_view nonce) const;

  asio::io_context& loop_;
  std::string directory_;
  Acceptor acceptor_;
  std::optional<os::FileId> socket_;  // the one that is ours
  std::vector<std::weak_ptr<SudoGrant>> grants_;
};

}  // namespace talaria::runner
