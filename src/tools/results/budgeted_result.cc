#include "tools/results/budgeted_result.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <memory>
#include <utility>

#include <boost/asio/steady_timer.hpp>
#include <boost/json/array.hpp>

#include "base/sha256.h"
#include "base/text.h"
#include "environment/environment.h"
#include "environment/whole_file.h"
#include "host/child_env.h"
#include "json/json_text.h"
#include "tools/results/result_text.h"
#include "tools/results/turn_budget.h"

namespace talaria::tool {
namespace {

constexpr std::string_view kDirectory = "hermes-results";
constexpr std::size_t kPreviewChars = 1500;
constexpr std::size_t kKeptMember = 500;    // bytes of JSON: a member that stays in the answer ...
constexpr std::size_t kKeptMembers = 2000;  // ... and of all of them
// What an answer has instead is not much shorter than this.
constexpr std::size_t kWorthIt = 5000;
constexpr std::size_t kIdChars = 100;
constexpr auto kPatience = std::chrono::seconds(30);

// What stays at a target: the newest files, each for a limited time.
constexpr std::size_t kMostFiles = 500;
constexpr std::uint64_t kMostBytes = 512u << 20;
constexpr auto kKept = std::chrono::hours(7 * 24);
constexpr std::uint32_t kWritableByOthers = 0022;

// Where a target's programs put what is not to stay: of this machine as its commands have it.
std::string temporary_directory(host::Settings& settings,
                                const environment::Environment& environment) {
  std::string found = "/tmp";
  if (environment.target() != "local") return found;
  const std::vector<std::string>& variables = settings.variables().child_env();
  for (const std::string_view name : {"TMPDIR", "TMP", "TEMP"}) {
    const auto value = host::variable_in(variables, name);
    if (!value || !value->starts_with('/')) continue;
    found = *value;
    break;
  }
  while (found.size() > 1 && found.ends_with('/')) found.pop_back();
  return found;
}

// Old files, by the target's own clock: that of the one that was written just now.
std::vector<std::string> swept(std::vector<environment::FileInfo> found,
                               const environment::FileInfo& newest) {
  std::erase_if(found, [](const environment::FileInfo& one) {
    return one.facts.kind != os::FileKind::file || !one.path.ends_with(".txt");
  });
  std::ranges::sort(found, std::greater(),
                    [](const environment::FileInfo& one) { return one.facts.mtime_ns; });
  const std::int64_t oldest = newest.facts.mtime_ns - std::chrono::nanoseconds(kKept).count();
  std::vector<std::string> old;
  std::size_t files = 0;
  std::uint64_t bytes = 0;
  for (environment::FileInfo& one : found) {
    ++files;
    bytes += one.facts.size;
    const bool stays = files <= kMostFiles && bytes <= kMostBytes && one.facts.mtime_ns >= oldest;
    if (!stays && files > 1) old.push_back(std::move(one.path));
  }
  return old;
}

// Whatever goes wrong here is for the next time.
Task<void> sweep(environment::Files& files, std::string directory, environment::FileInfo newest,
                 CancelToken cancel) {
  environment::FilesQuery query{.directory = {.path = directory}};
  auto found = co_await files.list(std::move(query), std::move(cancel));
  if (!found) co_return;
  std::vector<std::string> old = swept(std::move(*found), newest);
  if (old.empty()) co_return;
  (void)co_await files.remove(std::move(old), std::move(directory));
}

// The name of a file that has another's only if it is the same.
std::string name_by_content(std::string_view beginning, std::string_view text) {
  constexpr std::size_t kDigits = 16;
  return std::string(beginning) + sha256_hex(text).substr(0, kDigits) + ".txt";
}

Task<Result<environment::FileInfo>> write_one(environment::Files& files,
                                              environment::FileToWrite file, CancelToken cancel) {
  std::vector<environment::FileToWrite> one;
  one.push_back(std::move(file));
  co_return (co_await files.write(std::move(one), std::move(cancel))).front();
}

using Text = std::shared_ptr<const std::string>;

struct Place {
  std::string root;
  std::string name;

