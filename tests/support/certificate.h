// A certificate for this machine that vouches for itself, for servers under test.
#pragma once

#include <string>

#include "support/program.h"
#include "support/world.h"

namespace talaria::test {

struct Certificate {
  std::string file;  // PEM, also for those who are to believe it
  std::string key;
};

// In the directory of the test. Empty names: it could not be made.
inline Certificate make_certificate(const World& world, const std::string& name) {
  Certificate made{world.path(name + ".pem"), world.path(name + "-key.pem")};
  Program openssl({.argv = {"/usr/bin/openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                            "ec_paramgen_curve:P-256", "-nodes", "-keyout", made.key, "-out",
                            made.file, "-days", "2", "-subj", "/CN=localhost", "-addext",
                            "subjectAltName=DNS:localhost,IP:127.0.0.1"},
                   .env = world.env()});
  const auto ended = openssl.wait();
  return ended && exit_code_of(*ended) == 0 ? made : Certificate{};
}

}  // namespace talaria::test
