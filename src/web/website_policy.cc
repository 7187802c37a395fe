#include "web/website_policy.h"

#include "base/limits.h"
#include "base/text.h"
#include "http/url.h"
#include "os/file.h"

namespace talaria::web {
namespace {

constexpr std::string_view kConfig = "config";

void drop_prefix(std::string_view& text, std::string_view prefix) {
  if (text.starts_with(prefix)) text.remove_prefix(prefix.size());
}

std::string in_place(const std::string& path, const std::string& home) {
  return path.starts_with('/') ? path : home + "/" + path;
}

}  // namespace

WebsitePolicy::WebsitePolicy(const host::WebsiteBlocklist& blocklist, const std::string& home) {
  if (!blocklist.enabled) return;
  for (const std::string& domain : blocklist.domains) add(domain, std::string(kConfig));
  for (const std::string& file : blocklist.shared_files) add_file(in_place(file, home));
}

// "https://www.Example.com/x" means example.com.
void WebsitePolicy::add(std::string_view text, const std::string& source) {
  const std::string lower = lower_case(trim(text));
  std::string_view domain = lower;
  if (const auto scheme = domain.find("://"); scheme != std::string_view::npos) {
    domain.remove_prefix(scheme + 3);
  }
  domain = domain.substr(0, domain.find_first_of("/?#"));
  if (const auto at = domain.rfind('@'); at != std::string_view::npos) domain.remove_prefix(at + 1);
  const bool subdomains_only = domain.starts_with("*.");
  drop_prefix(domain, "*.");
  drop_prefix(domain, "www.");
  const bool ipv6 = domain.starts_with('[');
  if (ipv6) domain = domain.substr(1, domain.find(']') - 1);
  if (!ipv6) domain = domain.substr(0, domain.find(':'));
  auto host = ipv6 ? Result<std::string>(std::string(domain)) : http::normal_host(domain);
  if (!host) {
    notices_.push_back("security.website_blocklist: '" + std::string(trim(text)) +
                       "' is not a domain and blocks nothing");
    return;
  }
  rules_.push_back({std::move(*host), subdomains_only, source});
}

void WebsitePolicy::add_file(const std::string& path) {
  const auto text = os::read_file(path, kMaxConfigFileBytes);
  if (!text) {
    notices_.push_back("security.website_blocklist.shared_files: " + text.error().message());
    return;
  }
  for (std::string_view rest = *text; !rest.empty();) {
    std::string_view line = next_word(rest, '\n');
    line = trim(line.substr(0, line.find('#')));
    if (!line.empty()) add(line, path);
  }
}

std::optional<BlockedSite> WebsitePolicy::check_host(std::string_view host) const {
  for (const Rule& rule : rules_) {
    const bool same = host == rule.domain;
    const bool below = host.size() > rule.domain.size() && host.ends_with(rule.domain) &&
                       host[host.size() - rule.domain.size() - 1] == '.';
    if (below || (same && !rule.subdomains_only)) {
      return BlockedSite{.host = std::string(host),
                         .rule = (rule.subdomains_only ? "*." : "") + rule.domain,
                         .source = rule.source};
    }
  }
  return std::nullopt;
}

std::optional<BlockedSite> WebsitePolicy::check(std::string_view url) const {
  if (rules_.empty()) return std::nullopt;
  auto parsed = http::parse_url(url);
  if (!parsed) parsed = http::parse_url("https://" + std::string(trim(url)));
  return parsed ? check_host(parsed->host) : std::nullopt;
}

}  // namespace talaria::web
