#include "web/providers.h"

#include <algorithm>
#include <array>
#include <string>

#include "web/builtin.h"
#include "web/search_providers.h"

namespace talaria::web {
namespace {

// In the order in which they are tried when nobody says which.
constexpr auto kProviders = std::to_array<Provider>({
    {"tavily", "Tavily", "TAVILY_API_KEY",
     [](const host::WebConfig& c) { return !c.tavily_key.empty(); }, true, true, tavily_search,
     tavily_extract},
    {"exa", "Exa", "EXA_API_KEY", [](const host::WebConfig& c) { return c.has_exa; }, true, true},
    {"parallel", "Parallel", "PARALLEL_API_KEY",
     [](const host::WebConfig& c) { return c.has_parallel; }, true, true},
    {"firecrawl", "Firecrawl", "FIRECRAWL_API_KEY",
     [](const host::WebConfig& c) { return c.has_firecrawl; }, true, true},
    {"searxng", "SearXNG", "SEARXNG_URL",
     [](const host::WebConfig& c) { return !c.searxng_url.empty(); }, true, false, searxng_search},
    {"brave-free", "Brave", "BRAVE_SEARCH_API_KEY",
     [](const host::WebConfig& c) { return !c.brave_key.empty(); }, true, false, brave_search},
    {"ddgs", "DuckDuckGo", "", [](const host::WebConfig&) { return false; }, true, false},
    {"xai", "xAI", "XAI_API_KEY", [](const host::WebConfig& c) { return c.has_xai; }, true, false},
    {"builtin", "The built-in extractor", "", [](const host::WebConfig&) { return true; }, false,
     true, nullptr, builtin_extract, true},
});

// One of the two things a provider may do.
struct Ability {
  bool Provider::* has;
  bool (*is_built)(const Provider& provider);
  std::string host::WebConfig::* own_setting;
  std::string_view lacks;      // "Brave" + this
  std::string_view elsewhere;  // where to look instead
  std::string_view nobody;
  std::string_view setting;   // the name of own_setting
  std::string_view expected;  // its values
};

const Ability kSearch{
    &Provider::searches,
    [](const Provider& p) { return p.search != nullptr; },
    &host::WebConfig::search_backend,
    " is an extract-only backend and cannot search the web.",
    " Set web.search_backend to searxng, brave-free or tavily.",
    "No web search provider is configured. Set web.search_backend (searxng, brave-free or "
    "tavily) and its address or key in config.yaml.",
    "web.search_backend",
    "searxng, brave-free or tavily"};
const Ability kExtract{
    &Provider::extracts,
    [](const Provider& p) { return p.extract != nullptr; },
    &host::WebConfig::extract_backend,
    " is a search-only backend and cannot extract URL content.",
    " Set web.extract_backend to builtin or tavily.",
    "No web extract provider is configured. Set web.extract_backend to builtin or tavily.",
    "web.extract_backend",
    "builtin or tavily"};

const Provider* find_provider(std::string_view name) {
  const auto found = std::ranges::find(kProviders, name, &Provider::name);
  return found == kProviders.end() ? nullptr : &*found;
}

std::unexpected<Error> cannot(const std::string& why) { return fail(ErrorKind::unavailable, why); }

// The provider, or why it is none for this.
Result<const Provider*> if_able(const Provider& provider, const Ability& ability,
                                const host::WebConfig& config) {
  const std::string label(provider.label);
  if (!(provider.*ability.has)) {
    return cannot(label + std::string(ability.lacks) + std::string(ability.elsewhere));
  }
  if (!ability.is_built(provider)) {
    return cannot(label + " (" + std::string(provider.name) +
                  ") is known, but not part of this version of Talaria." +
                  std::string(ability.elsewhere));
  }
  if (!provider.is_set_up(config)) {
    return cannot(label + " is chosen but not set up: " + std::string(provider.needs) +
                  " is missing.");
  }
  return &provider;
}

// Why none is left: what was chosen is unknown, or lacks its key.
std::string why_none(const host::WebConfig& config, const Ability& ability) {
  const std::string& own = config.*ability.own_setting;
  const std::string& said = own.empty() ? config.backend : own;
  if (said.empty()) return std::string(ability.nobody);
  const std::string setting(own.empty() ? "web.backend" : ability.setting);
  if (const Provider* known = find_provider(said)) {
    return setting + " is " + said + ", but " + std::string(known->needs) + " is not set";
  }
  return setting + " is '" + said + "'; expected " + std::string(ability.expected);
}

Result<const Provider*> choose(const host::WebConfig& config, const Ability& ability) {
  // One that cannot do it at all is an error; one that only lacks its key is passed
  // by.
  const Provider* own = find_provider(config.*ability.own_setting);
  if (own && (own->is_set_up(config) || !(own->*ability.has)))
    return if_able(*own, ability, config);
  if (const Provider* named = find_provider(config.backend))
    return if_able(*named, ability, config);
  for (const Provider& provider : kProviders) {
    if (ability.is_built(provider) && provider.is_set_up(config)) return &provider;
  }
  for (const Provider& provider : kProviders) {
    if (provider.*ability.has && provider.is_set_up(config)) {
      return if_able(provider, ability, config);
    }
  }
  return cannot(why_none(config, ability));
}

}  // namespace

std::span<const Provider> all_providers() { return kProviders; }

Result<const Provider*> search_provider(const host::WebConfig& config) {
  return choose(config, kSearch);
}

Result<const Provider*> extract_provider(const host::WebConfig& config) {
  return choose(config, kExtract);
}

}  // namespace talaria::web
