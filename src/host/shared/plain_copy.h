// A copy of a directory's regular files, without the symbolic links in it: a container
// that has a directory bound would follow one to a place of its own, or find nothing.
#pragma once

#include <string>

#include "base/result.h"

namespace talaria::host {

// Whether there is anything in it but regular files and directories.
bool has_more_than_files(const std::string& directory);

// Makes `copy` hold the regular files of `source` and nothing else. It is changed in place, file by
// file in one step each: a container that has it bound sees what is new. While another program does
// the same nothing is done.
Result<void> bring_up_to_date(const std::string& source, const std::string& copy);

}  // namespace talaria::host
