// make_seeds TARGET DIRECTORY: writes a small first corpus for a fuzz target, so that the fuzzer
// does not have to discover the shape of a HELLO by itself.

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "link/envelope.h"
#include "link/frame.h"
#include "link/handshake.h"
#include "testing/link/samples.h"

namespace talaria {
namespace {

std::string frame(link::FrameType type, link::ExchangeId exchange, const std::string& payload) {
  std::string bytes;
  link::append_frame(bytes, {type, link::kFlagLast, exchange, payload});
  return bytes;
}

std::string data(link::ExchangeId exchange, const std::string& content) {
  std::string bytes;
  link::append_data(bytes, exchange, 0, content);
  link::append_credit(bytes, exchange, 3, 100);
  link::append_number(bytes, link::FrameType::end, exchange, content.size());
  return bytes;
}

template <class Message>
std::string request(link::ExchangeId exchange) {
  return frame(
      link::FrameType::request, exchange,
      link::encode_request(Message::kMethod, 64, "", link::encode(link::sample<Message>())));
}

std::string from_client() {
  return request<link::Start>(1) + request<link::Write>(3) + data(3, "input") +
         request<link::Read>(5) + frame(link::FrameType::cancel, 5, "") +
         frame(link::FrameType::ping, 0, "12345678");
}

std::string from_runner() {
  return frame(link::FrameType::note, 1, link::encode(link::sample<link::Started>())) +
         data(1, "out") + data(3, "read") +
         frame(link::FrameType::response, 1,
               link::encode_response(link::encode(link::sample<link::ExitReport>()))) +
         frame(link::FrameType::response, 7,
               link::encode_response(fail(ErrorKind::not_found, "no"))) +
         frame(link::FrameType::go_away, 0,
               link::encode_go_away({link::CloseReason::instance, "another"}));
}

// What a target's own choices look like in front of each piece: 0x80 takes 4096 bytes.
std::string in_one_piece(const std::string& stream) { return "\x01\x80" + stream; }

std::vector<std::string> messages() {
  const std::vector<std::string> bodies{
      link::encode(link::sample<link::Start>()),
      link::encode(link::sample<link::Started>()),
      link::encode(link::sample<link::ExitReport>()),
      link::encode(link::sample<link::Wait>()),
      link::encode(link::sample<link::Kill>()),
      link::encode(link::sample<link::KillReport>()),
      link::encode(link::sample<link::Read>()),
      link::encode(link::sample<link::ReadReport>()),
      link::encode(link::sample<link::Write>()),
      link::encode(link::sample<link::WriteReport>()),
      link::encode(link::sample<link::Resize>()),
      link::encode(link::sample<link::List>()),
      link::encode(link::sample<link::ListReport>()),
      link::encode(link::sample<link::Status>()),
      link::encode(link::sample<link::StatusReport>()),
      link::encode(link::sample<link::Stop>()),
      link::encode(link::sample<link::Login>()),
      link::encode(link::sample<link::LoginReport>()),
      link::encode(link::sample<link::RunnerEvent>()),
      link::encode(link::sample<link::Events>()),
      link::encode(link::sample<link::EventsReport>()),
      link::encode(link::sample<link::Acknowledge>()),
      link::encode(link::sample<link::StatFile>()),
      link::encode(link::sample<link::StatFileReport>()),
      link::encode(link::sample<link::ReadFile>()),
      link::encode(link::sample<link::ReadFileReport>()),
      link::encode(link::sample<link::WriteFile>()),
      link::encode(link::sample<link::WriteFileReport>()),
      link::encode(link::sample<link::RemoveFiles>()),
      link::encode(link::sample<link::RemoveFilesReport>()),
      link::encode(link::sample<link::ListFiles>()),
      link::encode(link::sample<link::ListFilesReport>()),
      link::encode(link::sample<link::ReadLines>()),
      link::encode(link::sample<link::ReadLinesReport>()),
      link::encode(link::sample<link::SearchFiles>()),
      link::encode(link::sample<link::SearchReport>()),
      link::encode(link::sample<link::LocateFile>()),
      link::encode(link::sample<link::LocateFileReport>()),
      link::encode(link::sample<link::ChangeFiles>()),
      link::encode(link::sample<link::ChangeFilesReport>()),
      link::encode(link::sample<link::ScriptCalls>()),
      link::encode(link::sample<link::ScriptAnswer>()),
      link::encode_hello(link::ClientHello{}),
  };
  std::vector<std::string> seeds;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    seeds.push_back(std::string(1, static_cast<char>(i)) + bodies[i]);
  }
  return seeds;
}

// One entry of a tar archive: a header of ustar, and its content.
std::string tar_entry(const std::string& name, const std::string& content, char type) {
  std::string block(512, '\0');
  block.replace(0, name.size(), name);
  std::array<char, 16> digits{};
  std::snprintf(digits.data(), digits.size(), "%011zo", content.size());
  block.replace(124, 11, digits.data());
  block[156] = type;
  block.replace(257, 5, "ustar");
  block.replace(148, 8, "        ");
  unsigned sum = 0;
  for (const char c : block) sum += static_cast<unsigned char>(c);
  std::snprintf(digits.data(), digits.size(), "%06o", sum);
  block.replace(148, 7, digits.data(), 7);
  block += content;
  block.resize((block.size() + 511) / 512 * 512);
  return block;
}

std::vector<std::string> seeds_for(const std::string& target) {
  const std::string client_hello =
      frame(link::FrameType::hello, 0, link::encode_hello(link::ClientHello{}));
  const std::string runner_hello =
      frame(link::FrameType::hello, 0, link::encode_hello(link::RunnerHello{.instance = "i1"}));
  if (target == "fuzz_frame_reader") return {"\x05" + from_client(), "\x01" + from_runner()};
  if (target == "fuzz_messages") return messages();
  if (target == "fuzz_connection_server") {
    return {in_one_piece(from_client()), std::string("\0\x80", 2) + client_hello + from_client()};
  }
  if (target == "fuzz_connection_client") {
    return {in_one_piece(from_runner()), std::string("\0\x80", 2) + runner_hello + from_runner()};
  }
  if (target == "fuzz_redact") {
    return {"_A_TOKEN=abc \"password\": \"x\" +14155552671 postgres://u:p@h sk-abcdefghijklm",
            "_Authorization: Bearer abc eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.sig 12345678:abc",
            "_password=a&user=b", "_-----BEGIN PRIVATE KEY-----x-----END PRIVATE KEY-----"};
  }
  if (target == "fuzz_guard") {
    return {"if a; then r''m -rf \"$x\" | tee /etc/x; fi; for i in {1..3}; do f $i; done &",
            "x=$'r\\x6d'; $x `echo \\`date\\`` <<E <<'F' 2>&1\n$(a) ${b:-c}\nE\nd\nF\n",
            "case $1 in a|(b) [[ $x =~ ^a(b)$ ]];; *) ((i++)); a=(1 2); esac; f() { f | f & }",
            "find . -exec rm {} + | xargs -I% sudo -u a env B=c bash -c 'eval \"$(echo %)\"'"};
  }
  if (target == "fuzz_program") {
    return {std::string(1, '\0') + "import os as o\nfor d in ['a', f'{o.sep}b']:\n  o.system(d)\n",
            "\x01const {rm: r} = require('fs'); r(`${x / 2}`, {recursive: true}) // /a'/g",
            "\x02s{a}{system \"b $c\"}e; open(F, \"|d\"); print <<\"E\" . q(x);\n@{[ `e` ]}\nE\n",
            "\x03%w[a b].each { |f| File.delete(\"#{f}/?x\") }",
            "\x04<p><?php $f(<<<E\n$a\nE); ?>",
            "\x05io.open([[a]], 'w') --[=[ b ]=]",
            "\x06system2('a', c(r\"(b)\"))",
            "\x07run(`a $(b)`); A'",
            "\x08Command::new(\"a\").arg('b') /* c */ R\"(d)\""};
  }
  if (target == "fuzz_tar") {
    return {tar_entry("d/", "", '5') + tar_entry("d/f", "content", '0') + std::string(1024, '\0'),
            tar_entry("x", "13 path=long\n", 'x') + tar_entry("s", "1", '0') +
                tar_entry("././@LongLink", "name", 'L') + tar_entry("l", "", '2')};
  }
  if (target == "fuzz_screen") {
    return {"\x0c\x28$ vim\r\n\033[?1049h\033[2;5r\033[10;3Htext\033[31m\xff\x05\x0a\033[3b",
            "\x0c\x28\033]0;title\007日é\033[?25l\033[2L\033[3M\033[4@\033[5P\033[K"};
  }
  if (target == "fuzz_replace") {
    return {
        "_a\r\nb\r\nq\r\n\x1e"
        "a\nb\n\x1e"
        "A\nB\n",
        "_aaaa\x1e"
        "aa\x1e"
        "b",
        "_  if x:\n\ty(\u201Ca\u201D)\n\x1eif x:\n  y(\"a\")\x1eif z:\n  \\ty(\\'b\\')",
        "_f {\n  one two\n}\nf {\n three\n}\n\x1e"
        "f {\n  one too\n}\x1eg"};
  }
  if (target == "fuzz_patch") {
    return {
        "a\nb\nc\n\x1e*** Begin Patch\n*** Update File: f\n@@ a @@\n-b\n+x\n*** End of File\n"
        "*** Add File: g\n+y\n*** Move File: g -> h\n*** Delete File: h\n*** End Patch\n",
        "a\r\nb\x1e```\n***Update File: f\n*** Move to: g\n@@ a\n@@ b\n+x\n\n+y\n```\n"};
  }
  if (target == "fuzz_html") {
    return {
        std::string(1, '\0') +
            "<title>t</title><main><h1>a</h1><ul><li>b<ol start=3><li>c</ol></ul><table><tr><th>d"
            "<td>e|f</table><blockquote><pre><code class=language-c>g</code></pre></blockquote>",
        "\x01<meta charset=koi8-r><a href='../x?y'><img src=i "
        "alt=j></a><dl><dt>k<dd>l</dl>\x82\xa0"};
  }
  if (target == "fuzz_url") {
    return {"http://user:pw@B\u00fccher.example.:8080/a/../b%20c?d=\u00e9#f",
            "https://[::ffff:0a00:1]/", "http://0x7f.1/", "../x/./y?z", "//host%2e.test"};
  }
  if (target == "fuzz_mcp") {
    return {
        R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"x"}})"
        "\n"
        R"({"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"t","arguments":{}}})"
        "\n"
        R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a"}})"
        "\n",
        R"({"jsonrpc":"2.0","id":2,"method":"subscriptions/listen","params":{"notifications":)"
        R"({"resourceSubscriptions":["u"]},"_meta":{"io.modelcontextprotocol/protocolVersion":)"
        R"("2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}})"
        "\n",
        R"({"jsonrpc":"2.0","id":3,"method":"m","id":3})"
        "\n[[[[1.5e3]]]]\n"
        R"({"jsonrpc":"2.0","id":"talaria-1","result":{}})"
        "\n"};
  }
  if (target == "fuzz_http_request") {
    return {
        "\x05POST /v1/a%20b?wait=1&x HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n{}"
        "GET /b HTTP/1.0\r\n\r\n",
        "\x7fPOST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n"
        "2;x=y\r\nab\r\n0\r\nTrailer: t\r\n\r\n",
        "\x7fGET / HTTP/1.1\r\nX: a\r\n b\r\nConnection: close\r\n\r\n"};
  }
  if (target == "fuzz_event_stream") {
    return {"\x05id: 6\r\nevent: output\ndata: {\"from\":0}\ndata: more\n\n: comment\n\ndata\n\n",
            "\x7fHTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
            "9\r\ndata: a\n\n\r\n0\r\n\r\n",
            "\x7fHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"};
  }
  if (target == "fuzz_shell_state") {
    using namespace std::string_literals;
    return {"\0n\0"s + "0 braceexpand extglob\0"s + "0022\n\0/usr\n\0declare -x A=\"1\"\n\0"s +
            "alias l='ls'\n\0declare -f f\n\0f () \n{ \n    :\n}\n\0n\0"s};
  }
  return {};
}

}  // namespace
}  // namespace talaria

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: make_seeds TARGET DIRECTORY\n");
    return 2;
  }
  const std::filesystem::path directory = argv[2];
  std::filesystem::create_directories(directory);
  int number = 0;
  for (const std::string& seed : talaria::seeds_for(argv[1])) {
    std::ofstream(directory / ("seed" + std::to_string(number++)), std::ios::binary) << seed;
  }
  return number > 0 ? 0 : 1;
}
