#include "web/address.h"

#include <gtest/gtest.h>

namespace talaria::web {
namespace {

Reach reach(const char* address) { return reach_of(asio::ip::make_address(address)); }

TEST(AddressTest, EverybodysAddressesAreOpen) {
  for (const char* address : {"93.184.216.34", "1.1.1.1", "172.32.0.1", "100.128.0.1", "192.0.1.1",
                              "198.20.0.1", "2606:4700::1111", "2a00:1450::1", "::ffff:8.8.8.8",
                              "64:ff9b::8.8.8.8", "2002:0808:0808::1"}) {
    EXPECT_EQ(reach(address), Reach::open) << address;
  }
}

TEST(AddressTest, WhatIsPrivateOrReservedIsInternal) {
  for (const char* address : {"0.0.0.0",
                              "0.1.2.3",
                              "10.0.0.1",
                              "100.64.0.1",
                              "100.127.255.255",
                              "127.0.0.1",
                              "127.255.255.255",
                              "172.16.0.1",
                              "172.31.255.255",
                              "192.0.0.8",
                              "192.0.2.1",
                              "192.88.99.1",
                              "192.168.1.1",
                              "198.18.0.1",
                              "198.19.255.255",
                              "198.51.100.1",
                              "203.0.113.1",
                              "224.0.0.1",
                              "239.255.255.255",
                              "240.0.0.1",
                              "255.255.255.255",
                              "::",
                              "::1",
                              "::127.0.0.1",
                              "::8.8.8.8",
                              "::ffff:10.0.0.1",
                              "::ffff:127.0.0.1",
                              "::ffff:0:10.0.0.1",
                              "64:ff9b::10.0.0.1",
                              "64:ff9b:1::1",
                              "2002:0a00:0001::1",
                              "2001::1",
                              "2001:db8::1",
                              "3fff::1",
                              "100::1",
                              "fc00::1",
                              "fd12::1",
                              "fe80::1",
                              "fec0::1",
                              "ff02::1",
                              "4000::1"}) {
    EXPECT_EQ(reach(address), Reach::internal) << address;
  }
}

TEST(AddressTest, CredentialsOfCloudsAreNeverReached) {
  for (const char* address :
       {"169.254.169.254", "169.254.169.253", "169.254.170.2", "169.254.0.1", "100.100.100.200",
        "fd00:ec2::254", "::ffff:169.254.169.254", "::ffff:100.100.100.200",
        "64:ff9b::169.254.169.254", "::169.254.169.254", "2002:a9fe:a9fe::1"}) {
    EXPECT_EQ(reach(address), Reach::never) << address;
  }
  EXPECT_TRUE(is_metadata_host("metadata.goog"));
  EXPECT_TRUE(is_metadata_host("metadata.google.internal"));
  EXPECT_FALSE(is_metadata_host("example.com"));
}

}  // namespace
}  // namespace talaria::web
