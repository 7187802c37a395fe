// What a Content-Encoding did to the body of an answer, undone.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace talaria::http {

// `encodings`: "gzip", "deflate", "br" or several of them, the last to be undone first. An error if
// more than `most` bytes come out: a small body may hold a very large one.
Result<std::string> decode_content(std::string_view encodings, std::string body, std::size_t most);

}  // namespace talaria::http
