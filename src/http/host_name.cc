#include "http/host_name.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <vector>

#include "base/text.h"

namespace talaria::http {
namespace {

using CodePoint = utf8proc_int32_t;
using CodePoints = std::vector<CodePoint>;

constexpr CodePoint kNonJoiner = 0x200c;
constexpr CodePoint kJoiner = 0x200d;
constexpr std::size_t kMaxNameBytes = 1024;  // before mapping; a name in the DNS has 253

// What case folding and normalization would change, but names keep (the deviations of UTS 46), and
// code points for private use that stand for them meanwhile.
struct Kept {
  CodePoint letter;
  CodePoint stand_in;
};
constexpr auto kKept = std::to_array<Kept>(
    {{0xdf, 0xf0001}, {0x3c2, 0xf0002}, {kNonJoiner, 0xf0003}, {kJoiner, 0xf0004}});

std::unexpected<Error> bad_name(const std::string& flaw) {
  return fail(ErrorKind::bad_request, "not a valid URL: its host " + flaw);
}

bool is_between(CodePoint c, CodePoint first, CodePoint last) { return c >= first && c <= last; }

const utf8proc_property_t& property(CodePoint c) { return *utf8proc_get_property(c); }

// Left out by UTS 46. Everything else that is not visible is refused.
bool is_ignored(CodePoint c) {
  return c == 0xad || c == 0x34f || is_between(c, 0x180b, 0x180d) || c == 0x180f || c == 0x200b ||
         c == 0x2060 || c == 0x2064 || is_between(c, 0xfe00, 0xfe0f) || c == 0xfeff ||
         is_between(c, 0xe0100, 0xe01ef);
}

Result<CodePoints> code_points(std::string_view utf8) {
  CodePoints points;
  const auto* at = reinterpret_cast<const utf8proc_uint8_t*>(utf8.data());
  auto left = static_cast<utf8proc_ssize_t>(utf8.size());
  while (left > 0) {
    CodePoint point = 0;
    const utf8proc_ssize_t size = utf8proc_iterate(at, left, &point);
    if (size <= 0) return bad_name("is not UTF-8");
    points.push_back(point);
    at += size;
    left -= size;
  }
  return points;
}

// What UTS 46 takes for a dot. Others, as in "…", would make labels that nobody sees.
bool is_dot(CodePoint c) { return c == '.' || c == 0x3002 || c == 0xff0e || c == 0xff61; }

std::string utf8_of(std::span<const CodePoint> points) {
  std::string text;
  for (const CodePoint point : points) {
    utf8proc_uint8_t bytes[4];
    const utf8proc_ssize_t size = utf8proc_encode_char(point, bytes);
    text.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
  }
  return text;
}

// Folded to lower case, in normalization form KC. A code point that is not assigned is refused.
Result<std::string> fold(const std::string& text) {
  constexpr auto kOptions = static_cast<utf8proc_option_t>(
      UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD | UTF8PROC_REJECTNA);
  utf8proc_uint8_t* folded = nullptr;
  const utf8proc_ssize_t size =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                   static_cast<utf8proc_ssize_t>(text.size()), &folded, kOptions);
  if (size < 0) return bad_name("has a character that names cannot have");
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(folded, &std::free);
  return std::string(reinterpret_cast<const char*>(folded), static_cast<std::size_t>(size));
}

// The mapping of UTS 46, without the transitional part.
Result<CodePoints> map_name(std::string_view utf8) {
  const auto given = code_points(utf8);
  if (!given) return fail(given.error());
  CodePoints prepared;
  for (const CodePoint point : *given) {
    if (is_ignored(point)) continue;
    const auto kept = std::ranges::find(kKept, point, &Kept::letter);
    if (kept != kKept.end()) {
      prepared.push_back(kept->stand_in);
    } else if (property(point).ignorable || utf8proc_category(point) == UTF8PROC_CATEGORY_CO) {
      return bad_name("has a character that names cannot have");
    } else {
      prepared.push_back(is_dot(point) ? '.' : point);
    }
  }
  const auto once = fold(utf8_of(prepared));
  if (!once) return fail(once.error());
  const auto twice = fold(*once);
  if (!twice) return fail(twice.error());
  if (*once != *twice) return bad_name("has letters that have no single lower-case form");
  auto mapped = code_points(*once);
  if (!mapped) return mapped;
  for (CodePoint& point : *mapped) {
    const auto kept = std::ranges::find(kKept, point, &Kept::stand_in);
    if (kept != kKept.end()) point = kept->letter;
  }
  if (std::ranges::count(*mapped, '.') != std::ranges::count(prepared, '.')) {
    return bad_name("has a character that names cannot have");
  }
  return mapped;
}

bool is_mark(CodePoint c) {
  const auto category = utf8proc_category(c);
  return category == UTF8PROC_CATEGORY_MN || category == UTF8PROC_CATEGORY_MC ||
         category == UTF8PROC_CATEGORY_ME;
}

bool is_greek(CodePoint c) { return is_between(c, 0x370, 0x3ff) || is_between(c, 0x1f00, 0x1fff); }
bool is_hebrew(CodePoint c) { return is_between(c, 0x591, 0x5f4); }
bool is_kana_or_han(CodePoint c) {
  return is_between(c, 0x3041, 0x309f) || (is_between(c, 0x30a1, 0x30ff) && c != 0x30fb) ||
         is_between(c, 0x31f0, 0x31ff) || is_between(c, 0x3400, 0x4dbf) ||
         is_between(c, 0x4e00, 0x9fff) || is_between(c, 0x20000, 0x323af) || c == 0x3005 ||
         c == 0x3007;
}
bool is_arabic_digit(CodePoint c) { return is_between(c, 0x660, 0x669); }
bool is_extended_arabic_digit(CodePoint c) { return is_between(c, 0x6f0, 0x6f9); }

// A code point that is allowed only beside others (RFC 5892, appendix A): whether it is, here.
bool fits_its_context(const CodePoints& label, std::size_t at) {
  const CodePoint before = at > 0 ? label[at - 1] : 0;
  const CodePoint after = at + 1 < label.size() ? label[at + 1] : 0;
  switch (label[at]) {
    case kNonJoiner:
    case kJoiner:
      return before != 0 && property(before).combining_class == 9;  // a virama
    case 0xb7:
      return before == 'l' && after == 'l';
    case 0x375:
      return is_greek(after);
    case 0x5f3:
    case 0x5f4:
      return is_hebrew(before);
    case 0x30fb:
      return std::ranges::any_of(label, is_kana_or_han);
    default:
      break;
  }
  if (is_arabic_digit(label[at])) return std::ranges::none_of(label, is_extended_arabic_digit);
  return std::ranges::none_of(label, is_arabic_digit);
}

bool needs_context(CodePoint c) {
  return c == kNonJoiner || c == kJoiner || c == 0xb7 || c == 0x375 || c == 0x5f3 || c == 0x5f4 ||
         c == 0x30fb || is_arabic_digit(c) || is_extended_arabic_digit(c);
}

// RFC 5892, section 2, for what the mapping leaves (so nothing that it would change).
bool is_allowed(CodePoint c) {
  if (c < 0x80) return c == '-' || is_between(c, '0', '9') || is_between(c, 'a', 'z');
  if (c == 0xdf || c == 0x3c2 || c == 0x6fd || c == 0x6fe || c == 0xf0b || c == 0x3007) return true;
  if (c == 0x640 || c == 0x7fa || c == 0x302e || c == 0x302f || is_between(c, 0x3031, 0x3035) ||
      c == 0x303b) {
    return false;
  }
  if (property(c).ignorable) return false;
  if (is_between(c, 0x1100, 0x11ff) || is_between(c, 0xa960, 0xa97f) ||
      is_between(c, 0xd7b0, 0xd7ff)) {
    return false;  // parts of Hangul syllables
  }
  if (is_between(c, 0x20d0, 0x20ff) || is_between(c, 0x1d100, 0x1d24f)) return false;  // notations
  switch (utf8proc_category(c)) {
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
      return true;
    default:
      return false;
  }
}

bool is_one_of(int bidi, std::initializer_list<int> classes) {
  return std::ranges::find(classes, bidi) != classes.end();
}

bool is_right_to_left(CodePoint c) {
  return is_one_of(property(c).bidi_class,
                   {UTF8PROC_BIDI_CLASS_R, UTF8PROC_BIDI_CLASS_AL, UTF8PROC_BIDI_CLASS_AN});
}

// The rule of RFC 5893 for a label of a name that is partly written from right to left.
bool keeps_bidi_rule(const CodePoints& label) {
  using enum utf8proc_bidi_class_t;
  const int first = property(label.front()).bidi_class;
  const bool right_to_left = is_one_of(first, {UTF8PROC_BIDI_CLASS_R, UTF8PROC_BIDI_CLASS_AL});
  if (!right_to_left && first != UTF8PROC_BIDI_CLASS_L) return false;
  const int strong = right_to_left ? UTF8PROC_BIDI_CLASS_AL : UTF8PROC_BIDI_CLASS_L;
  const int other = right_to_left ? UTF8PROC_BIDI_CLASS_R : UTF8PROC_BIDI_CLASS_L;
  const int number = right_to_left ? UTF8PROC_BIDI_CLASS_AN : UTF8PROC_BIDI_CLASS_EN;
  bool european = false;
  bool arabic = false;
  int last = first;
  for (const CodePoint point : label) {
    const int bidi = property(point).bidi_class;
    if (!is_one_of(bidi, {strong, other, number, UTF8PROC_BIDI_CLASS_EN, UTF8PROC_BIDI_CLASS_ES,
                          UTF8PROC_BIDI_CLASS_CS, UTF8PROC_BIDI_CLASS_ET, UTF8PROC_BIDI_CLASS_ON,
                          UTF8PROC_BIDI_CLASS_BN, UTF8PROC_BIDI_CLASS_NSM})) {
      return false;
    }
    european |= bidi == UTF8PROC_BIDI_CLASS_EN;
    arabic |= bidi == UTF8PROC_BIDI_CLASS_AN;
    if (bidi != UTF8PROC_BIDI_CLASS_NSM) last = bidi;
  }
  if (right_to_left && european && arabic) return false;
  return is_one_of(last, {strong, other, number, UTF8PROC_BIDI_CLASS_EN});
}

Result<void> check_label(const CodePoints& label) {
  if (label.front() == '-' || label.back() == '-' ||
      (label.size() > 3 && label[2] == '-' && label[3] == '-')) {
    return bad_name("has a hyphen where names cannot have one");
  }
  if (is_mark(label.front())) return bad_name("begins with an accent");
  for (std::size_t at = 0; at < label.size(); ++at) {
    const bool good =
        needs_context(label[at]) ? fits_its_context(label, at) : is_allowed(label[at]);
    if (!good) return bad_name("has a character that names cannot have");
  }
  return {};
}

// RFC 3492, with the parameters of host names. The numbers stay below 2^32: a label is short.
class Punycode {
 public:
  static std::string encode(const CodePoints& label) {
    std::string text;
    for (const CodePoint point : label) {
      if (point < 0x80) text += static_cast<char>(point);
    }
    const std::size_t basic = text.size();
    if (basic > 0) text += '-';
    Punycode state;
    CodePoint next = 0x80;
    std::uint64_t delta = 0;
    for (std::size_t done = basic; done < label.size(); ++delta, ++next) {
      CodePoint smallest = 0x110000;
      for (const CodePoint point : label) {
        if (point >= next) smallest = std::min(smallest, point);
      }
      delta += static_cast<std::uint64_t>(smallest - next) * (done + 1);
      next = smallest;
      for (const CodePoint point : label) {
        if (point < next) ++delta;
        if (point != next) continue;
        state.append(text, delta);
        state.adapt(delta, done + 1, done == basic);
        delta = 0;
        ++done;
      }
    }
    return text;
  }

