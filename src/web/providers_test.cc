#include "web/providers.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace talaria::web {
namespace {

using testing::HasSubstr;

std::string chosen(Result<const Provider*> provider) {
  return provider ? std::string((*provider)->name) : provider.error().message();
}

const Secret kKey("key");

TEST(ProvidersTest, NobodyIsSetUp) {
  EXPECT_EQ(chosen(search_provider({})),
            "No web search provider is configured. Set web.search_backend (searxng, brave-free or "
            "tavily) and its address or key in config.yaml.");
  EXPECT_EQ(chosen(extract_provider({})), "builtin");
}

TEST(ProvidersTest, TheFirstThatIsSetUpServes) {
  EXPECT_EQ(chosen(search_provider({.searxng_url = "http://s", .brave_key = kKey})), "searxng");
  EXPECT_EQ(chosen(search_provider({.searxng_url = "http://s", .tavily_key = kKey})), "tavily");
  EXPECT_EQ(chosen(search_provider({.brave_key = kKey, .has_exa = true})), "brave-free");
  EXPECT_EQ(chosen(extract_provider({.tavily_key = kKey})), "tavily");
  EXPECT_EQ(chosen(extract_provider({.has_firecrawl = true})), "builtin");
}

TEST(ProvidersTest, TheOwnSettingWinsIfItIsSetUp) {
  const host::WebConfig config{.backend = "brave-free",
                               .search_backend = "searxng",
                               .searxng_url = "http://s",
                               .brave_key = kKey};
  EXPECT_EQ(chosen(search_provider(config)), "searxng");
  host::WebConfig without = config;
  without.searxng_url.clear();
  EXPECT_EQ(chosen(search_provider(without)), "brave-free");
  EXPECT_EQ(chosen(extract_provider({.extract_backend = "builtin", .tavily_key = kKey})),
            "builtin");
}

TEST(ProvidersTest, AChosenOneThatCannotSaysWhy) {
  EXPECT_EQ(chosen(search_provider({.backend = "tavily"})),
            "Tavily is chosen but not set up: TAVILY_API_KEY is missing.");
  EXPECT_THAT(chosen(search_provider({.backend = "exa", .brave_key = kKey})),
              HasSubstr("Exa (exa) is known, but not part of this version"));
  EXPECT_THAT(chosen(search_provider({.backend = "builtin"})), HasSubstr("cannot search the web"));
  EXPECT_THAT(chosen(search_provider({.has_xai = true})), HasSubstr("xAI (xai) is known"));
  EXPECT_EQ(chosen(search_provider({.backend = "no-such", .brave_key = kKey})), "brave-free");
  EXPECT_EQ(chosen(search_provider({.search_backend = "altavista"})),
            "web.search_backend is 'altavista'; expected searxng, brave-free or tavily");
  EXPECT_EQ(chosen(search_provider({.backend = "altavista"})),
            "web.backend is 'altavista'; expected searxng, brave-free or tavily");
  EXPECT_EQ(chosen(search_provider({.search_backend = "searxng"})),
            "web.search_backend is searxng, but SEARXNG_URL is not set");
}

TEST(ProvidersTest, ASearchOnlyBackendIsNotSwitchedSilently) {
  for (const char* name : {"searxng", "brave-free", "ddgs", "xai"}) {
    for (const host::WebConfig& config :
         {host::WebConfig{.extract_backend = name}, host::WebConfig{.backend = name},
          host::WebConfig{.extract_backend = name, .searxng_url = "http://s", .brave_key = kKey}}) {
      EXPECT_THAT(chosen(extract_provider(config)),
                  HasSubstr(" is a search-only backend and cannot extract URL content. "))
          << name;
    }
  }
  EXPECT_THAT(chosen(extract_provider({.extract_backend = "searxng"})), HasSubstr("SearXNG is"));
}

TEST(ProvidersTest, EveryOneOfTheTableIsWhatItSays) {
  for (const Provider& provider : all_providers()) {
    EXPECT_TRUE(provider.searches || provider.extracts) << provider.name;
    if (provider.search) EXPECT_TRUE(provider.searches) << provider.name;
    if (provider.extract) EXPECT_TRUE(provider.extracts) << provider.name;
  }
}

}  // namespace
}  // namespace talaria::web
