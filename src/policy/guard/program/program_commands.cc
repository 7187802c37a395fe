// What a program does, as commands that would do the same.
#include <algorithm>
#include <utility>

#include "policy/guard/program/database_address.h"
#include "policy/guard/program/program.h"
#include "policy/guard/program/program_start.h"
#include "policy/guard/program/program_words.h"
#include "policy/guard/run/option_commands.h"
#include "policy/guard/word_list.h"
#include "shell/quote.h"

namespace talaria::guard {
namespace {

using A = ProgramAct;
using S = CallShape;

constexpr int kMaxEvaluated = 3;  // texts in texts

class CommandsOfProgram {
 public:
  explicit CommandsOfProgram(int depth = 0) : depth_(depth) {}

  Instructions make(const ProgramReport& report) {
    report_ = &report;
    for (const ProgramFinding& finding : report.findings) {
      const std::size_t first = found_.commands.size();
      for (const ProgramFinding& one : each_call(finding)) add_finding(one);
      for (std::size_t i = first; i < found_.commands.size(); ++i) {
        if (finding.act == A::start) prepare_start(finding, variables_, found_.commands[i]);
        move_into(directory_, found_.commands[i]);
      }
    }
    add_places(report, found_.commands);
    return std::move(found_);
  }

 private:
  void add_entered(const ProgramFinding& finding) {
    const bool home = finding.arguments.values.empty() && finding.act == A::enter;  // of Perl
    const ProgramValue& to = home ? ProgramValue{.text = "~"} : finding.argument(0);
    if (to.list || to.number || to.wholly_unknown()) {
      directory_ = kUnknownPiece;
    } else if (directory_.empty() || to.text.starts_with('/') || to.text.starts_with('~')) {
      directory_ = to.text;
    } else {
      directory_ += "/" + to.text;
    }
  }

  // The value, or each that it may be.
  template <class Use>
  static void each_value(const ProgramValue& value, const Use& use) {
    for (const ProgramValue& one : value.each ? value.items : value.others) each_value(one, use);
    if (!value.each) use(value);
  }

  void doubt(std::string_view key, const std::string& description) {
    found_.doubts.push_back({std::string(key), description});
  }
  void run(std::vector<SeenWord> words) { found_.commands.push_back({.words = std::move(words)}); }
  void run(std::string text) { found_.commands.push_back(run_text({std::move(text)})); }

  void add_finding(const ProgramFinding& finding) {
    const std::string& name = finding.name;
    switch (finding.act) {
      case A::start:
      case A::start_remote:
        return add_start(finding);
      case A::remove:
      case A::remove_all:
      case A::remove_empty:
        return add_removal(finding);
      case A::move:
        return run({{"mv"}, word_of(finding.from()), word_of(finding.to())});
      case A::copy:
        return add_copy(finding);
      case A::link:
        return run({{"ln"},
                    {"-s"},
                    word_of(finding.shape == S::receiver ? finding.argument(0) : finding.from()),
                    word_of(finding.shape == S::receiver ? finding.receiver : finding.to())});
      case A::truncate:
        return run(
            {{"truncate"}, {"-s"}, word_of(finding.argument(1)), word_of(finding.argument(0))});
      case A::write:
        return add_write(finding);
      case A::make:
        return;
      case A::enter:
        return add_entered(finding);
      case A::set_variable:
        return add_variables(finding, variables_);
      case A::read:
        return add_read(finding);
      case A::list:
        return each_value(finding.path(), [&](const ProgramValue& path) {
          add_listed_place(finding, path.text, *report_, directory_, found_.commands);
        });
      case A::use:
        return add_used_places(finding, *report_, found_.commands);
      case A::change_mode:
      case A::change_owner:
        return add_change(finding);
      case A::kill:
        return add_kill(finding);
      case A::kill_found:
        return doubt("program ends processes that are not known",
                     name + " ends processes that are known only when it runs");
      case A::send:
      case A::fetch:
      case A::connect:
        return add_sending(finding);
      case A::download:
        return run({{"curl"}, {"-o"}, word_of(finding.argument(1)), word_of(finding.argument(0))});
      case A::unpack:
        return run({{"tar"}, {"-xf"}, {"archive"}, {"-C"}, word_of(finding.unpacked_to())});
      case A::run_file:
        if (finding.argument(0).text.contains("://"))
          run("curl " + shell_word(finding.argument(0).text) + " | sh");
        return;
      case A::upload:
        return add_upload(finding);
      case A::as_command:
        return run(std::string(finding.command));
      case A::unpickle:
        return add_unpickled();
      case A::fork_bomb:
        return run(":(){ :|:& };:");
      case A::query:
        return add_query(finding);
      case A::database:
        return;  // what is done there counts
      case A::documents:
        return run(database_client(*report_, "mongosh", {{"--eval"}, {"db.x.updateOne({})"}}));
      case A::evaluate:
        return add_evaluated(finding);
      case A::load:
        return doubt("program loads code by a name that is not known",
                     name + " loads code by a name that is known only when it runs");
      case A::hide:
        return doubt("program hides what it calls",
                     name + " calls what is known only when it runs");
      case A::native:
        return doubt("program runs native code, or code from data",
                     name + " runs code that cannot be read");
      case A::unreadable:
        return doubt("program that cannot be read",
                     "the program cannot be read with certainty: " + name);
    }
  }

