#include "front/check/trial.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "json/fields.h"

namespace talaria::front::check {
namespace {

constexpr std::size_t kShown = 300;  // bytes of a value that are shown

AgentName name_for(const Bench& bench, const std::string& name) {
  return {.task = "talaria-check-" + bench.tag + "-" + name,
          .session_key = "talaria-check-" + bench.tag + "-" + name,
          .directory = bench.scratch + "/" + name,
          .patience = bench.patience};
}

std::string in_quotes(std::string_view text) { return "'" + std::string(text) + "'"; }

// What a person needs to see of two values that differ, also if they are long.
Mismatch difference(std::string_view what, std::string_view got, std::string_view expected) {
  if (got.size() <= kShown && expected.size() <= kShown) {
    return {std::string(what), in_quotes(sanitize_utf8(expected)), in_quotes(sanitize_utf8(got))};
  }
  const auto [ours, theirs] = std::ranges::mismatch(got, expected);
  const auto at = static_cast<std::size_t>(ours - got.begin());
  const auto shown = [&](std::string_view text) {
    return std::to_string(text.size()) + " bytes, at byte " + std::to_string(at) + " " +
           in_quotes(sanitize_utf8(text.substr(std::min(at, text.size()), 80)));
  };
  return {std::string(what), shown(expected), shown(got)};
}

std::string beginning(std::string_view text) {
  return sanitize_utf8(text.substr(0, kShown)) + (text.size() > kShown ? "..." : "");
}

}  // namespace

Trial::Trial(std::shared_ptr<Bench> bench, const std::string& name)
    : bench_(std::move(bench)), agent_(bench_->runtime, name_for(*bench_, name), Cancel()) {}

Agent Trial::second_controller() {
  return agent_.with_runtime(std::make_shared<AsioRuntime>(bench_->make_runtime()));
}

bool Trial::equal(std::string_view what, std::string_view got, std::string_view expected) {
  if (got == expected) return true;
  fail_with(difference(what, got, expected));
  return false;
}

bool Trial::equal(std::string_view what, std::int64_t got, std::int64_t expected) {
  const std::string shown = got == kNoNumber ? "none" : std::to_string(got);
  return holds(got == expected, what, std::to_string(expected), shown);
}

bool Trial::contains(std::string_view what, std::string_view got, std::string_view part) {
  return holds(got.contains(part), what, "something with " + in_quotes(beginning(part)),
               in_quotes(beginning(got)));
}

bool Trial::lacks(std::string_view what, std::string_view got, std::string_view part) {
  return holds(!got.contains(part), what, "nothing with " + in_quotes(beginning(part)),
               in_quotes(beginning(got)));
}

bool Trial::holds(bool condition, std::string_view what, std::string_view expected,
                  std::string_view got) {
  if (!condition) fail_with({std::string(what), std::string(expected), std::string(got)});
  return condition;
}

bool Trial::field(const json::object& answer, std::string_view name, std::string_view expected) {
  return equal(name, text_field(answer, name), expected);
}

bool Trial::field(const json::object& answer, std::string_view name, std::int64_t expected) {
  return equal(name, number_of(answer, name), expected);
}

Task<bool> Trial::shows(std::string what, std::string command, std::string output) {
  const std::string got = co_await agent_.output_of(std::move(command));
  co_return equal(what, got, output);
}

Task<bool> Trial::awaits(std::string id, std::string text) {
  const bool printed = co_await agent_.prints(std::move(id), text);
  co_return holds(printed, "output", text, "nothing in time");
}

Task<void> Trial::still_works() { co_await shows("the next command", "echo fine", "fine"); }

Task<void> Trial::finish() { return agent_.end_all(); }

std::string is_gone(std::string_view pid) {
  const std::string stat = "/proc/" + std::string(pid) + "/stat";
  return "{ [ ! -e " + stat + " ] || grep -q ') Z' " + stat + " 2>/dev/null; }";
}

}  // namespace talaria::front::check
