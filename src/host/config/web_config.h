// What the configuration says about the web tools.
#pragma once

#include <string>
#include <vector>

#include "base/secret.h"
#include "host/config/values.h"

namespace talaria::host {

// Domains that are not fetched from.
struct WebsiteBlocklist {
  bool enabled = false;
  std::vector<std::string> domains;
  std::vector<std::string> shared_files;  // with more of them, one a line
};

struct WebConfig {
  std::string backend;  // of both, if they are not named below
  std::string search_backend;
  std::string extract_backend;
  std::string searxng_url;
  Secret brave_key;
  Secret tavily_key;
  std::string tavily_url;
  // Whether these are set up; we only know of them.
  bool has_firecrawl = false;
  bool has_parallel = false;
  bool has_exa = false;
  bool has_xai = false;
  bool allow_private_urls = false;
  WebsiteBlocklist blocklist;
};

WebConfig read_web(const Values& values);

}  // namespace talaria::host
