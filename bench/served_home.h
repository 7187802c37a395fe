// ServedHome: a gateway with a home of its own, until it is destroyed.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "bench/home.h"
#include "support/http_test_client.h"

namespace talaria::bench {

class ServedHome {
 public:
  explicit ServedHome(const std::string& talaria_path);
  ServedHome(const ServedHome&) = delete;
  ServedHome& operator=(const ServedHome&) = delete;
  ~ServedHome() { stop(); }

  void start();
  void stop() const;
  test::HttpTestClient client() const;  // with a token
  pid_t pid() const { return pid_; }

  Home home;

 private:
  pid_t spawn(const std::vector<const char*>& words, int out) const;
  std::string first_line(const std::vector<const char*>& words) const;

  std::string token_;
  pid_t pid_ = -1;
  std::uint16_t port_ = 0;
};

}  // namespace talaria::bench