 private:
  static constexpr std::uint64_t kBase = 36;
  static constexpr std::uint64_t kSmallest = 1;
  static constexpr std::uint64_t kLargest = 26;

  static char digit(std::uint64_t value) {
    return static_cast<char>(value < 26 ? 'a' + value : '0' + (value - 26));
  }

  void append(std::string& text, std::uint64_t value) const {
    for (std::uint64_t k = kBase;; k += kBase) {
      const std::uint64_t limit =
          k <= bias_ ? kSmallest : std::min(std::max(k - bias_, kSmallest), kLargest);
      if (value < limit) break;
      text += digit(limit + (value - limit) % (kBase - limit));
      value = (value - limit) / (kBase - limit);
    }
    text += digit(value);
  }

  void adapt(std::uint64_t delta, std::uint64_t points, bool first) {
    delta /= first ? 700 : 2;
    delta += delta / points;
    std::uint64_t k = 0;
    for (; delta > (kBase - kSmallest) * kLargest / 2; k += kBase) delta /= kBase - kSmallest;
    bias_ = k + (kBase - kSmallest + 1) * delta / (delta + 38);
  }

  std::uint64_t bias_ = 72;
};

}  // namespace

Result<std::string> ascii_host_name(std::string_view utf8) {
  if (utf8.size() > kMaxNameBytes) return bad_name("is too long");
  const auto mapped = map_name(utf8);
  if (!mapped) return fail(mapped.error());
  const bool bidi = std::ranges::any_of(*mapped, is_right_to_left);
  std::string result;
  for (auto rest = std::span(*mapped);;) {
    const auto dot = std::ranges::find(rest, '.');
    const CodePoints label(rest.begin(), dot);
    const bool ascii = std::ranges::all_of(label, [](CodePoint c) { return c < 0x80; });
    if (!ascii) {
      if (const auto good = check_label(label); !good) return fail(good.error());
    }
    if (bidi && !label.empty() && !keeps_bidi_rule(label)) {
      return bad_name("mixes letters of both directions");
    }
    result += ascii ? utf8_of(label) : "xn--" + Punycode::encode(label);
    if (dot == rest.end()) return result;
    result += '.';
    rest = std::span(std::next(dot), rest.end());
  }
}

}  // namespace talaria::http