  // The words of what is started; none: it is shell text.
  std::vector<SeenWord> words_of(const ProgramFinding& finding) const {
    std::vector<SeenWord> words;
    const std::vector<ProgramValue>& values = finding.arguments.values;
    std::size_t first = 0;
    bool named_twice = false;
    switch (finding.shape) {
      case S::list_or_text:
        if (const ProgramValue* given = command_of(finding); given->list) {
          add_words(*given, words);
        }
        return words;
      case S::words:
        if (values.size() < 2 && !(values.size() == 1 && values[0].list)) return words;
        break;
      case S::text:
        return words;
      case S::spawnl:
      case S::spawnv:
        first = 1;
        named_twice = true;
        break;
      case S::execl:
      case S::execv:
        named_twice = true;
        break;
      default:
        break;
    }
    if (finding.name.ends_with("CommandContext")) named_twice = false;
    for (std::size_t i = first; i < values.size(); ++i) {
      const bool options = !values[i].fields.empty();
      const ProgramValue* const inside = options ? values[i].field("args") : nullptr;
      if (inside != nullptr) add_words(*inside, words);
      if (!options) add_words(values[i], words);
    }
    if (named_twice && words.size() > 1) words.erase(words.begin() + 1);
    return words;
  }

  // What subprocess.run() and its like are to run.
  const ProgramValue* command_of(const ProgramFinding& finding) const {
    for (const char* const name : {"args", "cmd", "command"}) {
      for (const auto& [key, given] : finding.arguments.named) {
        if (key == name) return &given;
      }
    }
    const ProgramValue& first = finding.argument(0);
    const ProgramValue* const field = first.field("cmd");
    return field != nullptr ? field : &first;
  }

  void add_start(const ProgramFinding& finding) {
    const bool elsewhere = finding.act == A::start_remote;
    std::vector<SeenWord> words = words_of(finding);
    if (words.empty()) {
      return add_text(finding, *command_of(finding), elsewhere);
    }
    if (finding.name.starts_with("runpy")) words.insert(words.begin(), {"python3"});
    if (const ProgramValue* const program = finding.arguments.find("executable", 99)) {
      words.front() = word_of(*program);
    }
    if (words.front().text == std::string(1, kUnknownPiece)) return doubt_start(finding);
    InnerCommand run{.words = std::move(words), .elsewhere = elsewhere};
    if (const ProgramValue* const input = finding.arguments.find("input", 99)) {
      run.input = std::make_shared<const std::string>(input->text);
    } else {
      run.reads_input = false;
      note_bare_shell(finding, run.words);
    }
    const bool in_shell = is_true(finding.arguments.find("shell", 99));
    if (in_shell) {  // of a list the first is the text
      std::string text;
      for (const SeenWord& word : run.words) text += (text.empty() ? "" : " ") + word.text;
      return add_text(finding, {.text = std::move(text)}, elsewhere);
    }
    found_.commands.push_back(std::move(run));
  }

