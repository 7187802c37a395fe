// The actions of the process tool that give output by byte: as it is, or as a screen shows it.
#include <algorithm>
#include <utility>

#include <boost/json/array.hpp>

#include "base/base64.h"
#include "base/limits.h"
#include "base/text.h"
#include "policy/redact.h"
#include "tools/arguments.h"
#include "tools/process_call.h"
#include "tools/process_screen.h"

namespace talaria::tool {
namespace {

struct ReadArguments {
  std::uint64_t from = 0;
  std::uint64_t max = kDefaultReadBytes;
  std::string since;  // the name of a mark; empty: none
  bool raw = false;
};

Result<std::uint64_t> position(const json::object& arguments, std::string_view name,
                               std::uint64_t absent) {
  const json::value* value = given(arguments, name);
  if (!value) return absent;
  if (value->is_uint64()) return value->get_uint64();
  if (value->is_int64() && value->get_int64() >= 0) {
    return static_cast<std::uint64_t>(value->get_int64());
  }
  return fail(ErrorKind::bad_request,
              std::string(name) + " must be a whole number of bytes, not negative");
}

Result<ReadArguments> parse(const ProcessCall& call) {
  const json::object& arguments = call.arguments;
  ReadArguments read;
  const auto from = position(arguments, "from", 0);
  if (!from) return fail(from.error());
  read.from = *from;
  const auto max = position(arguments, "max", kDefaultReadBytes);
  if (!max) return fail(max.error());
  read.max = std::clamp<std::uint64_t>(*max, 1, kMaxReadBytes);
  const json::value* raw = given(arguments, "raw");
  // Raw is for people and programs that read the output of processes. A file is always masked, as
  // by read_file.
  const bool may_be_raw = call.file.empty() || !call.config->redact_secrets;
  read.raw = may_be_raw && raw && is_true(*raw);
  const json::value* since = given(arguments, "since");
  if (!since) return read;
  if (!since->is_string() || since->get_string().empty() ||
      since->get_string().size() > kMaxMarkBytes) {
    return fail(ErrorKind::bad_request, "since must be the name of a mark, up to " +
                                            std::to_string(kMaxMarkBytes) + " bytes");
  }
  read.since = since->get_string();
  const auto mark = call.ledger.mark(call.process.id(), read.since);
  if (!mark) return fail(mark.error());
  read.from = *mark;
  return read;
}

// A secret that is cut in two is not recognised, nor is a character: a part of the output ends with
// a line if it can, and with a whole character in any case.
std::string_view whole_part(std::string_view bytes, bool more_follows) {
  if (!more_follows) return bytes;
  const std::size_t line = bytes.rfind('\n');
  if (line != std::string_view::npos) return bytes.substr(0, line + 1);
  const std::string_view whole = without_cut_end(bytes);
  return whole.empty() ? bytes : whole;
}

std::string masked(const ProcessCall& call, const std::string& text) {
  return call.config->redact_secrets ? policy::redact(text) : text;
}

// The first output there is without a gap in it.
struct Stretch {
  std::uint64_t begin = 0;
  std::string bytes;
  bool cut = false;  // there is more, behind a gap

