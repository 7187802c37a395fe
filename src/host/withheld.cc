#include "host/withheld.h"

#include <algorithm>
#include <array>

namespace talaria::host {
namespace {

constexpr auto kWithheldNames = std::to_array<std::string_view>({
    // model providers
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_BASE_URL",
    "ANTHROPIC_TOKEN",
    "AWS_BEARER_TOKEN_BEDROCK",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "COHERE_API_KEY",
    "DEEPSEEK_API_KEY",
    "FIREWORKS_API_KEY",
    "GOOGLE_API_KEY",
    "GROQ_API_KEY",
    "HELICONE_API_KEY",
    "LLM_MODEL",
    "MISTRAL_API_KEY",
    "OPENAI_API_BASE",
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
    "OPENAI_ORGANIZATION",
    "OPENAI_ORG_ID",
    "OPENROUTER_API_KEY",
    "PERPLEXITY_API_KEY",
    "TOGETHER_API_KEY",
    "XAI_API_KEY",
    // tool services
    "BRAVE_SEARCH_API_KEY",
    "ELEVENLABS_API_KEY",
    "EXA_API_KEY",
    "FIRECRAWL_API_KEY",
    "FIRECRAWL_API_URL",
    "HASS_TOKEN",
    "HASS_URL",
    "PARALLEL_API_KEY",
    "TAVILY_API_KEY",
    // targets and the gateway
    "DAYTONA_API_KEY",
    "GATEWAY_ALLOWED_USERS",
    "GATEWAY_ALLOW_ALL_USERS",
    "HERMES_DASHBOARD_SESSION_TOKEN",
    "MODAL_TOKEN_ID",
    "MODAL_TOKEN_SECRET",
    "SUDO_PASSWORD",
    "TOOL_GATEWAY_DOMAIN",
    "TOOL_GATEWAY_SCHEME",
    "TOOL_GATEWAY_USER_TOKEN",
    // source hosting
    "GH_TOKEN",
    "GITHUB_APP_ID",
    "GITHUB_APP_INSTALLATION_ID",
    "GITHUB_APP_PRIVATE_KEY_PATH",
    "GITHUB_TOKEN",
});

// Whole families: messaging accounts with their channels and allow-lists, our own settings, and the
// prefix that lifts this filter, which counts only in a call and never in the process environment.
constexpr auto kWithheldPrefixes = std::to_array<std::string_view>({
    "BROWSERBASE_",
    "DISCORD_",
    "EMAIL_",
    "SIGNAL_",
    "SLACK_",
    "TELEGRAM_",
    "WHATSAPP_",
    "TALARIA_",
    "_HERMES_FORCE_",
});

}  // namespace

bool is_withheld(std::string_view name) {
  return std::ranges::find(kWithheldNames, name) != kWithheldNames.end() ||
         std::ranges::any_of(kWithheldPrefixes,
                             [&](std::string_view prefix) { return name.starts_with(prefix); });
}

std::vector<std::string> withheld_patterns() {
  std::vector<std::string> patterns(kWithheldNames.begin(), kWithheldNames.end());
  for (const std::string_view prefix : kWithheldPrefixes)
    patterns.push_back(std::string(prefix) + "*");
  return patterns;
}

}  // namespace talaria::host