  std::string path() const { return (root == "/" ? "" : root) + "/" + name; }
};

// Whether the directory is there, and its files are safe from others: its owner may replace them,
// whatever their modes.
Task<Result<bool>> is_own(environment::Files& files, std::string path) {
  environment::TargetPath directory{path};
  const auto there = co_await files.stat(std::move(directory), false, false);
  if (!there) co_return fail(there.error());
  if (!*there) co_return false;
  if ((*there)->foreign) co_return fail(ErrorKind::denied, path + " is another user's");
  if (((*there)->facts.mode & kWritableByOthers) != 0) {
    co_return fail(ErrorKind::denied, path + " can be written by others");
  }
  co_return true;
}

// Returns its path. An id that was used before does not replace the earlier file.
Task<Result<std::string>> save_at(environment::Files& files, Place place, std::string id, Text text,
                                  CancelToken cancel) {
  const auto known = co_await is_own(files, place.path());
  if (!known) co_return fail(known.error());
  const auto at = [&](const std::string& name) {
    environment::FileToWrite file =
        environment::whole_file({.path = place.name + "/" + name, .below = place.root}, text);
    file.mode = 0600;
    file.parents = 0700;
    return file;
  };
  std::string name = id.empty() ? name_by_content("call_", *text) : id + ".txt";
  environment::FileToWrite file = at(name);
  if (!id.empty()) file.expected = "";  // there is none
  auto written = co_await write_one(files, std::move(file), cancel);
  if (!written && !id.empty() && written.error().kind() == ErrorKind::denied) {
    name = name_by_content(id + "-", *text);
    file = at(name);
    written = co_await write_one(files, std::move(file), cancel);
  }
  if (!written) co_return fail(written.error());
  if (!*known) {  // somebody may have been faster to make it
    const auto made = co_await is_own(files, place.path());
    if (!made) co_return fail(made.error());
  }
  co_await sweep(files, place.path(), *written, cancel);
  co_return place.path() + "/" + name;
}

// The usual directory may be another user's; then there is one with the user's name.
Task<Result<std::string>> save(environment::Environment& environment, std::string root,
                               std::string id, Text text, CancelToken cancel) {
  environment::Files& files = environment.files();
  const Place usual{root, std::string(kDirectory)};
  auto path = co_await save_at(files, usual, id, text, cancel);
  if (path || path.error().kind() != ErrorKind::denied) co_return path;
  link::LocateFile home{.path = "~"};
  const auto located = co_await files.locate(std::move(home));
  if (!located) co_return path;
  const std::string user = file_name_of(located->home.substr(located->home.rfind('/') + 1));
  if (user.empty()) co_return path;
  const Place own{root, std::string(kDirectory) + "-" + user};
  auto second = co_await save_at(files, own, id, std::move(text), cancel);
  co_return second ? second : path;
}

Task<Result<std::string>> save_in_time(AnsweredCall call, std::string text) {
  auto environment = co_await call.services.environments.get(call.context.task);
  if (!environment) co_return fail(environment.error());
  CancelToken cancel;  // not the call's: what was done has a result, also if it was given up
  asio::steady_timer limit(co_await asio::this_coro::executor, kPatience);
  limit.async_wait([cancel](boost::system::error_code error) mutable {
    if (!error) cancel.cancel();
  });
  co_return co_await save(**environment, temporary_directory(call.services.settings, **environment),
                          file_name_of(call.context.id),
                          std::make_shared<const std::string>(std::move(text)), cancel);
}

std::string_view preview_of(std::string_view text) {
  std::string_view preview = first_chars(text, kPreviewChars);
  if (preview.size() == text.size()) return preview;
  const std::size_t newline = preview.rfind('\n');
  if (newline != std::string_view::npos && newline > preview.size() / 2) {
    preview = preview.substr(0, newline + 1);
  }
  return preview;
}

std::string shown_size(std::size_t bytes) {
  const bool large = bytes >= 1u << 20;
  const double size = static_cast<double>(bytes) / (large ? 1u << 20 : 1u << 10);
  const auto tenths = std::lround(size * 10);
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + (large ? " MB" : " KB");
}

std::string block(std::string_view text, std::size_t chars, std::size_t bytes,
                  const std::string& path) {
  const std::string_view preview = preview_of(text);
  std::string shown = "<persisted-output>\nThis tool result was too large (" + with_commas(chars) +
                      " characters, " + shown_size(bytes) + ").\nFull output saved to: " + path +
                      "\nUse read_file with offset and limit to see any part of it.\n\n" +
                      "Preview (first " + std::to_string(count_chars(preview)) + " chars):\n";
  shown += preview;
  if (!shown.ends_with('\n')) shown += '\n';
  if (preview.size() < text.size()) shown += "...\n";
  return shown + "</persisted-output>";
}

// The short members of a result stay: they say how the call ended.
json::object short_members(const json::object& result) {
  json::object members;
  std::size_t bytes = 0;
  for (const auto& [name, value] : result) {
    const std::size_t size = name.size() + to_line(value).size();
    if (size > kKeptMember || bytes + size > kKeptMembers) continue;
    bytes += size;
    members[name] = value;
  }
  return members;
}

std::size_t threshold_of(const Tool& tool, const host::ResultConfig& limits) {
  const auto own = limits.by_tool.find(std::string(tool.name));
  return own == limits.by_tool.end() ? limits.max_chars : own->second;
}

void add_notice(json::object& result, std::string_view notice) {
  json::value& notices = result["notices"];
  if (!notices.is_array()) notices = json::array();
  notices.as_array().emplace_back(notice);
}

Task<json::object> put_aside(AnsweredCall call, json::object result, const std::string& line) {
  const std::string text = result_text(result);
  const std::size_t chars = count_chars(line);
  json::object answer = short_members(result);
  const auto path = co_await save_in_time(std::move(call), text);
  if (path) {
    answer["output"] = block(text, chars, line.size(), *path);
    answer["persisted_path"] = sanitize_utf8(*path);
    co_return answer;
  }
  answer["output"] = std::string(preview_of(text)) + "\n\n[Truncated: tool response was " +
                     with_commas(chars) + " chars. Full output could not be saved to sandbox.]";
  add_notice(answer, "the full result could not be saved: " + path.error().message());
  co_return answer;
}

// Whether its line has no more than `most` characters, as far as that is seen at once.
bool is_surely_short(const json::object& result, std::size_t most) {
  constexpr std::size_t kLongestEscape = 6;
  constexpr std::size_t kLongestNumber = 32;
  std::size_t chars = 2;
  for (const auto& [name, value] : result) {
    if (value.is_array() || value.is_object()) return false;
    const json::string* const text = value.if_string();
    chars += (name.size() + (text != nullptr ? text->size() : kLongestNumber)) * kLongestEscape;
  }
  return chars <= most;
}

}  // namespace

AnsweredCall answered(const Tool& tool, const ToolCall& call) {
  const bool whole = call.from_script || tool.gives_pages;
  return {.services = call.services,
          .context = call.context,
          .turns = call.turns,
          .stays_whole = whole};
}

Task<json::object> budgeted_result(const Tool& tool, AnsweredCall call, json::object result) {
  const Result<host::Config>& config = call.services.settings.config();
  const host::ResultConfig limits = config ? config->results : host::ResultConfig{};
  const CallContext& context = call.context;
  const bool counts = call.turns != nullptr && !context.turn.empty();
  if (!counts && is_surely_short(result, threshold_of(tool, limits))) co_return result;
  const std::string line = to_line(result);
  const std::size_t chars = count_chars(line);
  const bool too_much_for_turn =
      counts && chars > kWorthIt &&
      call.turns->taken(context.task, context.turn) + chars > limits.max_turn_chars;
  const bool large = chars > threshold_of(tool, limits) || too_much_for_turn;
  if (call.stays_whole || !large) {
    if (counts) call.turns->take(context.task, context.turn, chars);
    co_return result;
  }
  json::object answer = co_await put_aside(call, std::move(result), line);
  if (counts) call.turns->take(context.task, context.turn, count_chars(to_line(answer)));
  co_return answer;
}

std::string file_name_of(std::string_view id) {
  std::string name;
  for (const char c : id) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '.';
    name += plain ? c : '_';
    if (name.size() == kIdChars) break;
  }
  name.erase(0, std::min(name.find_first_not_of("._-"), name.size()));
  return name;
}

}  // namespace talaria::tool
