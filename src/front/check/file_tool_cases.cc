// The file tools: the same answers at every target, for files that commands there see, too.
#include "front/check/check_case.h"

namespace talaria::front::check {
namespace {

std::string in(const Trial& trial, std::string_view name) {
  return trial.directory() + "/" + std::string(name);
}

Task<json::object> write(Trial& trial, std::string_view name, std::string content) {
  json::object arguments{{"path", in(trial, name)}, {"content", std::move(content)}};
  return trial.agent().tool("write_file", std::move(arguments));
}

Task<void> lines_of_a_file(Trial& trial) {
  co_await trial.agent().command("printf 'one\\ntwo\\nlast' > f");
  json::object first{{"path", in(trial, "f")}, {"limit", 2}};
  json::object rest{{"path", in(trial, "f")}, {"offset", 3}};
  const json::object page = co_await trial.agent().tool("read_file", std::move(first));
  trial.equal("first page", text_field(page, "content"), "1|one\n2|two");
  trial.field(page, "total_lines", 3);
  trial.contains("hint", text_field(page, "hint"), "offset=3");
  const json::object last = co_await trial.agent().tool("read_file", std::move(rest));
  trial.equal("last page", text_field(last, "content"), "3|last");
}

Task<void> what_is_not_there(Trial& trial) {
  co_await trial.agent().command("touch config.yaml; mkdir d; mkfifo pipe");
  const auto error_of = [&](std::string name) -> Task<std::string> {
    json::object arguments{{"path", in(trial, name)}};
    co_return text_field(co_await trial.agent().tool("read_file", std::move(arguments)), "error");
  };
  trial.contains("a missing file", co_await error_of("config.yml"), "File not found");
  trial.contains("a directory", co_await error_of("d"), "it is a directory");
  trial.contains("a pipe", co_await error_of("pipe"), "is a pipe");
}

Task<void> exact_content(Trial& trial) {
  const std::string text = "quotes ' \" $(oops) `oops` \\ ü🜁\ttab\nno end";
  const json::object answer = co_await write(trial, "new/dir/f", text);
  trial.field(answer, "bytes_written", static_cast<std::int64_t>(text.size()));
  trial.equal("as a command reads it", co_await trial.agent().bytes_of("cat new/dir/f"), text);
  std::string large;
  while (large.size() < 3'000'000) large += "row " + std::to_string(large.size()) + "\n";
  co_await write(trial, "large", large);
  trial.equal("a large one", co_await trial.agent().bytes_of("cat large"), large);
}

Task<void> modes_and_links(Trial& trial) {
  co_await trial.agent().command("echo old > f; chmod 751 f; ln -s f link");
  co_await write(trial, "link", "new\n");
  co_await trial.shows("mode, and both names",
                       "ls -l f | cut -c1-10; cat f; test -L link && echo link; ls -A | wc -l | tr "
                       "-d ' '",
                       "-rwxr-x--x\nnew\nlink\n2");
}

Task<void> paths_of_the_session(Trial& trial) {
  co_await trial.agent().terminal(
      {{"command", "mkdir -p '" + in(trial, "sub") + "'; cd '" + in(trial, "sub") + "'; umask 027"},
       {"force", true}});
  json::object relative{{"path", "f"}, {"content", "x\n"}};
  co_await trial.agent().tool("write_file", std::move(relative));
  co_await trial.shows("where it is, and how", "cat sub/f; ls -l sub/f | cut -c1-10",
                       "x\n-rw-r-----");
}

Task<void> the_home_there(Trial& trial) {
  const std::string name = ".talaria-check-" + trial.agent().name().task;
  json::object there{{"path", "~/" + name}, {"content", "at home\n"}};
  json::object again{{"path", "~/" + name}};
  co_await trial.agent().tool("write_file", std::move(there));
  const json::object answer = co_await trial.agent().tool("read_file", std::move(again));
  trial.equal("as it is read", text_field(answer, "content"), "1|at home");
  co_await trial.shows("as a command finds it", "cat ~/'" + name + "'; rm -f ~/'" + name + "'",
                       "at home");
}

Task<void> a_change_by_a_command(Trial& trial) {
  json::object query{{"path", in(trial, "f")}};
  co_await trial.agent().command("echo one > f");
  co_await trial.agent().tool("read_file", query);
  co_await trial.agent().command("echo two > f");
  const json::object answer = co_await trial.agent().tool("read_file", query);
  trial.equal("the second time", text_field(answer, "content"), "1|two");
}

Task<void> found_lines(Trial& trial) {
  co_await trial.agent().command(
      "mkdir d .hidden; echo 'a needle' > d/x.py; echo needle > y.txt; echo needle > .hidden/z");
  json::object query{{"pattern", "need(le)+"}, {"path", trial.directory()}};
  const json::object answer = co_await trial.agent().tool("search_files", std::move(query));
  trial.field(answer, "total_count", 2);
  json::object names{{"pattern", "*.py"}, {"target", "files"}, {"path", trial.directory()}};
  const json::object files = co_await trial.agent().tool("search_files", std::move(names));
  const json::value* list = files.if_contains("files");
  const bool has_one = list != nullptr && list->is_array() && list->get_array().size() == 1;
  trial.equal("by name", has_one ? std::string(list->get_array()[0].as_string()) : "none",
              in(trial, "d/x.py"));
}

// One text answer after the other would be no JSON, and a script could not read it.
Task<void> a_page_of_a_search(Trial& trial) {
  co_await trial.agent().command("for i in $(seq 1 20); do echo needle; done > f");
  json::object query{{"pattern", "needle"}, {"path", trial.directory()}, {"limit", 3}};
  const json::object page = co_await trial.agent().tool("search_files", std::move(query));
  trial.field(page, "total_count", 20);
  trial.contains("hint", text_field(page, "_hint"), "offset=3");
}

Task<void> a_pattern_like_an_option(Trial& trial) {
  co_await trial.agent().command(
      "printf '#!/bin/sh\\ntouch ran\\n' > x.sh; chmod +x x.sh; echo 'see --pre=./x.sh' > f");
  json::object query{{"pattern", "--pre=./x.sh"}, {"path", trial.directory()}};
  const json::object answer = co_await trial.agent().tool("search_files", std::move(query));
  trial.field(answer, "total_count", 1);
  co_await trial.shows("what was run", "if test -e ran; then echo it; else echo nothing; fi",
                       "nothing");
}

Task<void> oddly_named_files(Trial& trial) {
  for (const std::string name : {"-rf", " a b ", "new\nline", "$(touch oops)", "ż🜁", "*"}) {
    co_await write(trial, name, "in it\n");
    json::object query{{"path", in(trial, name)}};
    const json::object answer = co_await trial.agent().tool("read_file", std::move(query));
    trial.equal(name, text_field(answer, "content"), "1|in it");
  }
  co_await trial.shows("how many there are", "set -- *; echo $#; test -e oops || echo good",
                       "6\ngood");
}

Task<void> bytes_elsewhere(Trial& trial) {
  co_await trial.agent().command(
      "printf 'caf\\351 \\007\\033]0;t\\007\\r\\nchange\\nlast\\r\\n' > f; ln -s f link");
  json::object edit{{"path", in(trial, "link")}, {"old_string", "change"}, {"new_string", "new"}};
  co_await trial.agent().tool("patch", std::move(edit));
  trial.equal("bytes", co_await trial.agent().bytes_of("cat f; test -L link && echo link"),
              "caf\351 \007\033]0;t\007\r\nnew\nlast\r\nlink\n");
}

Task<void> a_text_replaced(Trial& trial) {
  co_await trial.agent().command("printf 'a\\r\\nb\\r\\nc\\r\\n' > f; chmod 640 f");
  json::object edit{{"path", in(trial, "f")}, {"old_string", "a\nb\n"}, {"new_string", "A\nB\n"}};
  const json::object answer = co_await trial.agent().tool("patch", std::move(edit));
  trial.contains("diff", text_field(answer, "diff"), "+A\r");
  trial.equal("bytes", co_await trial.agent().bytes_of("cat f; ls -l f | cut -c1-10"),
              "A\r\nB\r\nc\r\n-rw-r-----\n");
}

Task<void> all_or_nothing(Trial& trial) {
  co_await trial.agent().command("echo one > a; echo two > b; echo three > c");
  const auto header = [&](std::string_view what, std::string_view name) {
    return "*** " + std::string(what) + " File: " + in(trial, name) + "\n";
  };
  json::object bad{{"mode", "patch"},
                   {"patch", header("Update", "a") + "-one\n+ONE\n" + header("Delete", "none")}};
  const json::object refused = co_await trial.agent().tool("patch", std::move(bad));
  trial.contains("error", text_field(refused, "error"), "no files were modified");
  co_await trial.shows("afterwards", "cat a", "one");
  json::object good{{"mode", "patch"},
                    {"patch", header("Update", "a") + "-one\n+ONE\n" + header("Delete", "b") +
                                  "*** Move File: " + in(trial, "c") + " -> " + in(trial, "d/e") +
                                  "\n" + header("Add", "n") + "+new\n"}};
  co_await trial.agent().tool("patch", std::move(good));
  co_await trial.shows("all of it", "cat a d/e n; ls", "ONE\nthree\nnew\na\nd\nn");
}

Task<void> protected_files(Trial& trial) {
  json::object system{{"path", "/etc/talaria-check"}, {"content", "x"}};
  json::object endless{{"path", "/dev/zero"}};
  const json::object written = co_await trial.agent().tool("write_file", std::move(system));
  trial.contains("below /etc", text_field(written, "error"), "sensitive system path");
  const json::object read = co_await trial.agent().tool("read_file", std::move(endless));
  trial.contains("an endless file", text_field(read, "error"), "device file");
  co_await trial.still_works();
}

}  // namespace

std::vector<CheckCase> file_tool_cases() {
  return {
      {"file-tool", "reads-lines", Ability::files, lines_of_a_file},
      {"file-tool", "says-what-cannot-be-read", Ability::files, what_is_not_there},
      {"file-tool", "writes-every-byte", Ability::files, exact_content},
      {"file-tool", "keeps-mode-and-link", Ability::files, modes_and_links},
      {"file-tool", "knows-the-sessions-directory", Ability::files, paths_of_the_session},
      {"file-tool", "knows-the-home-there", Ability::files, the_home_there},
      {"file-tool", "sees-what-commands-change", Ability::files, a_change_by_a_command},
      {"file-tool", "finds-lines-and-names", Ability::files, found_lines},
      {"file-tool", "says-that-there-is-more", Ability::files, a_page_of_a_search},
      {"file-tool", "takes-no-pattern-for-an-option", Ability::files, a_pattern_like_an_option},
      {"file-tool", "takes-odd-names", Ability::files, oddly_named_files},
      {"file-tool", "keeps-the-bytes-elsewhere", Ability::files, bytes_elsewhere},
      {"file-tool", "replaces-a-text", Ability::files, a_text_replaced},
      {"file-tool", "patches-all-or-nothing", Ability::files, all_or_nothing},
      {"file-tool", "leaves-the-system-alone", Ability::files, protected_files},
  };
}

}  // namespace talaria::front::check
