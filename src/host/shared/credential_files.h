// CredentialFiles: files of the home that commands elsewhere need: the token of a service, a key. A
// skill or an embedding program registers them while the program runs; terminal.credential_files
// lists more. Each is named by its path below the home, and has the same path below the target's.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/array.hpp>

#include "base/result.h"

namespace talaria::host {

namespace json = boost::json;

// What a list of them says: texts, or objects with `path` or `name`. `flaws`: one for each entry
// that is neither.
std::vector<std::string> credential_paths(const json::array& entries,
                                          std::vector<std::string>& flaws);

struct CredentialFile {
  std::string path;    // below the home, as the target has it
  std::string inside;  // where it really is, below the home: links are resolved
};

class CredentialFiles {
 public:
  CredentialFiles() = default;
  CredentialFiles(std::string home, const std::vector<std::string>& configured);

  // Refused: a path that is absolute, leads out of the home (by ".." or by a link) or names no
  // file.
  Result<void> add(std::string_view path);

  struct Found {
    std::vector<CredentialFile> files;
    std::vector<std::string> notices;  // one for each that is not there, or may not be
  };
  // As they are now: each is looked at again, since files and links change.
  Found find() const;

 private:
  std::string home_;
  std::map<std::string, std::string> paths_;  // by the path at the target: as it was written
};

}  // namespace talaria::host
