// SmallDisk: a directory of this machine that is a small filesystem of its own for as long as this
// lives. What was in it before is hidden meanwhile.
#pragma once

#include <sys/mount.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace talaria::test {

class SmallDisk {
 public:
  SmallDisk(std::string directory, const std::string& size) : directory_(std::move(directory)) {
    const std::string options = "mode=700,size=" + size;
    if (::mount("none", directory_.c_str(), "tmpfs", 0, options.c_str()) != 0) {
      trouble_ = "no filesystem can be mounted here: " + std::string(std::strerror(errno));
    }
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  ~SmallDisk() {
    if (trouble_.empty()) ::umount2(directory_.c_str(), MNT_DETACH);
  }

  // Why there is none: empty if it is there.
  const std::string& trouble() const { return trouble_; }

 private:
  std::string directory_;
  std::string trouble_;
};

}  // namespace talaria::test
