// The part of the table of settings (settings.h) about the web tools.
#pragma once

#include <array>

#include "host/config/setting.h"

namespace talaria::host {

inline constexpr auto kWebSettings = [] {
  using enum SettingType;
  using enum Standing;
  return std::to_array<Setting>({
      {"",
       "web.backend",
       text,
       "",
       "who searches and extracts",
       {.standing = works, .default_note = "the first that is set up"}},
      {"", "web.search_backend", text, "", "who searches", {.standing = works}},
      {"", "web.extract_backend", text, "", "who extracts", {.standing = works}},
      {"", "web.use_gateway", boolean, "false", "firecrawl through the gateway"},
      {"FIRECRAWL_API_KEY", "", text, "", "firecrawl's account", {.secret = true}},
      {"FIRECRAWL_API_URL", "", text, "", "a firecrawl of one's own"},
      {"FIRECRAWL_GATEWAY_URL", "", text, "", "the gateway to it"},
      {"PARALLEL_API_KEY", "", text, "", "parallel's account", {.secret = true}},
      {"PARALLEL_SEARCH_MODE",
       "",
       choice,
       "agentic",
       "how it searches",
       {.choices = "agentic fast one-shot"}},
      {"TAVILY_API_KEY", "", text, "", "tavily's account", {.standing = works, .secret = true}},
      {"TAVILY_BASE_URL", "", text, "", "the service", {.standing = works}},
      {"EXA_API_KEY", "", text, "", "exa's account", {.secret = true}},
      {"SEARXNG_URL", "", text, "", "a searxng", {.standing = works}},
      {"BRAVE_SEARCH_API_KEY",
       "",
       text,
       "",
       "brave's account",
       {.standing = works, .secret = true}},
      {"XAI_API_KEY", "", text, "", "xai's account", {.secret = true}},
      {"", "web.xai.model", text, "", "its model"},
      {"", "web.xai.allowed_domains", list, "[]", "search there only"},
      {"", "web.xai.excluded_domains", list, "[]", "do not search there"},
      {"", "web.xai.timeout", number, "90", "seconds it may take", {.least = 0.001}},
      {"HERMES_ALLOW_PRIVATE_URLS",
       "security.allow_private_urls",
       boolean,
       "false",
       "pages of private networks, too",
       {.standing = works, .older_key = "browser.allow_private_urls"}},
      {"",
       "security.website_blocklist.enabled",
       boolean,
       "false",
       "refuse some domains",
       {.standing = works, .forgiving = true}},
      {"",
       "security.website_blocklist.domains",
       list,
       "[]",
       "which",
       {.standing = works, .forgiving = true}},
      {"",
       "security.website_blocklist.shared_files",
       list,
       "[]",
       "files with more of them",
       {.standing = works, .forgiving = true}},
  });
}();

}  // namespace talaria::host
