#include "tools/shown_output.h"

#include "base/limits.h"
#include "base/text.h"
#include "policy/redact.h"

namespace talaria::tool {
namespace {

std::size_t head_chars(std::size_t max_chars) { return max_chars / 5 * 2 + max_chars % 5 * 2 / 5; }
std::size_t tail_chars(std::size_t max_chars) { return max_chars - head_chars(max_chars); }

std::string join(std::string_view head, std::string_view tail, std::size_t total_chars) {
  const std::size_t omitted = total_chars - count_chars(head) - count_chars(tail);
  std::string text(head);
  text += "\n\n... [OUTPUT TRUNCATED - " + std::to_string(omitted) + " chars omitted out of " +
          std::to_string(total_chars) + " total] ...\n\n";
  return text += tail;
}

}  // namespace

ShownOutput cut_text(std::string text, const OutputLimit& limit) {
  const std::size_t chars = count_chars(text);
  if (chars <= limit.max_chars) return {std::move(text), false};
  if (limit.mask) text = policy::redact(text);
  return {join(first_chars(text, head_chars(limit.max_chars)),
               last_chars(text, tail_chars(limit.max_chars)), chars),
          true};
}

ShownOutput shown_output(const environment::CommandOutcome& outcome, std::string_view note,
                         const OutputLimit& limit) {
  const std::size_t carried = outcome.head.size() + outcome.tail.size();
  const std::size_t missing = outcome.total > carried ? outcome.total - carried : 0;

  if (missing == 0) {
    std::string text = sanitize_utf8(outcome.head + outcome.tail);
    text += note;
    return cut_text(std::move(text), limit);
  }

  // Nobody here saw the bytes between head and tail; each counts as one character.
  std::string head = sanitize_utf8(without_cut_end(outcome.head));
  std::string tail = sanitize_utf8(without_cut_start(outcome.tail)).append(note);
  const std::size_t chars = count_chars(head) + missing + count_chars(tail);
  if (limit.mask) {
    head = policy::redact(head);
    tail = policy::redact(tail);
  }
  return {join(first_chars(head, head_chars(limit.max_chars)),
               last_chars(tail, tail_chars(limit.max_chars)), chars),
          true};
}

void limit_output(environment::CommandSpec& spec, std::size_t max_chars) {
  spec.head_limit = head_chars(max_chars) * kMaxUtf8Bytes;
  spec.tail_limit = tail_chars(max_chars) * kMaxUtf8Bytes;
}

}  // namespace talaria::tool