  void doubt_start(const ProgramFinding& finding) {
    doubt("program runs a command that is not known",
          finding.name + " runs a command that is known only when it runs");
  }

  void add_text(const ProgramFinding& finding, const ProgramValue& text, bool elsewhere) {
    if (text.list && !text.items.empty()) {  // Thread(target=os.system, args=("x",))
      return add_text(finding, text.items.front(), elsewhere);
    }
    for (const ProgramValue& other : text.others) {
      if (other.known()) add_text(finding, other, elsewhere);
    }
    if (text.list || text.wholly_unknown() || !text.others.empty()) return doubt_start(finding);
    InnerCommand run = run_text({with_unknown_variable(text.text)}, elsewhere);
    note_bare_shell(finding, {{text.text}});
    found_.commands.push_back(std::move(run));
  }

  // A shell without a script reads what the program, or somebody at the other end, writes to it.
  void note_bare_shell(const ProgramFinding& finding, const std::vector<SeenWord>& words) {
    std::string_view first = words.front().text;
    first = first.substr(0, first.find(' '));
    const bool bare =
        is_shell(base_name(first)) && std::all_of(words.begin() + 1, words.end(), [](auto& word) {
          return word.text.starts_with('-') && !word.text.contains('c');
        });
    if (!bare || words.front().text.contains(" -c")) return;
    const bool connects = std::ranges::any_of(
        report_->findings, [](const ProgramFinding& one) { return one.act == A::connect; });
    if (connects) {
      run({{"nc"}, {"-e"}, {std::string(first)}, {std::string(1, kUnknownPiece)}});
    } else {
      doubt("program starts a shell whose input is not known",
            finding.name + " starts a shell that reads what is known only when it runs");
    }
  }

  void add_removal(const ProgramFinding& finding) {
    std::vector<SeenWord> words;
    if (finding.shape == S::receiver) {
      add_words(finding.receiver, words);
    } else if (finding.shape == S::all) {
      for (const ProgramValue& one : finding.arguments.values) add_words(one, words);
    } else {
      add_words(finding.argument(0), words);
    }
    if (words.empty()) words.push_back({std::string(1, kUnknownPiece)});
    std::erase_if(words, [](const SeenWord& word) { return word.temporary && !word.known(); });
    if (words.empty()) return;
    const bool known = std::ranges::all_of(words, [](const SeenWord& word) {
      const bool listed = word.pattern && !word.text.starts_with(kUnknownPiece);  // build/?
      return (word.known() || listed) && !word.several;
    });
    if (!known && finding.act != A::remove_empty) {
      doubt("program deletes files that are not known",
            finding.name + " deletes what is known only when it runs");
    }
    const bool all = finding.act == A::remove_all || finding.name.ends_with("rmtree") ||
                     is_true(finding.arguments.find("recursive", 99));
    std::vector<SeenWord> command{{finding.act == A::remove_empty ? "rmdir" : "rm"}};
    if (all) command.push_back({"-rf"});
    std::ranges::move(words, std::back_inserter(command));
    run(std::move(command));
  }

  void add_copy(const ProgramFinding& finding) {
    std::vector<SeenWord> words{{"cp"}};
    if (among(finding.name.substr(finding.name.find_last_of('.') + 1), "copytree cp cpSync cp_r")) {
      words.push_back({"-r"});
    }
    words.push_back(word_of(finding.from()));
    words.push_back(word_of(finding.to()));
    run(std::move(words));
  }

  // CONTENT > PATH
  void add_write(const ProgramFinding& finding) {
    if (finding.shape == S::perl_open) return add_perl_open(finding);
    const ProgramValue* named = finding.arguments.find("file", 99);
    if (named == nullptr) named = finding.arguments.find("filename", 99);
    each_value(named != nullptr ? *named : finding.path(),
               [&](const ProgramValue& path) { add_write_to(path, finding); });
  }

