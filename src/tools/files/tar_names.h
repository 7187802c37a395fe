// TarNames: reads the headers of a tar archive (ustar, pax, GNU) as it passes by, and reports the
// name of each entry. It looks at nothing else, and needs no more of the archive than one header.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace talaria::tool {

struct TarEntry {
  std::string name;
  std::string link_to;  // of a link
  bool is_file = false;
  bool is_link = false;  // symbolic or hard
};

class TarNames {
 public:
  // An Error of `take` ends it.
  using Take = std::function<Result<void>(const TarEntry& entry)>;
  explicit TarNames(Take take) : take_(std::move(take)) {}

  // An Error (bad_request): it is not an archive.
  Result<void> feed(std::string_view bytes);
  // Whether the archive is there to its end.
  bool complete() const { return ended_; }
  std::uint64_t files() const { return files_; }

 private:
  static constexpr std::size_t kBlock = 512;

  Result<void> take_block(std::string_view block);
  Result<void> take_header(std::string_view block);
  Result<void> take_data(std::string_view data);

  Take take_;
  std::string block_;         // the beginning of the next one
  std::uint64_t skip_ = 0;    // bytes of content and padding that follow
  std::uint64_t wanted_ = 0;  // of them, those that belong to data_
  char data_type_ = '\0';     // of what describes the next entry: 'x', 'L', 'K'
  std::string data_;
  std::optional<std::string> long_name_;
  std::optional<std::string> long_link_;
  std::uint64_t files_ = 0;
  bool ended_ = false;
};

}  // namespace talaria::tool
