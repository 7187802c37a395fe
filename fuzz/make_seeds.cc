// make_seeds TARGET DIRECTORY: writes a small first corpus for a fuzz target, so that the fuzzer
// does not have to discover the shape of a HELLO by itself.

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "link/envelope.h"
#include "link/frame.h"
#include "link/handshake.h"
#include "link/testing/samples.h"

namespace talaria {
namespace {

std::string frame(FrameType type, ExchangeId exchange, const std::string& payload) {
  std::string bytes;
  append_frame(bytes, {type, kFlagLast, exchange, payload});
  return bytes;
}

std::string data(ExchangeId exchange, const std::string& content) {
  std::string bytes;
  append_data(bytes, exchange, 0, content);
  append_credit(bytes, exchange, 3, 100);
  append_number(bytes, FrameType::end, exchange, content.size());
  return bytes;
}

template <class Message>
std::string request(ExchangeId exchange) {
  return frame(FrameType::request, exchange,
               encode_request(Message::kMethod, 64, "", encode(sample<Message>())));
}

std::string from_client() {
  return request<Start>(1) + request<Write>(3) + data(3, "input") + request<Read>(5) +
         frame(FrameType::cancel, 5, "") + frame(FrameType::ping, 0, "12345678");
}

std::string from_runner() {
  return frame(FrameType::note, 1, encode(sample<Started>())) + data(1, "out") + data(3, "read") +
         frame(FrameType::response, 1, encode_response(encode(sample<ExitReport>()))) +
         frame(FrameType::response, 7, encode_response(fail(ErrorKind::not_found, "no"))) +
         frame(FrameType::go_away, 0, encode_go_away({CloseReason::instance, "another"}));
}

// What a target's own choices look like in front of each piece: 0x80 takes 4096 bytes.
std::string in_one_piece(const std::string& stream) { return "\x01\x80" + stream; }

std::vector<std::string> messages() {
  const std::vector<std::string> bodies{
      encode(sample<Start>()),        encode(sample<Started>()),
      encode(sample<ExitReport>()),   encode(sample<Wait>()),
      encode(sample<Kill>()),         encode(sample<KillReport>()),
      encode(sample<Read>()),         encode(sample<ReadReport>()),
      encode(sample<Write>()),        encode(sample<WriteReport>()),
      encode(sample<Resize>()),       encode(sample<List>()),
      encode(sample<ListReport>()),   encode(sample<Status>()),
      encode(sample<StatusReport>()), encode(sample<Stop>()),
      encode(sample<Login>()),        encode(sample<LoginReport>()),
      encode(sample<RunnerEvent>()),  encode(sample<Events>()),
      encode(sample<EventsReport>()), encode(sample<Acknowledge>()),
      encode(sample<StatFile>()),     encode(sample<StatFileReport>()),
      encode(sample<ReadFile>()),     encode(sample<ReadFileReport>()),
      encode(sample<WriteFile>()),    encode(sample<WriteFileReport>()),
      encode(sample<RemoveFiles>()),  encode(sample<RemoveFilesReport>()),
      encode(sample<ListFiles>()),    encode(sample<ListFilesReport>()),
      encode(sample<ReadLines>()),    encode(sample<ReadLinesReport>()),
      encode(sample<SearchFiles>()),  encode(sample<SearchReport>()),
      encode(sample<LocateFile>()),   encode(sample<LocateFileReport>()),
      encode(sample<ChangeFiles>()),  encode(sample<ChangeFilesReport>()),
      encode(sample<ScriptCalls>()),  encode(sample<ScriptAnswer>()),
      encode_hello(ClientHello{}),
  };
  std::vector<std::string> seeds;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    seeds.push_back(std::string(1, static_cast<char>(i)) + bodies[i]);
  }
  return seeds;
}

std::vector<std::string> seeds_for(const std::string& target) {
  const std::string client_hello = frame(FrameType::hello, 0, encode_hello(ClientHello{}));
  const std::string runner_hello =
      frame(FrameType::hello, 0, encode_hello(RunnerHello{.instance = "i1"}));
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
