#include "web/charset.h"

#include <iconv.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/text.h"

namespace talaria::web {
namespace {

constexpr std::size_t kMetaBytes = 4096;
constexpr std::string_view kReplacement = "\xef\xbf\xbd";

// The names pages use (the Encoding Standard's, shortened) and what iconv calls it. No name of a
// page ever reaches iconv itself.
struct Encoding {
  std::string_view label;
  const char* iconv_name;
};
constexpr const char* kUtf8 = "UTF-8";
constexpr const char* kWestern = "WINDOWS-1252";
constexpr auto kEncodings = std::to_array<Encoding>({
    {"utf-8", kUtf8},
    {"utf8", kUtf8},
    {"us-ascii", kWestern},
    {"ascii", kWestern},
    {"iso-8859-1", kWestern},
    {"iso8859-1", kWestern},
    {"latin1", kWestern},
    {"windows-1252", kWestern},
    {"cp1252", kWestern},
    {"windows-1250", "WINDOWS-1250"},
    {"windows-1251", "WINDOWS-1251"},
    {"cp1251", "WINDOWS-1251"},
    {"windows-1253", "WINDOWS-1253"},
    {"windows-1254", "WINDOWS-1254"},
    {"iso-8859-9", "WINDOWS-1254"},
    {"windows-1255", "WINDOWS-1255"},
    {"windows-1256", "WINDOWS-1256"},
    {"windows-1257", "WINDOWS-1257"},
    {"windows-1258", "WINDOWS-1258"},
    {"windows-874", "CP874"},
    {"tis-620", "CP874"},
    {"iso-8859-2", "ISO-8859-2"},
    {"latin2", "ISO-8859-2"},
    {"iso-8859-3", "ISO-8859-3"},
    {"iso-8859-4", "ISO-8859-4"},
    {"iso-8859-5", "ISO-8859-5"},
    {"iso-8859-6", "ISO-8859-6"},
    {"iso-8859-7", "ISO-8859-7"},
    {"iso-8859-8", "ISO-8859-8"},
    {"iso-8859-10", "ISO-8859-10"},
    {"iso-8859-13", "ISO-8859-13"},
    {"iso-8859-14", "ISO-8859-14"},
    {"iso-8859-15", "ISO-8859-15"},
    {"latin-9", "ISO-8859-15"},
    {"koi8-r", "KOI8-R"},
    {"koi8-u", "KOI8-U"},
    {"macintosh", "MACINTOSH"},
    {"gb2312", "GB18030"},
    {"gbk", "GB18030"},
    {"gb18030", "GB18030"},
    {"big5", "BIG5-HKSCS"},
    {"big5-hkscs", "BIG5-HKSCS"},
    {"shift_jis", "CP932"},
    {"shift-jis", "CP932"},
    {"sjis", "CP932"},
    {"windows-31j", "CP932"},
    {"euc-jp", "EUC-JP"},
    {"iso-2022-jp", "ISO-2022-JP"},
    {"euc-kr", "CP949"},
    {"ks_c_5601-1987", "CP949"},
    {"utf-16", "UTF-16LE"},
    {"utf-16le", "UTF-16LE"},
    {"utf-16be", "UTF-16BE"},
});

const char* iconv_name(std::string_view label) {
  const std::string name = lower_case(trim(label));
  const auto found = std::ranges::find(kEncodings, name, &Encoding::label);
  return found == kEncodings.end() ? nullptr : found->iconv_name;
}

// The value behind "charset=" of a <meta>, in either of its two forms.
std::string_view meta_charset(std::string_view lower_start) {
  for (std::size_t at = 0; (at = lower_start.find("<meta", at)) != std::string_view::npos; ++at) {
    const std::string_view tag = lower_start.substr(at, lower_start.find('>', at) - at);
    const std::size_t found = tag.find("charset");
    if (found == std::string_view::npos) continue;
    std::string_view value = trim(tag.substr(found + 7));
    if (!value.starts_with('=')) continue;
    value = trim(value.substr(1));
    if (value.starts_with('"') || value.starts_with('\'')) value.remove_prefix(1);
    return value.substr(0, value.find_first_of("\"' ;/>\t\n"));
  }
  return {};
}

std::string convert(std::string_view bytes, const char* from) {
  if (from == kUtf8) return sanitize_utf8(bytes);
  iconv_t converter = ::iconv_open("UTF-8", from);
  // What glibc keeps in a file of its own may not be installed.
  // NOLINTNEXTLINE(performance-no-int-to-ptr): its own interface
  if (converter == reinterpret_cast<iconv_t>(-1)) return sanitize_utf8(bytes);
  std::string result;
  std::array<char, 16384> chunk;
  char* in = const_cast<char*>(bytes.data());
  std::size_t left = bytes.size();
  while (left > 0) {
    char* out = chunk.data();
    std::size_t room = chunk.size();
    const std::size_t done = ::iconv(converter, &in, &left, &out, &room);
    const int code = errno;
    result.append(chunk.data(), chunk.size() - room);
    if (done != static_cast<std::size_t>(-1) || code == E2BIG) continue;
    result += kReplacement;
    if (code == EINVAL) break;  // the text ends within a character
    ++in;
    --left;
  }
  ::iconv_close(converter);
  return sanitize_utf8(result);
}

}  // namespace

std::string to_utf8(std::string_view bytes, std::string_view declared, bool html) {
  if (bytes.starts_with("\xef\xbb\xbf")) return sanitize_utf8(bytes.substr(3));
  if (bytes.starts_with("\xff\xfe")) return convert(bytes.substr(2), "UTF-16LE");
  if (bytes.starts_with("\xfe\xff")) return convert(bytes.substr(2), "UTF-16BE");
  const char* name = iconv_name(declared);
  if (!name && html) {
    const std::string start = lower_case(bytes.substr(0, kMetaBytes));
    name = iconv_name(meta_charset(start));
    // It could not have been read if it were true.
    if (name && std::string_view(name).starts_with("UTF-16")) name = kUtf8;
  }
  if (!name) name = is_valid_utf8(bytes) ? kUtf8 : kWestern;
  return convert(bytes, name);
}

}  // namespace talaria::web
