#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "policy/redact/rows.h"

namespace talaria::policy {
namespace {

// A token is a whole word of letters, digits, _ and -, so it begins where such a word begins.
bool is_word(char c) { return is_alphanumeric(c) || c == '_' || c == '-'; }

bool word(char c) { return is_word(c); }
bool no_dash(char c) { return is_alphanumeric(c) || c == '_'; }
bool no_underscore(char c) { return is_alphanumeric(c) || c == '-'; }
bool plain(char c) { return is_alphanumeric(c); }
bool capitals(char c) { return is_upper(c) || is_digit(c); }
bool hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); }

struct Maker {
  std::string_view prefix;
  std::size_t least;  // characters behind the prefix
  bool (*letter)(char) = plain;
  std::size_t most = std::string_view::npos;
};

constexpr auto kMakers = std::to_array<Maker>({
    {"sk-", 10, word},
    {"fal_", 10, word},
    {"bb_live_", 10, word},
    {"pypi-", 10, word},
    {"am_", 10, word},
    {"github_pat_", 10, no_dash},
    {"sk_", 10, no_dash},
    {"xoxb-", 10, no_underscore},
    {"xoxa-", 10, no_underscore},
    {"xoxp-", 10, no_underscore},
    {"xoxr-", 10, no_underscore},
    {"xoxs-", 10, no_underscore},
    {"xapp-", 10, no_underscore},
    {"glpat-", 10, word},
    {"ghp_", 10},
    {"gho_", 10},
    {"ghu_", 10},
    {"ghs_", 10},
    {"ghr_", 10},
    {"pplx-", 10},
    {"fc-", 10},
    {"sk_live_", 10},
    {"sk_test_", 10},
    {"rk_live_", 10},
    {"hf_", 10},
    {"r8_", 10},
    {"npm_", 10},
    {"dop_v1_", 10},
    {"doo_v1_", 10},
    {"tvly-", 10},
    {"exa_", 10},
    {"gsk_", 10},
    {"syt_", 10},
    {"retaindb_", 10},
    {"hsk-", 10},
    {"mem0_", 10},
    {"brv_", 10},
    {"ntn_", 10},
    {"AIza", 30, word},
    {"xai-", 30},
    {"AKIA", 16, capitals, 16},
    {"ASIA", 16, capitals, 16},
    // Beyond those that Hermes knows.
    {"tal_", 32, no_dash},  // our own (api/tokens.cc)
    {"dckr_pat_", 10, word},
    {"dckr_oat_", 10, word},
    {"gldt-", 16, word},
    {"glrt-", 16, word},
    {"glptt-", 16, word},
    {"glcbt-", 16, word},
    {"glsa_", 16, no_dash},
    {"glc_", 20, word},
    {"xoxc-", 10, no_underscore},
    {"xoxd-", 10, word},
    {"xoxe-", 10, no_underscore},
    {"rk_test_", 10},
    {"whsec_", 16},
    {"shpat_", 16, hex},
    {"shpss_", 16, hex},
    {"shpca_", 16, hex},
    {"shppa_", 16, hex},
    {"sq0atp-", 16, word},
    {"sq0csp-", 16, word},
    {"GOCSPX-", 16, word},
    {"sntrys_", 20, word},
    {"sntryu_", 20},
    {"lin_api_", 16},
    {"lin_oauth_", 16},
    {"figd_", 16, word},
    {"PMAK-", 20, word},
    {"NRAK-", 16, capitals},
    {"dapi", 32, hex},
    {"key-", 32, hex, 32},
    {"ATATT3", 20, word},
    {"ATBB", 20},
    {"AKCp", 20},
    {"rubygems_", 20, hex},
    {"oy2", 43, plain, 43},
    {"tskey-", 16, word},
    {"pscale_tkn_", 16, word},
    {"pscale_pw_", 16, word},
    {"sbp_", 20, hex},
    {"sb_secret_", 16, word},
    {"nfp_", 20},
    {"nvapi-", 20, word},
    {"lsv2_", 20, no_dash},
    {"pcsk_", 20, no_dash},
    {"tgp_v1_", 20, word},
    {"xkeysib-", 20, word},
    {"apify_api_", 16},
    {"AGE-SECRET-KEY-1", 20, capitals},
});

// Words with dots between them: the prefix, at least so many characters behind it, and how many
// further words there may be.
struct DottedMaker {
  std::string_view prefix;
  std::size_t least;
  std::size_t further_words;
};

constexpr auto kDottedMakers = std::to_array<DottedMaker>({
    {"SG.", 10, 1},
    {"hvs.", 20, 0},
    {"hvb.", 20, 0},
    {"ya29.", 20, 0},
    {"dp.pt.", 20, 0},
    {"xoxe.xoxp-", 10, 0},
    {"xoxe.xoxb-", 10, 0},
});

constexpr std::size_t kShortestToken = 13;  // prefix and all

bool is_token(std::string_view text) {
  if (text.size() < kShortestToken) return false;
  return std::ranges::any_of(kMakers, [&](const Maker& maker) {
    if (!text.starts_with(maker.prefix)) return false;
    const std::string_view tail = text.substr(maker.prefix.size());
    return tail.size() >= maker.least && tail.size() <= maker.most &&
           std::ranges::all_of(tail, maker.letter);
  });
}

std::size_t end_of_word(std::string_view text, std::size_t at) {
  while (at < text.size() && is_word(text[at])) ++at;
  return at;
}

// Where the dotted token ends that begins at `begin`; `begin` if there is none.
std::size_t end_of_dotted(std::string_view text, std::size_t begin) {
  for (const DottedMaker& maker : kDottedMakers) {
    if (!text.substr(begin).starts_with(maker.prefix)) continue;
    const std::size_t tail = begin + maker.prefix.size();
    std::size_t end = end_of_word(text, tail);
    if (end - tail < maker.least) continue;
    for (std::size_t more = 0; more < maker.further_words; ++more) {
      if (!text.substr(end).starts_with('.')) break;
      const std::size_t next = end_of_word(text, end + 1);
      if (next == end + 1) break;
      end = next;
    }
    return end;
  }
  return begin;
}

// Where the token ends that begins at `begin` with the word up to `end`; `begin` if it is none.
std::size_t end_of_token(std::string_view text, std::size_t begin, std::size_t end) {
  constexpr std::string_view kFernet = "gAAAA";
  constexpr std::size_t kLeastFernet = 20;
  const std::string_view first = text.substr(begin, end - begin);
  if (is_token(first)) return end;
  if (text.substr(end).starts_with('.')) {
    if (const std::size_t last = end_of_dotted(text, begin); last > begin) return last;
  }
  if (first.starts_with(kFernet)) {
    std::size_t last = end;
    while (last < text.size() && (is_word(text[last]) || text[last] == '=')) ++last;
    if (last - begin - kFernet.size() >= kLeastFernet) return last;
  }
  return begin;
}

}  // namespace

void mask_vendor_tokens(RewrittenText& whole) {
  const std::string_view text = whole.text;
  Rewrite rewrite(whole);
  for (std::size_t at = 0; at < text.size();) {
    if (!is_word(text[at])) {
      ++at;
      continue;
    }
    const std::size_t word_end = end_of_word(text, at);
    const std::size_t end = end_of_token(text, at, word_end);
    if (end > at) rewrite.replace(at, end, mask(text.substr(at, end - at)));
    at = std::max(end, word_end);
  }
  rewrite.finish();
}

}  // namespace talaria::policy
