// SshServer: an sshd for one test alone (tests/engines/ssh), so that it may be stopped, cut off and
// given rc files. The home there is a directory of the test's own.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "support/world.h"

namespace talaria::test {

class SshServer {
 public:
  explicit SshServer(const World& world);
  SshServer(const SshServer&) = delete;
  SshServer& operator=(const SshServer&) = delete;
  ~SshServer();

  // Why there is none: empty if it runs.
  const std::string& trouble() const { return trouble_; }

  std::string home() const { return directory_ + "/ssh/home"; }
  std::string config() const { return directory_ + "/ssh/client_config"; }
  std::string known_hosts() const { return directory_ + "/ssh/known_hosts"; }
  std::string key() const { return directory_ + "/ssh/client_key"; }
  std::string port() const;

  void write(const std::string& name, const std::string& text) const;  // below the home
  std::string read(const std::string& name) const;

  // The processes that serve one connection each.
  std::vector<pid_t> connections() const;
  void kill_connections() const;  // they cannot say goodbye

  void stop();   // with all its connections
  void start();  // again, at the same port
  // Starts it again with these lines in its configuration, too.
  void configure(const std::string& lines);

 private:
  Finished run(const std::string& line) const;

  ProgramSpec program_;
  std::string directory_;
  std::string trouble_;
};

}  // namespace talaria::test
