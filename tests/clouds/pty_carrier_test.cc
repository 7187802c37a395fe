// Terminals of a Daytona sandbox as a carrier: bytes to a program there and back.
#include "environment/daytona/pty_carrier.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <random>

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value_to.hpp>
#include <gmock/gmock.h>

#include "clouds/fake_cloud.h"
#include "environment/carrier/carried_environment.h"
#include "http/channel.h"
#include "shell/quote.h"
#include "support/certificate.h"
#include "support/eventually.h"
#include "support/talaria_test.h"
#include "testing/run_to_end.h"

namespace talaria::test {
namespace {

using testing::HasSubstr;

struct Carried {
  std::string output;
  std::string complaint;
};

std::string random_bytes(std::size_t size) {
  std::mt19937 numbers(7);
  std::string bytes(size, '\0');
  std::ranges::generate(bytes, [&numbers] { return static_cast<char>(numbers()); });
  return bytes;
}

Task<void> feed(environment::carrier::CarrierRun& run, std::string_view input, bool to_the_end) {
  co_await asio::async_write(run.input, asio::buffer(input.data(), input.size()), as_values);
  boost::system::error_code ignored;
  if (to_the_end) run.input.close(ignored);
}

Task<void> drain(environment::carrier::CarrierRun& run, std::string& output) {
  std::vector<char> chunk(256 * 1024);
  for (;;) {
    const auto [error, size] = co_await run.output.async_read_some(asio::buffer(chunk), as_values);
    output.append(chunk.data(), size);
    if (error) co_return;
  }
}

Task<Carried> carry(environment::carrier::StartCarrier start, std::string script, std::string input,
                    bool to_the_end = true) {
  using asio::experimental::awaitable_operators::operator&&;
  const auto run = start(script);
  if (!run) co_return Carried{.complaint = "not started: " + run.error().message()};
  Carried carried;
  co_await (feed(**run, input, to_the_end) && drain(**run, carried.output));
  carried.complaint = (*run)->complaint();
  co_return carried;
}

class PtyCarrierTest : public TalariaTest {
 protected:
  void SetUp() override {
    if (const std::string why = FakeCloud::why_not(); !why.empty()) GTEST_SKIP() << why;
    ::signal(SIGPIPE, SIG_IGN);
    cloud_ = std::make_unique<FakeCloud>(world_, "daytona");
    loop_ = std::make_unique<asio::io_context>(1);
    host_ = cloud_->url().substr(0, cloud_->url().rfind('/'));
    sandbox_ = json::value_to<std::string>(ask("POST", "/api/sandbox", {{"name", "box"}}).at("id"));
    access_.toolbox = host_ + "/toolbox/" + sandbox_;
    access_.key = Secret(cloud_->said("api_key"));
    ASSERT_TRUE(eventually(
        [this] { return ask("GET", "/api/sandbox/" + sandbox_).at("state") == "started"; }));
  }

  void TearDown() override {
    loop_.reset();
    cloud_.reset();
    TalariaTest::TearDown();
  }

  json::object ask(const std::string& method, const std::string& path,
                   const json::object& body = {}) {
    http::HttpRequest request{.method = method, .url = *http::parse_url(host_ + path)};
    request.headers = {{"Authorization", "Bearer " + cloud_->said("api_key")},
                       {"Content-Type", "application/json"}};
    if (method == "POST") request.body = json::serialize(body);
    asio::io_context loop(1);  // the channel keeps a connection, so the loop outlives it
    http::HttpChannel channel({.body_bytes = 1u << 20, .decoded_bytes = 1u << 20});
    const http::HttpChannel::Options options{.answer = std::chrono::seconds(60)};
    const auto answer = run_to_end(loop, channel.ask(request, options));
    if (!answer || answer->status != 200) return {};
    return json::parse(answer->body).as_object();
  }

  environment::carrier::StartCarrier carrier() {
    return environment::daytona::carrier_by_pty(loop_->get_executor(), [this] { return access_; });
  }

