#include "base/sha256.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>

#include "base/text.h"

namespace talaria {
namespace {

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
constexpr std::array<std::uint32_t, 64> kRound{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

std::uint32_t big_endian(const unsigned char* bytes) {
  std::uint32_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return std::endian::native == std::endian::little ? __builtin_bswap32(word) : word;
}

constexpr std::size_t kBlock = 64;

std::string padded(std::string key, unsigned char with) {
  key.resize(kBlock);
  for (char& c : key) c = static_cast<char>(static_cast<unsigned char>(c) ^ with);
  return key;
}

}  // namespace

void Sha256::add_block(const unsigned char* block) {
  std::array<std::uint32_t, 64> w;
  for (std::size_t i = 0; i < 16; ++i) w[i] = big_endian(block + 4 * i);
  for (std::size_t i = 16; i < 64; ++i) {
    const std::uint32_t a = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ (w[i - 15] >> 3);
    const std::uint32_t b = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ (w[i - 2] >> 10);
    w[i] = w[i - 16] + a + w[i - 7] + b;
  }
  auto [a, b, c, d, e, f, g, h] = state_;
  for (std::size_t i = 0; i < 64; ++i) {
    const std::uint32_t big_e = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const std::uint32_t one = h + big_e + ((e & f) ^ (~e & g)) + kRound[i] + w[i];
    const std::uint32_t big_a = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const std::uint32_t two = big_a + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + one;
    d = c;
    c = b;
    b = a;
    a = one + two;
  }
  const std::array<std::uint32_t, 8> now{a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) state_[i] += now[i];
}

void Sha256::add(std::string_view bytes) {
  total_ += bytes.size();
  if (in_rest_ > 0) {
    const std::size_t taken = std::min(bytes.size(), rest_.size() - in_rest_);
    std::memcpy(rest_.data() + in_rest_, bytes.data(), taken);
    in_rest_ += taken;
    bytes.remove_prefix(taken);
    if (in_rest_ < rest_.size()) return;
    add_block(rest_.data());
    in_rest_ = 0;
  }
  for (; bytes.size() >= rest_.size(); bytes.remove_prefix(rest_.size())) {
    add_block(reinterpret_cast<const unsigned char*>(bytes.data()));
  }
  if (!bytes.empty()) std::memcpy(rest_.data(), bytes.data(), bytes.size());
  in_rest_ = bytes.size();
}

std::string Sha256::bytes() {
  const std::uint64_t bits = total_ * 8;
  std::string padding(1, '\x80');
  padding.append((119 - total_ % 64) % 64, '\0');
  for (int shift = 56; shift >= 0; shift -= 8) padding += static_cast<char>(bits >> shift);
  add(padding);
  std::string digest;
  for (const std::uint32_t word : state_) {
    for (int shift = 24; shift >= 0; shift -= 8) digest += static_cast<char>(word >> shift);
  }
  return digest;
}

std::string Sha256::hex() { return to_hex(bytes()); }

std::string sha256_hex(std::string_view bytes) {
  Sha256 digest;
  digest.add(bytes);
  return digest.hex();
}

std::string hmac_sha256_hex(std::string_view key, std::string_view text) {
  Sha256 long_key;
  long_key.add(key);
  const std::string fitting = key.size() > kBlock ? long_key.bytes() : std::string(key);
  Sha256 inner;
  inner.add(padded(fitting, 0x36));
  inner.add(text);
  Sha256 outer;
  outer.add(padded(fitting, 0x5c));
  outer.add(inner.bytes());
  return outer.hex();
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  unsigned difference = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
    difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
  }
  return difference == 0;
}

}  // namespace talaria
