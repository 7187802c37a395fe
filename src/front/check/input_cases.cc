// Input for a command in the foreground.
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <utility>

#include "front/check/check_case.h"

namespace talaria::front::check {
namespace {

struct InputRow {
  const char* name;
  const char* command;
  std::string input;
  std::string output;
};

std::vector<InputRow> input_rows() {
  std::string bytes, numbers, lines;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  for (int i = 0; i < 256; ++i) numbers += std::to_string(i) + " ";
  for (int i = 1; i <= 600'000; ++i) lines += std::to_string(i) + "\n";
  const std::string megabyte(1'000'000, 'x');
  return {
      {"lines", "while read -r l; do echo \"<$l>\"; done", "a\nb c\n", "<a>\n<b c>\n"},
      {"arrives-exactly", "cat", "no newline, ż\n\n", "no newline, ż\n\n"},
      {"of-nothing", "cat; echo end", "", "end\n"},
      // The bytes as numbers, since output is text.
      {"every-byte", "od -An -v -tu1 | tr -s ' \\n' '  ' | sed 's/^ //'", bytes, numbers},
      {"four-megabytes", "cat > got; seq 1 600000 > sent; cmp sent got && echo same", lines,
       "same\n"},
      {"that-nobody-reads", "echo done", megabyte, "done\n"},
      {"that-is-read-in-part", "head -c 5; exec 0<&-; echo; echo done", "12345" + megabyte,
       "12345\ndone\n"},
      {"reaches-children", "sh -c 'read a; echo $a'; cat | tr a-z A-Z", "one\ntwo\n", "one\nTWO\n"},
  };
}

Task<void> takes_input(Trial& trial, InputRow row) {
  const Result<Outcome> outcome =
      co_await trial.agent().run({.text = row.command, .stdin_data = std::move(row.input)});
  trial.equal("output", outcome ? outcome->output : "not run: " + outcome.error().message(),
              row.output);
}

// The second line is written when the first one has come back.
Task<void> comes_while_it_runs(Trial& trial) {
  std::array<int, 2> ends{-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    trial.fail_with({"a pipe", "two descriptors", "none"});
    co_return;
  }
  std::string seen;
  const auto write = [&ends](std::string_view text) {
    [[maybe_unused]] const auto written = ::write(ends[1], text.data(), text.size());
  };
  Command command{.text = "while read -r l; do echo \"<$l>\"; done; echo end",
                  .timeout = std::chrono::seconds(60)};
  command.stdin_data = "zero\n";
  command.stdin_fd = ends[0];
  command.on_output = [&](std::string_view piece) {
    seen += piece;
    if (ends[1] < 0 || !seen.contains("<one>\n")) return;
    write("two");
    ::close(std::exchange(ends[1], -1));
  };
  write("one\n");
  co_await trial.agent().run(std::move(command));
  for (const int end : ends) {
    if (end >= 0) ::close(end);
  }
  trial.equal("output", seen, "<zero>\n<one>\nend\n");
}

}  // namespace

std::vector<CheckCase> input_cases() {
  std::vector<CheckCase> cases;
  for (InputRow& row : input_rows()) {
    cases.push_back({"input", row.name, Ability::input,
                     [row = std::move(row)](Trial& trial) { return takes_input(trial, row); }});
  }
  cases.push_back({"input", "while-it-runs", Ability::streams, comes_while_it_runs});
  return cases;
}

}  // namespace talaria::front::check
