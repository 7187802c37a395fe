// ParentProcess: lets a program outlive the process that its caller started. The program forks at
// its start, before it has threads, a loop or files, and continues in the child, in a session of
// its own. The parent passes stop signals on and ends with the exit code of the child, or when the
// child releases it. If the parent is killed, the child gets SIGHUP.
#pragma once

#include "os/unique_fd.h"

namespace talaria::os {

class ParentProcess {
 public:
  // Returns in the child only. If there can be no child: without a parent.
  static ParentProcess leave_behind();

  bool is_there() const { return static_cast<bool>(report_); }
  // It ends with this code now. Standard input, output and error of this process become /dev/null.
  void release(int exit_code);

 private:
  UniqueFd report_;
};

}  // namespace talaria::os
