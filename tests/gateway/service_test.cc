// The unit for systemd (packaging/talaria-gateway.service).
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "gateway/gateway_test.h"
#include "os/unique_fd.h"

namespace talaria::test {
namespace {

using testing::HasSubstr;

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at)) {
    text.replace(at, what.size(), by);
    at += by.size();
  }
  return text;
}

class GatewayServiceTest : public GatewayTest {
 protected:
  // The unit as it would be if this program were installed, in a home of the test's own.
  std::string unit() const {
    std::ifstream file(TALARIA_GATEWAY_UNIT);
    std::ostringstream text;
    text << file.rdbuf();
    return replaced(replaced(text.str(), "@bindir@/talaria", World::talaria()), "/var/lib/talaria",
                    world_.path("home"));
  }

  std::vector<std::string> values(const std::string& name) const {
    std::vector<std::string> found;
    std::istringstream lines(unit());
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with(name + "=")) found.push_back(line.substr(name.size() + 1));
    }
    return found;
  }

  Finished host(std::vector<std::string> words) {
    Program program({.argv = std::move(words), .env = world_.env()});
    const auto status = program.wait(std::chrono::seconds(60));
    return {status.value_or(Signaled{SIGALRM}), program.out(), program.err()};
  }
};

TEST_F(GatewayServiceTest, SystemdFindsNothingWrongAndLittleThatIsOpen) {
  const std::string file = world_.path("talaria-gateway.service");
  std::ofstream(file) << unit();
  const Finished verified = host({"/usr/bin/systemd-analyze", "verify", "--man=no", file});
  EXPECT_EQ(verified.code(), 0) << verified.out << verified.err;
  EXPECT_EQ(verified.err, "");
  const Finished rated = host({"/usr/bin/systemd-analyze", "security", "--offline=true",
                               "--threshold=30", "--no-pager", file});
  EXPECT_EQ(rated.code(), 0) << "more is open than a rating of 3.0 allows\n" << rated.out;
}

TEST_F(GatewayServiceTest, ItsLineStartsAGatewayThatSaysWhenItIsReadyAndWhenItStops) {
  const std::string path = world_.path("notify");
  const os::UniqueFd told(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strcpy(address.sun_path, path.c_str());
  ASSERT_EQ(::bind(told.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  const auto next = [&]() -> std::string {
    pollfd ready{.fd = told.get(), .events = POLLIN};
    if (::poll(&ready, 1, 20'000) != 1) return "nothing";
    std::array<char, 256> text;
    const ssize_t size = ::recv(told.get(), text.data(), text.size(), 0);
    return {text.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
  };

  ProgramSpec spec = world_.spec({});
  for (const std::string& entry : values("Environment")) spec.env.push_back(entry);
  spec.env.push_back("NOTIFY_SOCKET=" + path);
  spec.env.push_back("TALARIA_SERVE_OPTIONS=--target local --listen 127.0.0.1:0");
  const std::vector<std::string> lines = values("ExecStart");
  ASSERT_EQ(lines.size(), 1u);
  // systemd makes words of $NAME as a shell does, and nothing else of the line.
  spec.argv = {"/bin/sh", "-c", "exec " + lines[0]};
  spec.cwd = values("WorkingDirectory").at(0);
  gateway_ = std::make_unique<Program>(spec);
  EXPECT_EQ(next(), "READY=1") << gateway_->err();
  ASSERT_TRUE(gateway_->read_until_contains(", target local"));
  EXPECT_THAT(gateway_->out(), HasSubstr("listening on http://127.0.0.1:"));
  gateway_->kill(SIGTERM);
  EXPECT_EQ(next(), "STOPPING=1");
  const auto ended = gateway_->wait();
  ASSERT_TRUE(ended);
  EXPECT_EQ(exit_code_of(*ended), 0);
  gateway_.reset();
}

}  // namespace
}  // namespace talaria::test
