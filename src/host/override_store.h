// OverrideStore: overrides that outlive the process that made them, for every controller of this
// home: <home>/talaria/overrides.json, 0600, replaced in one step. Reading it again when it was not
// changed it costs one system call.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include <boost/json/object.hpp>

#include "base/result.h"
#include "host/task_override.h"
#include "os/file_facts.h"
#include "os/unique_fd.h"

namespace talaria::host {

class OverrideStore {
 public:
  // How the file is looked at: which one is there now.
  using Look = std::function<std::optional<os::FileId>(const std::string& path)>;
  static std::optional<os::FileId> by_path(const std::string& path) { return os::file_id(path); }

  explicit OverrideStore(const std::string& home, Look look = by_path)
      : directory_(home + "/talaria"), look_(std::move(look)) {}

  // True if it was changed since the last time. A file that cannot be understood is an
  // error that names it; one that is not there holds none.
  Result<bool> refresh();
  const OverrideMap& overrides() const { return overrides_; }  // as of the last refresh()

  // Replaces what is there for `task`; saying nothing removes it. May wait for another who writes.
  Result<void> set(const std::string& task, const boost::json::object& overrides);

  // The session of `task` went to the directory of this registration, if that is still the one.
  // Does not wait: an error if another one writes just now.
  Result<void> mark_moved(const std::string& task, const std::string& id);

 private:
  Result<void> change(std::chrono::milliseconds patience,
                      const std::function<void(OverrideMap&)>& edit);
  std::string path() const { return directory_ + "/overrides.json"; }

  std::string directory_;
  Look look_;
  os::UniqueFd file_;  // what was read: while it is open, no other file can be taken for it
  OverrideMap overrides_;
};

}  // namespace talaria::host
