// Input for a command in the foreground.
#include <utility>

#include "front/check/check_case.h"

namespace talaria::front::check {
namespace {

Task<std::string> fed(Trial& trial, std::string text, std::string input) {
  const Result<Outcome> outcome =
      co_await trial.agent().run({.text = std::move(text), .stdin_data = std::move(input)});
  co_return outcome ? outcome->output : "not run: " + outcome.error().message();
}

Task<void> lines(Trial& trial) {
  trial.equal("output", co_await fed(trial, "while read -r l; do echo \"<$l>\"; done", "a\nb c\n"),
              "<a>\n<b c>\n");
}

Task<void> exact(Trial& trial) {
  trial.equal("output", co_await fed(trial, "cat", "no newline, ż\n\n"), "no newline, ż\n\n");
}

Task<void> empty_input(Trial& trial) {
  trial.equal("output", co_await fed(trial, "cat; echo end", ""), "end\n");
}

Task<void> every_byte_in(Trial& trial) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  // Byte for byte in words, since output is text.
  std::string expected;
  for (int i = 0; i < 256; ++i) expected += std::to_string(i) + " ";
  trial.equal("bytes",
              co_await fed(trial, "od -An -v -tu1 | tr -s ' \\n' '  ' | sed 's/^ //'", bytes),
              expected);
}

Task<void> four_megabytes(Trial& trial) {
  std::string text;
  for (int i = 1; i <= 600'000; ++i) text += std::to_string(i) + "\n";
  trial.equal("what arrived, beside what was sent",
              co_await fed(trial, "cat > got; seq 1 600000 > sent; cmp sent got && echo same",
                           std::move(text)),
              "same\n");
}

Task<void> nobody_reads(Trial& trial) {
  trial.equal("output", co_await fed(trial, "echo done", std::string(1'000'000, 'x')), "done\n");
}

Task<void> read_in_part(Trial& trial) {
  trial.equal("output",
              co_await fed(trial, "head -c 5; exec 0<&-; echo; echo done",
                           "12345" + std::string(1'000'000, 'x')),
              "12345\ndone\n");
}

Task<void> goes_to_children(Trial& trial) {
  trial.equal("output",
              co_await fed(trial, "sh -c 'read a; echo $a'; cat | tr a-z A-Z", "one\ntwo\n"),
              "one\nTWO\n");
}

}  // namespace

std::vector<CheckCase> input_cases() {
  return {
      {"input", "lines", Ability::input, lines},
      {"input", "arrives-exactly", Ability::input, exact},
      {"input", "of-nothing", Ability::input, empty_input},
      {"input", "every-byte", Ability::input, every_byte_in},
      {"input", "four-megabytes", Ability::input, four_megabytes},
      {"input", "that-nobody-reads", Ability::input, nobody_reads},
      {"input", "that-is-read-in-part", Ability::input, read_in_part},
      {"input", "reaches-children", Ability::input, goes_to_children},
  };
}

}  // namespace talaria::front::check
