// A file to write whose content is all there.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "environment/files.h"

namespace talaria::environment {

inline FileToWrite whole_file(TargetPath to, std::shared_ptr<const std::string> content) {
  FileToWrite file{.to = std::move(to), .size = content->size()};
  file.next = [content = std::move(content), at = std::size_t{0}](std::size_t most) mutable {
    std::string piece = content->substr(at, most);
    at += piece.size();
    return Result<std::string>(std::move(piece));
  };
  return file;
}

}  // namespace talaria::environment