  void add_write_to(const ProgramValue& path, const ProgramFinding& finding) {
    const bool pipe = path.text.starts_with('|');  // open("|cmd") of Ruby
    if (pipe) return run(with_unknown_variable(path.text.substr(1)));
    const bool holds_content = finding.shape == S::first || finding.shape == S::receiver;
    const ProgramValue& content = finding.behind_path();
    if (path.list || path.wholly_unknown()) return;
    const bool known = holds_content && content.known() && !content.list;
    run((known ? "printf %s " + shell_word(content.text) : std::string(kProgramOutput)) + " > " +
        shell_word(path.text));
  }

  // open(F, "rm x |"), open(F, "|-", "cmd"), open(my $f, ">", "path"), open(F, ">path")
  void add_perl_open(const ProgramFinding& finding) {
    const std::vector<ProgramValue>& values = finding.arguments.values;
    if (values.size() < 2) return;
    const std::string mode(trim(values[1].text));
    if (mode == "|-" || mode == "-|") {
      std::vector<SeenWord> words;
      for (std::size_t i = 2; i < values.size(); ++i) add_words(values[i], words);
      if (words.size() == 1) return add_text(finding, {.text = words[0].text}, false);
      return words.empty() ? doubt_start(finding) : run(std::move(words));
    }
    if (mode.starts_with('|') || mode.ends_with('|')) {
      std::string command = mode;
      std::erase(command, '|');
      return add_text(finding, {.text = std::move(command)}, false);
    }
    const std::size_t sign = mode.find_first_not_of("+<>&: ");
    const bool writes = mode.substr(0, sign).contains('>');
    if (values.size() == 2 && values[1].wholly_unknown()) return doubt_start(finding);
    const ProgramValue path =
        values.size() > 2
            ? values[2]
            : ProgramValue{.text = sign == std::string::npos ? "" : mode.substr(sign)};
    if (!writes) return add_read_of(path);
    each_value(path, [&](const ProgramValue& one) { add_write_to(one, finding); });
  }

  // Python and JavaScript have the path in front, Perl and Ruby have it at the end.
  void add_change(const ProgramFinding& finding) {
    const bool owner = finding.act == A::change_owner;
    std::vector<SeenWord> words{{owner ? "chown" : "chmod"}};
    if (finding.name.ends_with("_R")) words.push_back({"-R"});
    const auto change = [&](std::size_t at) {
      if (!owner) return SeenWord{octal_mode(finding.argument(at))};
      return SeenWord{finding.argument(at).text + ":" + finding.argument(at + 1).text};
    };
    if (finding.shape == S::all) {
      words.push_back(change(0));
      for (std::size_t i = owner ? 2 : 1; i < finding.arguments.values.size(); ++i) {
        add_words(finding.argument(i), words);
      }
    } else {
      words.push_back(change(finding.shape == S::receiver ? 0 : 1));
      words.push_back(word_of(finding.path()));
    }
    run(std::move(words));
  }

  void add_kill(const ProgramFinding& finding) {
    const bool signal_first = finding.shape == S::all;
    const ProgramValue& signal = finding.argument(signal_first ? 0 : 1);
    const std::size_t count = finding.arguments.values.size();
    std::string by = signal.wholly_unknown() ? "" : signal.text;
    if (by == "0") return;  // it only asks whether the process is there
    if (by.starts_with("SIG")) by.erase(0, 3);
    std::vector<SeenWord> words{{"kill"}};
    if (!by.empty()) words.push_back({"-" + by});
    if (signal_first) {
      for (std::size_t i = 1; i < count; ++i) add_words(finding.argument(i), words);
    } else {
      SeenWord process = word_of(finding.argument(0));
      if (finding.name.ends_with("killpg")) process.text.insert(0, 1, '-');
      words.push_back(std::move(process));
    }
    run(std::move(words));
  }

  void add_read(const ProgramFinding& finding) {
    // a database is written, too
    if (finding.name.ends_with("connect")) add_used_places(finding, *report_, found_.commands);
    add_read_of(finding.path());
  }

