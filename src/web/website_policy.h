// WebsitePolicy: blocked domains (security.website_blocklist), for every provider and for
// redirects.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/config/web_config.h"

namespace talaria::web {

// Which rule it was.
struct BlockedSite {
  std::string host;
  std::string rule;
  std::string source;  // "config", or the file with the rule
};

class WebsitePolicy {
 public:
  WebsitePolicy() = default;
  // Reads the files, too. One that cannot be read is a notice and blocks nothing.
  WebsitePolicy(const host::WebsiteBlocklist& blocklist, const std::string& home);

  std::optional<BlockedSite> check_host(std::string_view host) const;
  // Of a URL as it was written, with or without its scheme.
  std::optional<BlockedSite> check(std::string_view url) const;

  const std::vector<std::string>& notices() const { return notices_; }

 private:
  struct Rule {
    std::string domain;
    bool subdomains_only;
    std::string source;
  };

  void add(std::string_view text, const std::string& source);
  void add_file(const std::string& path);

  std::vector<Rule> rules_;
  std::vector<std::string> notices_;
};

}  // namespace talaria::web
