// Provider: a service that searches the web or fetches pages. All are in one table. Those without a
// function are not implemented, and choosing one is a clear error.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "host/config/web_config.h"
#include "http/url.h"
#include "web/web_access.h"
#include "web/website_policy.h"

namespace talaria::web {

struct SearchHit {
  std::string title;
  std::string url;
  std::string description;
};

// A page, or an error.
struct ExtractedPage {
  std::string title;
  std::string content;                 // Markdown
  std::string error;                   // empty: none
  std::string reason;                  // more about the error, for people
  std::optional<BlockedSite> blocked;  // by the operator's list
};

struct Provider {
  using Search = Task<Result<std::vector<SearchHit>>> (*)(WebAccess& access, std::string query,
                                                          std::size_t limit);
  // One page for each URL, in their order.
  using Extract = Task<std::vector<ExtractedPage>> (*)(WebAccess& access,
                                                       std::vector<http::Url> urls);

  std::string_view name;                             // as in web.backend
  std::string_view label;                            // as people write it
  std::string_view needs;                            // the setting without which it cannot work
  bool (*is_set_up)(const host::WebConfig& config);  // as far as the configuration says
  bool searches = false;
  bool extracts = false;
  Search search = nullptr;
  Extract extract = nullptr;
  bool checks_addresses = false;  // it connects by itself, and checks what it connects to

  bool is_built() const { return search || extract; }
};

}  // namespace talaria::web