  void add(std::uint64_t from, std::string_view piece) {
    if (bytes.empty()) begin = from;
    cut = cut || from != begin + bytes.size();
    if (!cut) bytes += piece;
  }
};

// Output by byte: of a process, or of what was put into a file.
Task<Result<OutputRead>> read_bytes(const ProcessCall& call, std::uint64_t from, std::uint64_t max,
                                    environment::OutputSink on_output) {
  if (call.file.empty()) {
    OutputQuery query{.from = from, .max = max};
    co_return co_await call.process.read(std::move(query), std::move(on_output), call.cancel);
  }
  std::uint64_t at = from;
  environment::TargetPath path{call.file};
  const auto read = co_await call.process.environment().files().read(
      std::move(path), from, max,
      [&](std::string_view piece) {
        on_output(at, piece);
        at += piece.size();
      },
      call.cancel);
  if (!read) co_return fail(read.error());
  co_return OutputRead{.next = read->next, .total = read->file.facts.size, .eof = read->eof};
}

// What was printed right before `cursor`, as far as a secret may begin there.
Task<std::string> before(ProcessCall call, std::uint64_t cursor) {
  const std::uint64_t from = cursor - std::min<std::uint64_t>(cursor, policy::kSecretBytes);
  std::string bytes;
  std::uint64_t end = from;
  const auto read =
      co_await read_bytes(call, from, cursor - from, [&](std::uint64_t at, std::string_view piece) {
        if (at != end) bytes.clear();  // behind a gap
        bytes += piece;
        end = at + piece.size();
      });
  co_return read&& end == cursor ? bytes : std::string();
}

}  // namespace

Task<json::object> read_process(ProcessCall call) {
  const auto arguments = parse(call);
  if (!arguments) co_return describe_error("error", arguments.error().message());
  const bool mask = !arguments->raw && call.config->redact_secrets;
  Stretch stretch;
  const auto read = co_await read_bytes(
      call, arguments->from, arguments->max + (mask ? policy::kSecretBytes : 0),
      [&stretch](std::uint64_t from, std::string_view piece) { stretch.add(from, piece); });
  if (!read) co_return describe_error(call, read.error());

  std::string_view bytes = stretch.bytes;
  const std::uint64_t begin = bytes.empty() ? read->next : stretch.begin;
  const bool is_last = read->eof && !stretch.cut && bytes.size() <= arguments->max;
  bytes = bytes.substr(0, arguments->max);
  json::object result;
  if (arguments->raw) {
    const bool text = is_valid_utf8(bytes);
    result = {{"data", text ? std::string(bytes) : base64(bytes)},
              {"encoding", text ? "utf8" : "base64"}};
  } else {
    bytes = whole_part(bytes, !is_last);
    std::string shown = sanitize_utf8(bytes);
    if (mask && !bytes.empty()) {
      const std::string ahead = begin > 0 ? sanitize_utf8(co_await before(call, begin)) : "";
      const std::string behind =
          sanitize_utf8(std::string_view(stretch.bytes).substr(bytes.size()));
      shown = redact(policy::PartOfText{.before = ahead, .text = shown, .after = behind});
    }
    result = {{"data", shown}, {"encoding", "utf8"}};
  }
  const std::uint64_t next = begin + bytes.size();
  result["from"] = begin;
  result["next"] = next;
  result["total"] = read->total;
  result["eof"] = is_last && next >= read->total;
  if (begin > arguments->from) result["lost"] = begin - arguments->from;
  if (!arguments->since.empty()) {
    const auto moved = co_await call.ledger.set_mark(call.process.id(), arguments->since, next);
    if (!moved) co_return describe_error("error", moved.error().message());
  }
  co_return result;
}

Task<json::object> show_screen(ProcessCall call) {
  const auto info = co_await call.process.find();
  if (!info) co_return describe_error(call, info.error());
  if (info->terminal.empty()) {
    co_return describe_error("error",
                             "Process has no terminal: it was started without pty=true. Use log.");
  }
  const auto screen = co_await look_at_screen(call.process, *info, call.cancel);
  if (!screen) co_return describe_error(call, screen.error());
  std::string text;
  for (const std::string& line : screen->lines) text += line + "\n";
  while (text.ends_with("\n\n")) text.pop_back();
  json::object result{{"session_id", info->id},
                      {"status", info->running ? "running" : "exited"},
                      {"screen", masked(call, text)},
                      {"rows", screen->size.rows},
                      {"cols", screen->size.cols},
                      {"cursor",
                       {{"row", screen->cursor_row},
                        {"col", screen->cursor_col},
                        {"visible", screen->cursor_visible}}}};
  if (!screen->title.empty()) result["title"] = masked(call, screen->title);
  if (screen->alternate) result["alternate_screen"] = true;
  if (info->running && info->waiting_for_input) result["waiting_for_input"] = true;
  if (!info->running) result["exit_code"] = info->exit_code;
  co_return result;
}

}  // namespace talaria::tool
