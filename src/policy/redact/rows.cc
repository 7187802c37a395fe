#include "policy/redact/rows.h"

#include <numeric>
#include <utility>

#include "policy/redact.h"

namespace talaria::policy {
namespace {

constexpr std::size_t kShortest = 18;  // of which parts may be shown
constexpr std::size_t kFirst = 6;
constexpr std::size_t kLast = 4;

}  // namespace

std::string mask(std::string_view secret) {
  if (count_chars(secret) < kShortest) return "***";
  return std::string(first_chars(secret, kFirst)) + "..." + std::string(last_chars(secret, kLast));
}

RewrittenText trace(std::string text) {
  RewrittenText made{.text = std::move(text), .traced = true};
  made.origins.resize(made.text.size());
  std::iota(made.origins.begin(), made.origins.end(), 0u);
  return made;
}

void Rewrite::replace(std::size_t begin, std::size_t end, std::string_view by) {
  const std::string_view old = std::string_view(text_.text).substr(begin, end - begin);
  if (text_.shows_commands && !is_plain_secret(old)) return;
  copy_until(begin);
  result_.append(by);
  if (text_.traced) origins_.resize(result_.size(), text_.origins[begin]);
  copied_ = end;
  changed_ = true;
}

void Rewrite::copy_until(std::size_t end) {
  result_.append(text_.text, copied_, end - copied_);
  if (!text_.traced) return;
  const auto first = text_.origins.begin();
  origins_.insert(origins_.end(), first + static_cast<std::ptrdiff_t>(copied_),
                  first + static_cast<std::ptrdiff_t>(end));
}

void Rewrite::finish() {
  if (!changed_) return;
  copy_until(text_.text.size());
  text_.text = std::move(result_);
  text_.origins = std::move(origins_);
}

}  // namespace talaria::policy
