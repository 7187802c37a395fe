#include "host/config/web_config.h"

namespace talaria::host {

WebConfig read_web(const Values& values) {
  const auto has = [&](std::string_view name) { return !values.text(name).empty(); };
  const auto word = [&](std::string_view name) { return lower_case(trim(values.text(name))); };
  return {.backend = word("web.backend"),
          .search_backend = word("web.search_backend"),
          .extract_backend = word("web.extract_backend"),
          .searxng_url = values.text("SEARXNG_URL"),
          .brave_key = Secret(values.text("BRAVE_SEARCH_API_KEY")),
          .tavily_key = Secret(values.text("TAVILY_API_KEY")),
          .tavily_url = values.text("TAVILY_BASE_URL"),
          .has_firecrawl = has("FIRECRAWL_API_KEY") || has("FIRECRAWL_API_URL"),
          .has_parallel = has("PARALLEL_API_KEY"),
          .has_exa = has("EXA_API_KEY"),
          .has_xai = has("XAI_API_KEY"),
          .allow_private_urls = values.truth("HERMES_ALLOW_PRIVATE_URLS"),
          .blocklist = {.enabled = values.truth("security.website_blocklist.enabled"),
                        .domains = values.texts("security.website_blocklist.domains"),
                        .shared_files = values.texts("security.website_blocklist.shared_files")}};
}

}  // namespace talaria::host
