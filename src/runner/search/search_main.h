// The process that does one search: it reads the query, does it with one engine or the other, and
// prints the answer. It may use threads and memory as it needs; the runner only waits for it.
#pragma once

#include <chrono>
#include <string>

#include "base/result.h"
#include "link/search_messages.h"
#include "runner/search/ripgrep.h"

namespace talaria::runner {

inline constexpr const char* kSearchArgument = "search";

// How long it may take.
std::chrono::milliseconds time_of(const link::SearchFiles& query);

// `query.path` is absolute.
Result<link::SearchReport> search_files(link::SearchFiles query, const Ripgrep& known);

// talaria-runner search [RIPGREP VERSION]: a SearchFiles on standard input, a response on standard
// output.
int search_main(int argc, char** argv);

}  // namespace talaria::runner
