// All limits of the web tools.
#pragma once

#include <chrono>
#include <cstddef>

namespace talaria::web {

// Seconds a page may take, from its name to its last byte, redirects and all; an answer of
// a search engine; one of a service that fetches pages for us.
inline constexpr std::chrono::seconds kWebFetchTime{30};
inline constexpr std::chrono::seconds kWebSearchTime{15};
inline constexpr std::chrono::seconds kWebServiceTime{60};
// Bytes of an answer, as they are sent and once they are unpacked; redirects of one page.
inline constexpr std::size_t kMaxWebBodyBytes = 8u << 20;
inline constexpr std::size_t kMaxWebDecodedBytes = 16u << 20;
inline constexpr int kMaxWebRedirects = 10;
// What reading one page of HTML may cost. Hostile nesting takes quadratic time and memory.
inline constexpr std::chrono::milliseconds kMaxHtmlTime{2'000};
inline constexpr std::size_t kMaxHtmlMemory = 256u << 20;
// Pages of one call; characters shown of one, and of one that is shown at all.
inline constexpr std::size_t kMaxWebPages = 5;
inline constexpr std::size_t kMaxWebPageChars = 5'000;
inline constexpr std::size_t kMaxWebReadableChars = 2'000'000;
// Characters shown of a title, and of what a search says about a page.
inline constexpr std::size_t kMaxWebTitleChars = 500;
inline constexpr std::size_t kMaxWebDescriptionChars = 5'000;
// Results of a search, unless the caller says, and at most.
inline constexpr std::size_t kDefaultWebResults = 5;
inline constexpr std::size_t kMaxWebResults = 100;

}  // namespace talaria::web
