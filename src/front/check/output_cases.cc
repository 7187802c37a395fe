// Output: exact, in order, of any size, and never a reason to wait.
#include <algorithm>
#include <memory>
#include <string>

#include "front/check/check_case.h"

namespace talaria::front::check {
namespace {

// What `seq 1 last` prints.
std::string numbers(int last) {
  std::string text;
  for (int i = 1; i <= last; ++i) text += std::to_string(i) + "\n";
  return text;
}

std::string all_bytes() {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  return bytes;
}

Task<void> stays_exact(Trial& trial, std::string command, std::string output) {
  const Result<Outcome> outcome = co_await trial.agent().run({.text = std::move(command)});
  trial.equal("output", outcome ? outcome->output : "none", output);
}

Task<void> errors_are_shown(Trial& trial) {
  trial.contains("output", co_await trial.agent().output_of("ls /no/such/file"), "/no/such/file");
}

Task<void> every_byte(Trial& trial) {
  trial.equal("bytes",
              co_await trial.agent().bytes_of(
                  "for i in $(seq 0 255); do printf \"\\\\$(printf %03o $i)\"; done"),
              all_bytes());
}

Task<void> three_megabytes(Trial& trial) {
  trial.equal("bytes", co_await trial.agent().bytes_of("seq 1 500000"), numbers(500'000));
}

Task<void> one_long_line(Trial& trial) {
  trial.equal("bytes", co_await trial.agent().bytes_of("head -c 2000000 /dev/zero | tr '\\0' x"),
              std::string(2'000'000, 'x'));
}

Task<void> errors_apart(Trial& trial, std::string text, std::string out, std::string errors) {
  std::string got_out, got_errors;
  Command command{.text = std::move(text),
                  .on_output = [&](std::string_view piece) { got_out += piece; },
                  .on_errors = [&](std::string_view piece) { got_errors += piece; }};
  const Result<Outcome> outcome = co_await trial.agent().run(std::move(command));
  trial.equal("exit code", outcome ? outcome->exit_code : -1, 3);
  trial.equal("standard output", got_out, out);
  trial.equal("standard error", got_errors, errors);
}

Task<void> much_of_both(Trial& trial) {
  const std::string expected = numbers(100'000);
  co_await errors_apart(trial, "(seq 1 100000 >&2) & seq 1 100000; wait; exit 3", expected,
                        expected);
}

Task<void> too_much_is_cut(Trial& trial) {
  const std::string expected = numbers(400'000);
  const json::object answer = co_await trial.agent().command("seq 1 400000");
  const std::string shown = text_field(answer, "output");
  trial.holds(shown.size() < expected.size() / 2, "bytes that are shown", "less than half",
              std::to_string(shown.size()));
  trial.holds(shown.starts_with("1\n2\n3\n"), "its beginning", "1, 2, 3", shown.substr(0, 20));
  trial.holds(shown.ends_with("399999\n400000"), "its end", "399999, 400000",
              shown.substr(shown.size() - std::min<std::size_t>(shown.size(), 20)));
  trial.field(answer, "output_total_bytes", static_cast<std::int64_t>(expected.size()));
  const std::string file = text_field(answer, "full_output_path");
  co_await trial.shows("the file with all of it",
                       "seq 1 400000 > copy; cmp copy '" + file + "' && echo same", "same");
}

Task<void> little_has_no_file(Trial& trial) {
  const json::object answer = co_await trial.agent().command("echo a");
  trial.field(answer, "output", "a");
  trial.holds(!answer.contains("full_output_path"), "full_output_path", "none",
              text_field(answer, "full_output_path"));
}

// A child that has the output open must not hold the call; it ends when the case lets it.
Task<void> child_does_not_hold(Trial& trial, std::string noise) {
  const json::object answer = co_await trial.agent().command(
      "(until [ -e go ]; do " + noise + "sleep 0.05; done; touch ended) & echo started");
  if (noise.empty()) trial.field(answer, "output", "started");
  trial.contains("output", text_field(answer, "output"), "started");
  co_await trial.shows("the child, once let go",
                       "touch go; until [ -e ended ]; do sleep 0.05; done; echo ended", "ended");
}

Task<void> let_go(std::shared_ptr<Agent> agent) { co_await agent->command("touch go"); }

// The command ends only because its first line was seen while it ran.
Task<void> comes_as_it_is_printed(Trial& trial) {
  std::string seen;
  bool begun = false;
  const auto other = std::make_shared<Agent>(trial.agent().with_task("other"));
  const auto executor = co_await asio::this_coro::executor;
  Command command{.text = "echo first; until [ -e go ]; do sleep 0.05; done; echo last",
                  .timeout = std::chrono::seconds(20)};
  command.on_output = [&](std::string_view piece) {
    seen += piece;
    if (begun || !seen.contains("first\n")) return;
    begun = true;
    spawn(executor, let_go(other));
  };
  const Result<Outcome> outcome = co_await trial.agent().run(std::move(command));
  trial.equal("output", seen, "first\nlast\n");
  trial.equal("exit_code", outcome ? outcome->exit_code : -1, 0);
}

Task<void> last_words(Trial& trial) {
  for (int i = 0; i < 10; ++i) {
    const std::string word = "last words " + std::to_string(i);
    const std::string shown =
        co_await trial.agent().bytes_of("seq 1 8000 | tail -c 20000; printf '" + word + "'");
    trial.equal("bytes", static_cast<std::int64_t>(shown.size()),
                static_cast<std::int64_t>(20'000 + word.size()));
    if (!trial.holds(shown.ends_with(word), "its end", word, "something else")) co_return;
  }
}

}  // namespace

std::vector<CheckCase> output_cases() {
  std::string euros;
  for (int i = 0; i < 5000; ++i) euros += "€";
  const std::string lines = numbers(5000);
  return {
      {"output", "without-a-newline", Ability::commands,
       [](Trial& trial) { return stays_exact(trial, "printf 'no newline'", "no newline"); }},
      {"output", "with-newlines-at-both-ends", Ability::commands,
       [](Trial& trial) { return stays_exact(trial, "printf '\\n\\na\\n\\n\\n'", "\n\na\n\n\n"); }},
      prints("output", "of-both-kinds-in-order", Ability::commands,
             "for i in 1 2 3; do echo out $i; echo err $i >&2; done",
             "out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3"),
      {"output", "of-errors", Ability::commands, errors_are_shown},
      prints("output", "of-5000-lines", Ability::commands, "seq 1 5000",
             lines.substr(0, lines.size() - 1)),
      prints("output", "characters-stay-whole", Ability::commands,
             "for i in $(seq 1 5000); do printf '€'; done", euros),
      prints("output", "bad-bytes-are-replaced", Ability::commands, "printf 'a\\377\\376b'",
             "a\357\277\275\357\277\275b"),
      prints("output", "nul-and-crlf-stay", Ability::commands, "printf 'a\\0b\\r\\nc'",
             std::string("a\0b\r\nc", 6)),
      {"output", "every-byte-is-itself", Ability::exact_bytes, every_byte},
      {"output", "three-megabytes", Ability::exact_bytes, three_megabytes},
      {"output", "a-line-of-two-megabytes", Ability::exact_bytes, one_long_line},
      {"output", "errors-stay-apart", Ability::streams,
       [](Trial& trial) {
         return errors_apart(
             trial, "printf 'a\\377'; printf 'b\\376' >&2; sh -c 'echo c; echo d >&2'; exit 3",
             "a\377c\n", "b\376d\n");
       }},
      {"output", "much-of-both-stays-apart", Ability::streams, much_of_both},
      {"output", "too-much-is-cut-and-kept", Ability::full_output, too_much_is_cut},
      {"output", "little-has-no-file", Ability::commands, little_has_no_file},
      {"output", "a-child-does-not-hold-it", Ability::trees,
       [](Trial& trial) { return child_does_not_hold(trial, ""); }},
      {"output", "a-noisy-child-does-not-hold-it", Ability::trees,
       [](Trial& trial) { return child_does_not_hold(trial, "echo noise; "); }},
      {"output", "comes-as-it-is-printed", Ability::exact_bytes, comes_as_it_is_printed},
      {"output", "last-words-are-there", Ability::exact_bytes, last_words},
  };
}

}  // namespace talaria::front::check
