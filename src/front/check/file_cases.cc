// Files at the target, as commands make and find them.
#include "front/check/check_case.h"

namespace talaria::front::check {
namespace {

Task<void> read_by_another(Trial& trial) {
  Agent other = trial.agent().with_task("other");
  co_await trial.agent().command("printf 'one\\ntwo' > file");
  trial.equal("as another session reads it",
              co_await other.output_of("cat file; wc -c < file | tr -d ' '"), "one\ntwo7");
}

Task<void> every_byte_of_a_file(Trial& trial) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  co_await trial.agent().command(
      "for i in $(seq 0 255); do printf \"\\\\$(printf %03o $i)\"; done > all");
  trial.equal("bytes", co_await trial.agent().bytes_of("cat all"), bytes);
}

Task<void> there_and_back(Trial& trial) {
  std::string text;
  for (int i = 0; text.size() < 1'500'000; ++i) text += "row " + std::to_string(i * 7919) + "\n";
  const Result<Outcome> put = co_await trial.agent().run({.text = "cat > big", .stdin_data = text});
  trial.equal("exit_code", put ? put->exit_code : kNoNumber, 0);
  trial.equal("as it comes back", co_await trial.agent().bytes_of("cat big"), text);
}

Task<void> odd_file_names(Trial& trial) {
  co_await trial.agent().command(
      "for n in ' a b' $'n\\nl' -x 'ż🜁' '*'; do echo \"$n\" > \"./$n\"; done");
  co_await trial.shows("their number", "set -- *; echo $#", "5");
  co_await trial.shows("one of them", "cat ./ż🜁 './ a b'", "ż🜁\n a b");
}

Task<void> modes(Trial& trial) {
  co_await trial.agent().command(
      "umask 077; echo x > private; umask 022; echo x > public; chmod 751 public");
  co_await trial.shows("modes", "ls -l private public | cut -c1-10", "-rw-------\n-rwxr-x--x");
}

Task<void> scripts(Trial& trial) {
  co_await trial.agent().command(
      "printf '#!/bin/sh\\necho \"got $1\"\\nexit 9\\n' > tool; chmod +x tool");
  const json::object answer = co_await trial.agent().command("./tool it");
  trial.field(answer, "output", "got it");
  trial.field(answer, "exit_code", 9);
}

Task<void> links_and_directories(Trial& trial) {
  co_await trial.agent().command("mkdir -p a/b/c; echo deep > a/b/c/f; ln -s a/b link");
  co_await trial.shows("through a link", "cat link/c/f", "deep");
  co_await trial.shows("moved", "mv a/b x; cat x/c/f; rm -r x a link; ls", "deep");
  co_await trial.shows("nothing is left", "ls -A | wc -l | tr -d ' '", "0");
}

Task<void> of_a_process(Trial& trial) {
  const std::string id =
      co_await trial.agent().start("for i in $(seq 1 1000); do echo $i; done > out; echo done");
  co_await trial.agent().wait(id);
  co_await trial.shows("what a process wrote", "tail -n 1 out; wc -l < out | tr -d ' '",
                       "1000\n1000");
}

}  // namespace

std::vector<CheckCase> file_cases() {
  return {
      {"file", "is-read-by-another-session", Ability::commands, read_by_another},
      {"file", "has-every-byte", Ability::exact_bytes, every_byte_of_a_file},
      {"file", "goes-there-and-back", Ability::exact_bytes, there_and_back},
      {"file", "may-have-an-odd-name", Ability::commands, odd_file_names},
      {"file", "has-a-mode", Ability::commands, modes},
      {"file", "may-be-a-program", Ability::commands, scripts},
      {"file", "links-and-directories", Ability::commands, links_and_directories},
      {"file", "is-written-by-a-process", Ability::processes, of_a_process},
  };
}

}  // namespace talaria::front::check