  Carried run(const std::string& script, const std::string& input = "", bool to_the_end = true) {
    return run_to_end(*loop_, carry(carrier(), script, input, to_the_end));
  }

  // When all runs have nothing to do any more. (Those that were removed may take a moment to end.)
  bool no_terminal_is_left() {
    loop_->restart();
    loop_->run();
    return eventually([this] {
      return ask("GET", "/toolbox/" + sandbox_ + "/process/pty").at("sessions") == json::array();
    });
  }

  // Runs it in the sandbox by other means; what it says.
  std::string execute(const std::string& command) {
    const auto said =
        ask("POST", "/toolbox/" + sandbox_ + "/process/execute", {{"command", command}});
    return json::value_to<std::string>(said.at("result"));
  }

  // What the shell of every terminal does first.
  void set_profile(const std::string& script) {
    execute("printf '%s\\n' " + shell::single_quote(script) + " >$HOME/.bash_profile");
  }

  bool runs(const std::string& words) {
    return execute("cat /proc/[0-9]*/cmdline | tr '\\0' ' '").find(words) != std::string::npos;
  }

  std::unique_ptr<FakeCloud> cloud_;
  std::unique_ptr<asio::io_context> loop_;
  std::string host_;
  std::string sandbox_;
  environment::daytona::PtyAccess access_;
};

TEST_F(PtyCarrierTest, CarriesEveryByteBothWays) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  all += "\x03\x04\x11\x13\x16\r\n\r\x1a\x1c%d\\101 12\\";
  const Carried few = run("cat", all);
  EXPECT_EQ(few.output, all);
  EXPECT_EQ(few.complaint, "");
  std::string many;
  while (many.size() < 10'000) many += all;
  EXPECT_EQ(run("cat", many).output, many);
}

TEST_F(PtyCarrierTest, CarriesMuchBothWaysAtOnce) {
  const std::string much = random_bytes(20u << 20);
  const Carried back = run("cat", much);
  EXPECT_TRUE(back.output == much) << back.output.size() << " bytes: " << back.complaint;
}

TEST_F(PtyCarrierTest, EndsWithTheProgramThoughItsInputGoesOn) {
  EXPECT_EQ(run("echo done; exit 3", "not read", false).output, "done\n");
  EXPECT_TRUE(no_terminal_is_left());
}

TEST_F(PtyCarrierTest, TellsTheProgramOfTheEndOfItsInput) {
  EXPECT_EQ(run("wc -c; echo end", "12345").output, "5\nend\n");
  EXPECT_EQ(run("wc -c; echo end", "").output, "0\nend\n");
}

TEST_F(PtyCarrierTest, LeavesNoTerminalBehind) {
  EXPECT_EQ(run("echo one").output, "one\n");
  {
    const auto silent = carrier()("exec sleep 1000");
    ASSERT_TRUE(silent);
    loop_->restart();
    ASSERT_TRUE(eventually([this] {
      loop_->run_for(std::chrono::milliseconds(10));
      return runs("sleep 1000");
    }));
  }
  EXPECT_TRUE(no_terminal_is_left());
  EXPECT_TRUE(eventually([this] { return !runs("sleep 1000") && !runs("sleep 300"); }));
}

TEST_F(PtyCarrierTest, CarriesManyAtOnce) {
  constexpr int kRuns = 50;
  const environment::carrier::StartCarrier start = carrier();
  std::vector<Carried> carried(kRuns);
  int running = kRuns;
  const auto one = [&](int number) -> Task<void> {
    carried[number] = co_await carry(start, "tr a b", std::string(3000, 'a'));
    --running;
  };
  for (int number = 0; number < kRuns; ++number) spawn(loop_->get_executor(), one(number));
  EXPECT_TRUE(no_terminal_is_left());
  EXPECT_EQ(running, 0);
  for (const Carried& each : carried) {
    EXPECT_EQ(each.output, std::string(3000, 'b')) << each.complaint;
  }
}

TEST_F(PtyCarrierTest, SaysWhyThereIsNoTerminalInTheVendorsWords) {
  access_.key = Secret("wrong");
  EXPECT_EQ(run("echo").complaint, "no terminal: 127.0.0.1: HTTP 401 Refused: Invalid credentials");
  access_.key = Secret(cloud_->said("api_key"));
  access_.toolbox = host_ + "/toolbox/nowhere";
  EXPECT_THAT(run("echo").complaint, HasSubstr("HTTP 404 Refused: Sandbox"));
  access_.toolbox = "http://127.0.0.1:1/toolbox/" + sandbox_;
  EXPECT_EQ(run("echo").complaint, "no terminal: 127.0.0.1: Connection refused");
}

TEST_F(PtyCarrierTest, TriesAgainWhereTheDaemonCannotJustNow) {
  const std::string name = "GET /process/pty/create-connect";
  for (const json::object& fault :
       {json::object{{"on", name}, {"do", "error"}, {"status", 503}, {"times", 2}},
        json::object{{"on", name}, {"do", "error"}, {"status", 429}, {"retry_after", 1}},
        json::object{{"on", name}, {"do", "lost"}, {"status", 502}},
        json::object{{"on", name}, {"do", "cut"}}}) {
    cloud_->fault(fault);
    const Carried carried = run("cat", "all the same");
    EXPECT_EQ(carried.output, "all the same") << json::serialize(fault) << carried.complaint;
    EXPECT_TRUE(no_terminal_is_left()) << json::serialize(fault);
  }
  cloud_->fault(
      {{"on", name}, {"do", "error"}, {"status", 503}, {"message", "away"}, {"times", 99}});
  EXPECT_THAT(run("cat").complaint, HasSubstr("503 Refused: away"));
}

TEST_F(PtyCarrierTest, SaysThatTheConnectionBrokeAndRemovesTheTerminal) {
  cloud_->fault({{"on", "GET /process/pty/create-connect"}, {"do", "cut"}, {"bytes", 500'000}});
  const Carried broken = run("cat; sleep 1000", random_bytes(2u << 20));
  EXPECT_LT(broken.output.size(), 2u << 20);
  EXPECT_THAT(broken.complaint, HasSubstr("127.0.0.1: "));
  EXPECT_TRUE(no_terminal_is_left());
  EXPECT_TRUE(eventually([this] { return !runs("sleep 1000"); }));
  EXPECT_EQ(run("cat", "once more").output, "once more");
}

TEST_F(PtyCarrierTest, OverhearsWhatLoginFilesSay) {
  set_profile(
      "echo TALARIA-; seq 1 30000; printf '\\033[6n\\377\\000'; read -n 1 -t 5 answer\n"
      "sleep 0.3; echo no newline follows; printf '%s' TALARIA-0123");
  const Carried carried = run("cat", "through all that");
  EXPECT_EQ(carried.output, "through all that") << carried.complaint;
}

TEST_F(PtyCarrierTest, SaysWhatTheTerminalShowsIfItsShellEnds) {
  set_profile("echo no shell for you; exit 1");
  EXPECT_THAT(run("echo").complaint, HasSubstr("no shell for you"));
}

// With five minutes made a moment.
TEST_F(PtyCarrierTest, EndsByItselfIfNothingIsHeardOfUs) {
  set_profile(
      "mkdir -p ~/bin; printf '#!/bin/sh\\n[ \"$1\" != 300 ] || exit 0\\nexec %s \"$@\"' "
      "$(command -v sleep) >~/bin/sleep; chmod +x ~/bin/sleep; PATH=~/bin:$PATH");
  const Carried carried = run("sleep 1000", "", false);
  EXPECT_EQ(carried.output, "");
  EXPECT_EQ(carried.complaint, "");
  EXPECT_TRUE(eventually([this] { return !runs("sleep 1000"); }));
}

// The shell that reads the line, and the sh that does the rest.
TEST_F(PtyCarrierTest, NeedsNoBash) {
  const struct {
    const char* name;
    const char* profile;
  } cases[] = {
      {"busybox",
       "mkdir -p ~/bin; for p in sh dd cat stty head printf sleep; do"
       " ln -sf $(command -v busybox) ~/bin/$p; done; PATH=~/bin:$PATH"},
      {"busybox at the terminal", "PATH=~/bin:$PATH; exec busybox ash"},
      {"bash as sh", "mkdir -p ~/bin; ln -sf $(command -v bash) ~/bin/sh; PATH=~/bin:$PATH"},
      {"dash at the terminal", "exec dash"},
      {"dd without iflag",
       "mkdir -p ~/bin; printf '#!/bin/sh\\ncase \"$*\" in *iflag*) exit 1;; esac\\nexec %s \"$@\"'"
       " $(command -v dd) >~/bin/dd; chmod +x ~/bin/dd; PATH=~/bin:$PATH"},
  };
  std::string bytes = random_bytes(100'000);
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    set_profile(c.profile);
    const Carried few = run("printf '%s:' \"$0\"; head -c 300", bytes.substr(0, 300));
    EXPECT_EQ(few.output, "sh:" + bytes.substr(0, 300)) << few.complaint;
    const Carried many = run("cat", bytes);
    EXPECT_TRUE(many.output == bytes) << many.output.size() << " bytes: " << many.complaint;
    execute("rm -rf $HOME/bin");
  }
}

TEST_F(PtyCarrierTest, GoesByTlsToWhomItTrusts) {
  const Certificate certificate = make_certificate(world_, "daemon");
  ASSERT_FALSE(certificate.file.empty());
  Program front({.argv = {"python3", std::string(TALARIA_FAKE_CLOUDS) + "/fakes/tls_front.py",
                          certificate.file, certificate.key, host_.substr(host_.rfind(':') + 1)},
                 .env = world_.env(),
                 .keep_stdin_open = true});
  ASSERT_TRUE(front.read_until_contains("\n")) << front.err();
  access_.toolbox = "https://localhost:" + trim_end(front.out()) + "/toolbox/" + sandbox_;
  EXPECT_THAT(run("echo").complaint, HasSubstr("no terminal: localhost: TLS: "));
  access_.ca_file = certificate.file;
  const std::string much = random_bytes(4u << 20);
  const Carried back = run("cat", much);
  EXPECT_TRUE(back.output == much) << back.output.size() << " bytes: " << back.complaint;
  EXPECT_TRUE(no_terminal_is_left());
  access_.key = Secret("wrong");
  EXPECT_THAT(run("echo").complaint, HasSubstr("HTTP 401 Refused: Invalid credentials"));
}

// A client that does not keep up is dropped by the daemon, and any connection may break.
TEST_F(PtyCarrierTest, ALinkGoesOnOverANewTerminal) {
  // The first terminal finds no runner, takes it there and is the link's.
  cloud_->fault(
      {{"on", "GET /process/pty/create-connect"}, {"do", "cut"}, {"skip", 0}, {"bytes", 500'000}});
  std::string output;
  const auto use = [&]() -> Task<std::string> {
    environment::carrier::CarrierOptions options{.name = "daytona", .start = carrier()};
    options.places.own = {"\"$HOME/.talaria\""};  // the only one that is the sandbox's own
    environment::carrier::CarriedTarget target{
        .carrier = std::make_shared<environment::carrier::Carrier>(loop_->get_executor(),
                                                                   std::move(options)),
        .options = {.target = "daytona", .elsewhere = true}};
    const auto made = co_await environment::carrier::make_carried_environment(std::move(target));
    if (!made) co_return made.error().message();
    environment::CommandSpec spec{.command =
                                      "echo ran >>$HOME/ran; yes 0123456789 | head -c 3000000"};
    spec.on_output = [&output](std::string_view bytes) { output += bytes; };
    const auto outcome = co_await (*made)->run(std::move(spec), {});
    if (!outcome) co_return outcome.error().message();
    const auto closed = co_await (*made)->close(true);
    co_return closed ? "" : closed.error().message();
  };
  EXPECT_EQ(run_to_end(*loop_, use()), "");
  std::string expected;
  while (expected.size() < 3'000'000) expected += "0123456789\n";
  EXPECT_TRUE(output == expected.substr(0, 3'000'000)) << output.size() << " bytes";
  EXPECT_EQ(execute("cat $HOME/ran"), "ran\n");
  EXPECT_GE(cloud_->requests("GET /process/pty/create-connect").size(), 4u)
      << "link, link, two to remove it";
  EXPECT_TRUE(no_terminal_is_left());
}

struct Figures {
  double start_ms = 0;  // until the first byte is back
  double round_ms = 0;  // of a message that is a few hundred bytes long; the median
  double mb_per_s = 0;  // there and back at once
};

double ms_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

Task<bool> round_trip(environment::carrier::CarrierRun& run, std::string_view bytes) {
  using asio::experimental::awaitable_operators::operator&&;
  std::string back(bytes.size(), '\0');
  const auto receive = [&]() -> Task<void> {
    co_await asio::async_read(run.output, asio::buffer(back), as_values);
  };
  co_await (feed(run, bytes, false) && receive());
  co_return back == bytes;
}

Task<Figures> measure(environment::carrier::StartCarrier start, std::string much) {
  using Clock = std::chrono::steady_clock;
  Figures figures;
  auto began = Clock::now();
  const auto run = start("cat");
  if (!run || !co_await round_trip(**run, "x")) co_return figures;
  figures.start_ms = ms_since(began);
  std::vector<double> rounds;
  for (int count = 0; count < 200; ++count) {
    began = Clock::now();
    if (!co_await round_trip(**run, std::string_view(much).substr(0, 300))) co_return figures;
    rounds.push_back(ms_since(began));
  }
  std::ranges::sort(rounds);
  figures.round_ms = rounds[rounds.size() / 2];
  began = Clock::now();
  if (co_await round_trip(**run, much)) {
    figures.mb_per_s = static_cast<double>(much.size()) / 1e3 / ms_since(began);
  }
  co_return figures;
}

TEST_F(PtyCarrierTest, IsFasterThanTheVendorsSdk) {
  const std::string much = random_bytes(4u << 20);
  const std::string words =
      "env NODE_PATH=" + std::string(std::getenv("TALARIA_CLOUD_MODULES")) +
      " DAYTONA_API_URL=" + cloud_->url() + " DAYTONA_API_KEY=" + cloud_->said("api_key") + " " +
      std::getenv("TALARIA_NODE") + " " TALARIA_FAKE_CLOUDS "/carry.cjs daytona run " + sandbox_;
  bool faster = false;  // once: a busy machine may hold up either of them
  for (int tries = 0; tries < 5 && !faster; ++tries) {
    const Figures own = run_to_end(*loop_, measure(carrier(), much));
    const Figures sdk = run_to_end(
        *loop_,
        measure(environment::carrier::carrier_by(loop_->get_executor(), {.command = words}), much));
    std::printf("start %.0f ms (SDK %.0f), round %.2f ms (%.2f), %.1f MB/s (%.1f)\n", own.start_ms,
                sdk.start_ms, own.round_ms, sdk.round_ms, own.mb_per_s, sdk.mb_per_s);
    faster = own.round_ms < sdk.round_ms && own.mb_per_s > sdk.mb_per_s;
  }
  EXPECT_TRUE(faster);
}

TEST_F(PtyCarrierTest, KeepsWhatNobodyReadsYet) {
  constexpr std::size_t kMuch = 40u << 20;  // more than it would keep itself
  const auto start = carrier()("head -c 41943040 /dev/zero; echo >$HOME/done");
  ASSERT_TRUE(start);
  loop_->restart();
  ASSERT_TRUE(eventually([this] {
    loop_->run_for(std::chrono::milliseconds(10));
    return !execute("ls $HOME/done 2>/dev/null").empty();
  }));
  const auto read = [&]() -> Task<std::string> {
    std::string output;
    co_await drain(**start, output);
    co_return output;
  };
  EXPECT_TRUE(run_to_end(*loop_, read()) == std::string(kMuch, '\0'));
}

}  // namespace
}  // namespace talaria::test
