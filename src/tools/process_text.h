// A process's output as a model reads it: valid text without escape sequences and secrets, cut at
// whole characters, and by lines.
#pragma once

#include <talaria/process.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace talaria::tool {

// Bytes to ask for so that `chars` characters can be shown: some of them will be escape sequences.
std::uint64_t bytes_for_chars(std::size_t chars);

// How much of the output CallContext::on_progress gets.
inline constexpr std::size_t kProgressChars = 500;

// The last `chars` characters of `info.tail`. `mask`: without secrets.
std::string shown_tail(const ProcessInfo& info, std::size_t chars, bool mask = true);

// The lines of `text`, without their ends: whatever ends a line in Unicode ends one here.
std::vector<std::string_view> unicode_lines(std::string_view text);

// Of `lines`: the last `limit` for offset 0, else `limit` from `offset` on.
std::vector<std::string_view> page_of(const std::vector<std::string_view>& lines,
                                      std::size_t offset, std::size_t limit);

}  // namespace talaria::tool