  void add_read_of(const ProgramValue& value) {
    each_value(value, [&](ProgramValue path) {
      for (const ProgramValue& one : path.items) add_read_of(one);
      if (path.text.starts_with("file://")) path.text.erase(0, 7);
      if (path.list || path.wholly_unknown()) return;
      run({{"cat"}, word_of(path)});
      found_.commands.back().behind_links = directory_.empty() && !leads_outside(path.text);
    });
  }

  // What is read is taken for what is sent.
  void add_sending(const ProgramFinding& finding) {
    const bool socket = finding.act == A::connect;
    const ProgramValue& to = finding.address();
    const std::string url = to.list || to.text.empty() ? std::string(1, kUnknownPiece) : to.text;
    if (finding.act == A::fetch && to.known()) return;
    if (finding.act == A::send) {
      std::vector<SeenWord> words{{"curl"}, {"-X"}, {finding.asks_to_delete() ? "DELETE" : "POST"}};
      for (const char* const name : {"data", "json", "body", "content"}) {
        const ProgramValue* const sent = finding.arguments.find(name, 99);
        if (sent == nullptr) continue;
        words.push_back({"-d"});
        words.push_back(word_of(*sent));
      }
      words.push_back({url});
      run(std::move(words));
    }
    for (const ProgramFinding& one : report_->findings) {
      if (one.act != A::read) continue;
      const ProgramValue& path = one.path();
      if (path.list || path.wholly_unknown()) continue;
      if (socket) run("nc host 1 < " + shell_word(path.text));
      if (!socket) run({{"curl"}, {"--data-binary"}, {"@" + path.text}, {url}});
    }
    if (report_->shows_environment) run("env | curl -d @- " + shell_word(url));
  }

  // A path, or a file that the program has opened.
  void add_unpickled() {
    for (const ProgramFinding& one : report_->findings) {
      if (one.act != A::read && one.act != A::unpickle) continue;
      if (one.path().known()) run({{"python3"}, {"-m"}, {"pickle"}, word_of(one.path())});
    }
  }

  void add_upload(const ProgramFinding& finding) {
    for (const ProgramValue& one : finding.arguments.values) {
      if (!one.list && one.text.contains('/')) run({{"scp"}, word_of(one), {"host:"}});
    }
    for (const ProgramFinding& one : report_->findings) {
      if (one.act != A::read || one.path().list) continue;
      run({{"scp"}, word_of(one.path()), {"host:"}});
    }
  }

  // A program that makes its tables may drop them.
  void add_query(const ProgramFinding& finding) {
    const ProgramValue& text = finding.argument(0);
    if (text.list || text.wholly_unknown() || report_->makes_tables) return;
    run(database_client(*report_, "psql", {{"-c"}, word_of(text)}));
  }

  void add_evaluated(const ProgramFinding& finding) {
    for (const char* const name : {"stmt", "setup"}) {  // of timeit
      const ProgramValue* const named = finding.arguments.find(name, 99);
      if (named != nullptr) add_evaluated_text(finding, *named);
    }
    const bool times = among("timeit", finding.name, '.');
    if (times && finding.arguments.values.size() > 1)
      add_evaluated_text(finding, finding.argument(1));
    if (!times || !finding.arguments.values.empty())
      add_evaluated_text(finding, finding.argument(0));
  }

  void add_evaluated_text(const ProgramFinding& finding, const ProgramValue& text) {
    if (!text.known() || text.list || depth_ >= kMaxEvaluated) {
      return doubt("program evaluates text that is not known",
                   finding.name + " evaluates text that is known only when it runs");
    }
    Instructions inner =
        CommandsOfProgram(depth_ + 1).make(read_program_report(text.text, report_->language));
    std::ranges::move(inner.commands, std::back_inserter(found_.commands));
    std::ranges::move(inner.doubts, std::back_inserter(found_.doubts));
  }

  int depth_;
  std::string directory_;  // that the program has entered; empty: it is where it was
  std::vector<SeenAssignment> variables_;  // that the program has set
  const ProgramReport* report_ = nullptr;
  Instructions found_;
};

}  // namespace

Instructions program_instructions(const ProgramReport& report) {
  return CommandsOfProgram().make(report);
}

}  // namespace talaria::guard
