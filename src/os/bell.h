// Bell: a named pipe at which one process waits until another rings. Whether somebody waits there
// can be seen, too, however that process may have ended.
#pragma once

#include <string>

#include "base/result.h"
#include "os/unique_fd.h"

namespace talaria::os {

// Makes it, for its owner alone. Readable when somebody rings. Gone from its place when destroyed.
class Bell {
 public:
  static Result<Bell> hang(std::string path);

  Bell(Bell&& other) noexcept = default;
  Bell& operator=(Bell&&) = delete;
  ~Bell();

  int fd() const { return fd_.get(); }
  void silence() const;  // what rang so far

 private:
  Bell(std::string path, UniqueFd fd) : path_(std::move(path)), fd_(std::move(fd)) {}

  std::string path_;
  UniqueFd fd_;
};

// False if nobody waits there.
bool ring_bell(const std::string& path);
bool has_bell(const std::string& path);

}  // namespace talaria::os
