// DockerDaemon: a dockerd for one test alone (tests/engines/docker), so that it may be killed.
#pragma once

#include <string>

#include "support/world.h"

namespace talaria::test {

class DockerDaemon {
 public:
  explicit DockerDaemon(const World& world);
  DockerDaemon(const DockerDaemon&) = delete;
  DockerDaemon& operator=(const DockerDaemon&) = delete;
  ~DockerDaemon();

  // Why there is none: empty if it runs.
  const std::string& trouble() const { return trouble_; }

  std::string host() const { return "unix://" + directory_ + "/docker/docker.sock"; }
  std::string client() const { return directory_ + "/docker/client"; }

  // From now on containers outlive it, as a machine's administrator may want.
  void let_containers_live() const;

  void kill() const;    // it cannot say goodbye
  void resume() const;  // with the data it had; throws if it does not come up

 private:
  Finished run(const std::string& verb) const;

  std::string directory_;
  std::string trouble_;
};

}  // namespace talaria::test
