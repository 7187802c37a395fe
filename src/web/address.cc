#include "web/address.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace talaria::web {
namespace {

struct Range4 {
  std::uint32_t start;
  int bits;

  constexpr bool has(std::uint32_t address) const {
    return bits == 0 || (address >> (32 - bits)) == (start >> (32 - bits));
  }
};

constexpr std::uint32_t ipv4(unsigned a, unsigned b, unsigned c, unsigned d) {
  return a << 24 | b << 16 | c << 8 | d;
}

constexpr auto kNever = std::to_array<Range4>({
    {ipv4(169, 254, 0, 0), 16},
    {ipv4(100, 100, 100, 200), 32},
});

// What the registry of special addresses does not call globally reachable (RFC 6890 and later).
constexpr auto kInternal = std::to_array<Range4>({
    {ipv4(0, 0, 0, 0), 8},
    {ipv4(10, 0, 0, 0), 8},
    {ipv4(100, 64, 0, 0), 10},
    {ipv4(127, 0, 0, 0), 8},
    {ipv4(172, 16, 0, 0), 12},
    {ipv4(192, 0, 0, 0), 24},
    {ipv4(192, 0, 2, 0), 24},
    {ipv4(192, 88, 99, 0), 24},
    {ipv4(192, 168, 0, 0), 16},
    {ipv4(198, 18, 0, 0), 15},
    {ipv4(198, 51, 100, 0), 24},
    {ipv4(203, 0, 113, 0), 24},
    {ipv4(224, 0, 0, 0), 4},
    {ipv4(240, 0, 0, 0), 4},
});

using Bytes = asio::ip::address_v6::bytes_type;

// The first bytes of an IPv6 range, the rest of the last one being ignored.
struct Range6 {
  std::array<std::uint8_t, 12> start;
  int bits;

  bool has(const Bytes& address) const {
    for (int i = 0; i < bits; ++i) {
      const auto at = static_cast<std::size_t>(i / 8);
      const int mask = 0x80 >> (i % 8);
      if ((address[at] & mask) != (start[at] & mask)) return false;
    }
    return true;
  }
};

// Only 2000::/3 is in use for everybody; these parts of it are not.
constexpr Range6 kGlobal{{0x20}, 3};
constexpr auto kNotGlobal = std::to_array<Range6>({
    {{0x20, 0x01, 0x00}, 23},        // protocols, Teredo among them
    {{0x20, 0x01, 0x0d, 0xb8}, 32},  // documentation
    {{0x3f, 0xff}, 20},              // documentation
});

// Where the IPv4 address stands in those that carry one, and whether they lead to it today.
struct Carrier {
  Range6 range;
  std::size_t at;
  bool in_use;
};
constexpr auto kCarriers = std::to_array<Carrier>({
    {{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff}, 96}, 12, true},  // mapped
    {{{}, 96}, 12, false},                                         // compatible
    {{{0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff}, 96}, 12, false},       // translated
    {{{0x00, 0x64, 0xff, 0x9b}, 96}, 12, true},                    // NAT64
    {{{0x20, 0x02}, 16}, 2, true},                                 // 6to4
});

Reach reach_of_ipv4(std::uint32_t address) {
  const auto has = [&](const Range4& range) { return range.has(address); };
  if (std::ranges::any_of(kNever, has)) return Reach::never;
  return std::ranges::any_of(kInternal, has) ? Reach::internal : Reach::open;
}

Reach reach_of_ipv6(const asio::ip::address_v6& address) {
  static const Bytes kAmazon = asio::ip::make_address_v6("fd00:ec2::254").to_bytes();
  const Bytes bytes = address.to_bytes();
  if (bytes == kAmazon) return Reach::never;
  if (address.is_loopback() || address.is_unspecified()) return Reach::internal;
  for (const Carrier& carrier : kCarriers) {
    if (!carrier.range.has(bytes)) continue;
    const Reach inner = reach_of_ipv4(ipv4(bytes[carrier.at], bytes[carrier.at + 1],
                                           bytes[carrier.at + 2], bytes[carrier.at + 3]));
    return inner == Reach::open && !carrier.in_use ? Reach::internal : inner;
  }
  const auto has = [&](const Range6& range) { return range.has(bytes); };
  if (!kGlobal.has(bytes) || std::ranges::any_of(kNotGlobal, has)) return Reach::internal;
  return Reach::open;
}

}  // namespace

Reach reach_of(const asio::ip::address& address) {
  return address.is_v4() ? reach_of_ipv4(address.to_v4().to_uint())
                         : reach_of_ipv6(address.to_v6());
}

bool is_metadata_host(std::string_view host) {
  return host == "metadata.google.internal" || host == "metadata.goog";
}

}  // namespace talaria::web
