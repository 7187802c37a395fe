// SHA-256 (FIPS 180-4): names that nobody can forge, and whether two files hold the same bytes. Our
// own, because the runner is static and small and needs nothing else of a cryptographic library.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace talaria {

class Sha256 {
 public:
  // Call it for piece after piece.
  void add(std::string_view bytes);

  // The digest of everything added: 32 bytes, or the same in lower-case hexadecimal. Call one of
  // them once, as the last function.
  std::string bytes();
  std::string hex();

 private:
  void add_block(const unsigned char* block);

  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> rest_{};  // the beginning of the next block
  std::size_t in_rest_ = 0;
  std::uint64_t total_ = 0;  // bytes
};

std::string sha256_hex(std::string_view bytes);

// HMAC with SHA-256 (RFC 2104), in lower-case hexadecimal.
std::string hmac_sha256_hex(std::string_view key, std::string_view text);

// Takes as long for texts that differ early as for those that differ late.
bool equal_in_constant_time(std::string_view a, std::string_view b);

}  // namespace talaria
