#include "tls/openssl.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

// Each function of ours jumps to that of OpenSSL, whose address its variable gets: it has the same
// parameters, whatever they are. Without an address it loads OpenSSL first, with the registers of
// the parameters put aside.
#if defined(__x86_64__)
#define TALARIA_CODE "@function"
#define TALARIA_JUMP(name)            \
  "endbr64\n"                         \
  "movq talaria_address_of_" #name    \
  "(%rip), %r11\n"                    \
  "testq %r11, %r11\n"                \
  "jz 1f\n"                           \
  "jmpq *%r11\n"                      \
  "1: leaq talaria_address_of_" #name \
  "(%rip), %r11\n"                    \
  "jmp talaria_first_of_openssl\n"
asm(".pushsection .text\n"
    ".type talaria_first_of_openssl, @function\n"
    "talaria_first_of_openssl:\n"
    "pushq %r11\n pushq %rdi\n pushq %rsi\n pushq %rdx\n pushq %rcx\n pushq %r8\n pushq %r9\n"
    "call talaria_load_openssl\n"
    "popq %r9\n popq %r8\n popq %rcx\n popq %rdx\n popq %rsi\n popq %rdi\n popq %r11\n"
    "jmpq *(%r11)\n"
    ".size talaria_first_of_openssl, . - talaria_first_of_openssl\n"
    ".popsection");
#elif defined(__aarch64__)
#define TALARIA_CODE "%function"
#define TALARIA_JUMP(name)                        \
  "hint #34\n" /* bti c */                        \
  "adrp x16, talaria_address_of_" #name           \
  "\n"                                            \
  "add x16, x16, :lo12:talaria_address_of_" #name \
  "\n"                                            \
  "ldr x17, [x16]\n"                              \
  "cbz x17, talaria_first_of_openssl\n"           \
  "br x17\n"
asm(".pushsection .text\n"
    ".type talaria_first_of_openssl, %function\n"
    "talaria_first_of_openssl:\n"
    "stp x29, x30, [sp, #-96]!\n"
    "stp x0, x1, [sp, #16]\n stp x2, x3, [sp, #32]\n stp x4, x5, [sp, #48]\n"
    "stp x6, x7, [sp, #64]\n str x16, [sp, #80]\n"
    "bl talaria_load_openssl\n"
    "ldr x16, [sp, #80]\n ldp x6, x7, [sp, #64]\n"
    "ldp x4, x5, [sp, #48]\n ldp x2, x3, [sp, #32]\n ldp x0, x1, [sp, #16]\n"
    "ldp x29, x30, [sp], #96\n"
    "ldr x17, [x16]\n"
    "br x17\n"
    ".size talaria_first_of_openssl, . - talaria_first_of_openssl\n"
    ".popsection");
#else
#error "not known: how to jump to an address in memory"
#endif

#define TALARIA_FUNCTION(name)                                                                \
  extern "C" __attribute__((visibility("hidden"))) void* talaria_address_of_##name;           \
  void* talaria_address_of_##name = nullptr;                                                  \
  asm(".pushsection .text\n"                                                                  \
      ".globl talaria_" #name                                                                 \
      "\n"                                                                                    \
      ".hidden talaria_" #name                                                                \
      "\n"                                                                                    \
      ".type talaria_" #name ", " TALARIA_CODE                                                \
      "\n"                                                                                    \
      "talaria_" #name ":\n" TALARIA_JUMP(name) ".size talaria_" #name ", . - talaria_" #name \
                                                "\n"                                          \
                                                ".popsection");
TALARIA_OPENSSL_FUNCTIONS(TALARIA_FUNCTION)
#undef TALARIA_FUNCTION

namespace talaria::tls {
namespace {

constexpr const char* kLibrary = "libssl.so.3";  // it brings libcrypto

Error not_there(const std::string& why) {
  return Error(ErrorKind::unavailable, "TLS needs OpenSSL 3 (" + std::string(kLibrary) +
                                           "), which cannot be loaded: " + why +
                                           "; install it (Debian: apt install libssl3)");
}

Result<void> load() {
  void* const library = ::dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return fail(not_there(::dlerror()));
  for (const auto& [name, address] : {
#define TALARIA_ROW(name) std::pair<const char*, void**>{#name, &talaria_address_of_##name},
           TALARIA_OPENSSL_FUNCTIONS(TALARIA_ROW)
#undef TALARIA_ROW
       }) {
    *address = ::dlsym(library, name);
    if (*address == nullptr) return fail(not_there("it has no " + std::string(name)));
  }
  // Its clean-up at exit would take from under us what our threads still use.
  if (OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, nullptr) != 1)
    return fail(not_there("it does not start"));
  return {};
}

}  // namespace

Result<void> load_openssl() {
  static const Result<void> loaded = load();
  return loaded;
}

}  // namespace talaria::tls

// For what nobody has called load_openssl() before: a program that embeds talaria and uses Asio.
extern "C" __attribute__((visibility("hidden"), used)) void talaria_load_openssl() {
  const talaria::Result<void> loaded = talaria::tls::load_openssl();
  if (loaded) return;
  std::fprintf(stderr, "talaria: %s\n", loaded.error().message().c_str());
  std::abort();
}
