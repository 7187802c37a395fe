// What a static talaria has in place of those parts of the C library that load further files: such
// a file fits only the C library of the system it is from. Linked with --wrap for each function
// here (src/main/CMakeLists.txt).
//
// Names of hosts and users come from files and DNS. Character sets are those of the table below,
// made by cmake/write_charsets.py. Nothing is loaded: OpenSSL is inside, and "loading" it finds its
// functions there (tls/openssl.cc).
#include <iconv.h>
#include <netdb.h>
#include <nss.h>
#include <strings.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string_view>

#include "tls/openssl_functions.h"

#define TALARIA_DECLARE(name) extern "C" void name();
TALARIA_OPENSSL_FUNCTIONS(TALARIA_DECLARE)
#undef TALARIA_DECLARE

namespace {

struct Function {
  std::string_view name;
  void (*address)();
};

constexpr Function kOpenSsl[] = {
#define TALARIA_ROW(name) {#name, &name},
    TALARIA_OPENSSL_FUNCTIONS(TALARIA_ROW)
#undef TALARIA_ROW
};

struct Charset {
  const char* name;
  std::array<char16_t, 128> upper;  // what the bytes from 0x80 mean; 0: nothing
};

#include <charsets.inc>  // kCharsets, made by the build

// What iconv_t points to: which charset, or in which order the bytes of UTF-16 are.
struct Converter {
  const Charset* charset = nullptr;
  bool little_endian = false;
};
constexpr Converter kUtf16Le{.little_endian = true};
constexpr Converter kUtf16Be{};

std::array<Converter, std::size(kCharsets)> converters() {
  std::array<Converter, std::size(kCharsets)> made{};
  for (std::size_t i = 0; i < made.size(); ++i) made[i].charset = &kCharsets[i];
  return made;
}

// The UTF-8 of a code point; its size.
std::size_t encode(char32_t point, char* out) {
  if (point < 0x80) {
    out[0] = static_cast<char>(point);
    return 1;
  }
  const std::size_t size = point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
  for (std::size_t i = size - 1; i > 0; --i, point >>= 6) {
    out[i] = static_cast<char>(0x80 | (point & 0x3f));
  }
  out[0] = static_cast<char>((0xf00 >> size & 0xff) | point);
  return size;
}

struct Read {
  char32_t point = 0;
  std::size_t size = 0;  // bytes it took; 0: see `error`
  int error = 0;
};

char32_t unit_at(const Converter& converter, const char* bytes) {
  const auto first = static_cast<unsigned char>(bytes[0]);
  const auto second = static_cast<unsigned char>(bytes[1]);
  return static_cast<char32_t>(converter.little_endian ? second << 8 | first : first << 8 | second);
}

Read read_utf16(const Converter& converter, const char* bytes, std::size_t left) {
  if (left < 2) return {.error = EINVAL};
  const char32_t first = unit_at(converter, bytes);
  if (first < 0xd800 || first > 0xdfff) return {.point = first, .size = 2};
  if (first > 0xdbff) return {.error = EILSEQ};
  if (left < 4) return {.error = EINVAL};
  const char32_t second = unit_at(converter, bytes + 2);
  if (second < 0xdc00 || second > 0xdfff) return {.error = EILSEQ};
  return {.point = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00), .size = 4};
}

Read read_one(const Converter& converter, const char* bytes, std::size_t left) {
  if (converter.charset == nullptr) return read_utf16(converter, bytes, left);
  const auto byte = static_cast<unsigned char>(*bytes);
  if (byte < 0x80) return {.point = byte, .size = 1};
  const char16_t point = converter.charset->upper[byte - 0x80];
  if (point == 0) return {.error = EILSEQ};
  return {.point = point, .size = 1};
}

// Before main: a system that is set up for other sources of names has modules for them, to be
// loaded.
[[gnu::constructor]] void take_names_from_files_and_dns() {
  for (const char* database : {"passwd", "group", "services", "protocols"}) {
    __nss_configure_lookup(database, "files");
  }
  __nss_configure_lookup("hosts", "files dns");
}

}  // namespace

extern "C" {

void* __wrap_dlopen(const char* file, int) {
  const bool is_inside = file != nullptr && std::string_view(file) == "libssl.so.3";
  return is_inside ? const_cast<Function*>(kOpenSsl) : nullptr;
}
void* __wrap_dlsym(void* library, const char* name) {
  if (library != kOpenSsl) return nullptr;
  const auto* found = std::ranges::find(kOpenSsl, std::string_view(name), &Function::name);
  return found != std::end(kOpenSsl) ? reinterpret_cast<void*>(found->address) : nullptr;
}
int __wrap_dlclose(void*) { return 0; }
char* __wrap_dlerror() {
  static char message[] = "this talaria is linked statically and loads no libraries";
  return message;
}

iconv_t __wrap_iconv_open(const char* to, const char* from) {
  static auto made = converters();
  const void* found = nullptr;
  if (::strcasecmp(from, "UTF-16LE") == 0) found = &kUtf16Le;
  if (::strcasecmp(from, "UTF-16BE") == 0) found = &kUtf16Be;
  for (const Converter& converter : made) {
    if (::strcasecmp(from, converter.charset->name) == 0) found = &converter;
  }
  if (found != nullptr && std::string_view(to) == "UTF-8") return const_cast<void*>(found);
  errno = EINVAL;
  return reinterpret_cast<iconv_t>(-1);  // NOLINT(performance-no-int-to-ptr): its own interface
}

int __wrap_iconv_close(iconv_t) { return 0; }

std::size_t __wrap_iconv(iconv_t handle, char** in, std::size_t* left, char** out,
                         std::size_t* room) {
  const auto& converter = *static_cast<const Converter*>(handle);
  while (*left > 0) {
    const Read read = read_one(converter, *in, *left);
    char encoded[4];
    const std::size_t size = read.size > 0 ? encode(read.point, encoded) : 0;
    errno = read.size == 0 ? read.error : E2BIG;
    if (read.size == 0 || size > *room) return static_cast<std::size_t>(-1);
    std::memcpy(*out, encoded, size);
    *in += read.size;
    *left -= read.size;
    *out += size;
    *room -= size;
  }
  return 0;
}

}  // extern "C"
