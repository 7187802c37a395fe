// What a process printed, by position: any part, any number of times, by anybody.
#include <algorithm>

#include "front/check/check_case.h"

namespace talaria::front::check {
namespace {

// What `for i in $(seq 1 last); do echo line $i; done` prints.
std::string lines(int last) {
  std::string text;
  for (int i = 1; i <= last; ++i) text += "line " + std::to_string(i) + "\n";
  return text;
}

bool eof_of(const json::object& read) {
  const json::value* eof = read.if_contains("eof");
  return eof != nullptr && eof->is_bool() && eof->get_bool();
}

// All of it, piece by piece.
Task<std::string> read_all(Trial& trial, std::string id, std::int64_t max) {
  std::string all;
  std::int64_t from = 0;
  for (int i = 0; i < 1000; ++i) {
    const json::object read =
        co_await trial.agent().process("read", id, {{"from", from}, {"max", max}});
    if (!trial.equal("from", number_of(read, "from"), from)) break;
    all += text_field(read, "data");
    from = number_of(read, "next");
    if (eof_of(read)) break;
  }
  co_return all;
}

Task<void> pieces(Trial& trial) {
  const std::string id =
      co_await trial.agent().start("for i in $(seq 1 2000); do echo line $i; done");
  co_await trial.agent().wait(id);
  trial.equal("all pieces", co_await read_all(trial, id, 1000), lines(2000));
  trial.equal("all pieces, once more", co_await read_all(trial, id, 5000), lines(2000));
}

Task<void> part(Trial& trial) {
  const std::string id = co_await trial.agent().start("printf 0123456789; printf abcdef");
  co_await trial.agent().wait(id);
  const json::object middle = co_await trial.agent().process("read", id, {{"from", 8}, {"max", 4}});
  trial.field(middle, "data", "89ab");
  trial.field(middle, "next", 12);
  trial.field(middle, "total", 16);
  const json::object behind = co_await trial.agent().process("read", id, {{"from", 16}});
  trial.equal("data behind the end", text_field(behind, "data"), "");
  trial.holds(eof_of(behind), "eof", "true", "false");
}

Task<void> raw_bytes(Trial& trial) {
  const std::string id = co_await trial.agent().start("printf 'a\\377\\n'");
  co_await trial.agent().wait(id);
  const json::object raw = co_await trial.agent().process("read", id, {{"from", 1}, {"raw", true}});
  trial.field(raw, "encoding", "base64");
  trial.field(raw, "data", "/wo=");
}

Task<void> while_it_runs(Trial& trial) {
  const std::string id =
      co_await trial.agent().start("echo one; until [ -e go ]; do sleep 0.05; done; echo two");
  co_await trial.awaits(id, "one");
  const json::object first = co_await trial.agent().process("read", id, {{"from", 0}});
  trial.field(first, "data", "one\n");
  trial.holds(!eof_of(first), "eof", "false", "true");
  co_await trial.agent().command("touch go");
  co_await trial.agent().wait(id);
  const json::object rest =
      co_await trial.agent().process("read", id, {{"from", number_of(first, "next")}});
  trial.field(rest, "data", "two\n");
  trial.holds(eof_of(rest), "eof", "true", "false");
}

Task<void> since_a_mark(Trial& trial) {
  const std::string id =
      co_await trial.agent().start("echo one; until [ -e go ]; do sleep 0.05; done; echo two");
  co_await trial.awaits(id, "one");
  const auto news = [&]() -> Task<std::string> {
    const json::object read = co_await trial.agent().process("read", id, {{"since", "me"}});
    co_return text_field(read, "data");
  };
  trial.equal("news", co_await news(), "one\n");
  trial.equal("no news", co_await news(), "");
  co_await trial.agent().command("touch go");
  co_await trial.agent().wait(id);
  trial.equal("news again", co_await news(), "two\n");
}

Task<void> followed(Trial& trial) {
  const std::string id =
      co_await trial.agent().start("for i in $(seq 1 150000); do echo line $i; done");
  std::string all;
  AsioProcesses processes = trial.agent().processes();
  const Result<OutputRead> read = co_await processes.read(
      {.id = id, .follow = true}, [&all](std::string_view piece) { all += piece; }, trial.cancel());
  trial.equal("all of it", all, lines(150'000));
  trial.holds(read && read->eof && read->lost == 0, "its end", "eof, and nothing lost",
              read ? "otherwise" : read.error().message());
}

}  // namespace

std::vector<CheckCase> cursor_cases() {
  return {
      {"cursor", "pieces-make-the-whole", Ability::cursors, pieces},
      {"cursor", "a-part-from-the-middle", Ability::cursors, part},
      {"cursor", "bytes-that-are-no-text", Ability::cursors, raw_bytes},
      {"cursor", "while-it-runs", Ability::cursors, while_it_runs},
      {"cursor", "news-since-a-mark", Ability::cursors, since_a_mark},
      {"cursor", "two-megabytes-followed", Ability::cursors, followed},
  };
}

}  // namespace talaria::front::check
