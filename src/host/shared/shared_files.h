// SharedFiles: what of this home the commands at other targets get: credential files, skills,
// caches. One list, two uses: a container has them bound, read-only (mounts); a target that is
// reached over a link gets copies (files).
//
// At the target all of it is below one directory, as below the home: BASE/skills,
// BASE/cache/images.
#pragma once

#include <talaria/shared_files.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "environment/target_config.h"
#include "host/shared/credential_files.h"
#include "os/file_facts.h"

namespace talaria::host {

// Where a container has them.
inline constexpr std::string_view kContainerBase = "/root/.hermes";

struct SharedOptions {
  std::string home;
  std::vector<std::string> credential_files;   // paths below the home
  std::vector<std::string> skill_directories;  // beside <home>/skills: absolute
};

struct Caller;
struct Config;
// As the configuration says.
SharedOptions shared_options(const Config& config, const Caller& caller);

struct MountOptions {
  std::string base = std::string(kContainerBase);
  bool caches = true;
};

struct Mounts {
  std::vector<environment::BoundPath> paths;
  std::vector<std::string> notices;  // what was left out, and why
};

// One file of the list.
struct SharedFile {
  std::string root;    // the directory of ours that is shared, or the home
  std::string inside;  // below that; open it by open_file_below()
  os::FileFacts facts;
  bool secret = false;  // a credential: nobody else at the target may read it

  std::string host() const { return root + "/" + inside; }
};

// A directory of ours that is shared as a whole.
struct SharedDirectory {
  std::string host;
  std::string path;  // below the target's base
};

struct SharedList {
  std::map<std::string, SharedFile> files;  // by their paths below the target's base
  std::vector<std::string> notices;
};

class SharedFiles {
 public:
  explicit SharedFiles(SharedOptions options);

  // Those of the configuration, and what is registered later.
  CredentialFiles& credentials() { return credentials_; }
  // Registers credential files, as a list of them says (credential_paths). Returns those that are
  // refused.
  std::vector<RefusedFile> share(const json::array& files);

  // For a container that is about to be made. A directory with links in it is bound as a copy
  // without them, below <home>/talaria/shared, which is brought up to date here and stays: a
  // container may outlive us.
  Mounts mounts(const MountOptions& options = {}) const;

  // Every regular file there is now; no link is followed. At most kMaxSharedFiles.
  SharedList files() const;

  // Those that are there.
  std::vector<SharedDirectory> directories(bool caches = true) const;

 private:
  SharedOptions options_;
  CredentialFiles credentials_;
};

}  // namespace talaria::host
