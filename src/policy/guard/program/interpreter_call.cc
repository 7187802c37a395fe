#include "policy/guard/program/interpreter_call.h"

#include <algorithm>
#include <string_view>

#include "policy/guard/word_list.h"

namespace talaria::guard {
namespace {

// The options of an interpreter, by their letters.
struct InterpreterOptions {
  std::string_view programs;   // without the number of a version
  std::string_view code;       // a program follows
  std::string_view valued;     // a value follows, or is the rest of the word
  std::string_view attached;   // a value may be the rest of the word
  std::string_view nothing;    // nothing is run
  std::string_view last = {};  // what follows is for the program: -c of python
};

constexpr InterpreterOptions kInterpreters[] = {
    {"python pypy ipython", "c", "WX", "", "Vh", "cm"},
    {"perl", "eE", "I", "MmFDCxVi0l", "vch"},
    {"ruby jruby mruby", "e", "Ir", "ECKFxWTi0", "vch"},
    {"php", "rBRE", "cdSt", "", "vimh", "f"},
    {"node nodejs tsx ts-node qjs", "ep", "rC", "", "vhc"},
    {"bun", "ep", "r", "", "vh"},
    {"lua luajit texlua", "e", "l", "", "v"},
    {"Rscript R", "e", "f", "", ""},
    {"julia", "eE", "LpJt", "", "vh"},
    {"groovy elixir", "e", "r", "", "vh"},
    {"tclsh expect wish", "c", "f", "", "v"},
};
constexpr InterpreterOptions kOther{"", "e", "", "", "vh"};

constexpr std::string_view kLongCode = "--eval --print --execute";
constexpr std::string_view kLongValued =
    "--require --import --loader --experimental-loader --conditions --env-file --preload --project";

const InterpreterOptions& interpreter_options(std::string_view program) {
  while (!program.empty() && std::string_view("0123456789.").contains(program.back())) {
    program.remove_suffix(1);
  }
  const auto found = std::ranges::find_if(
      kInterpreters, [&](const InterpreterOptions& row) { return among(program, row.programs); });
  return found == std::end(kInterpreters) ? kOther : *found;
}

class InterpreterCallReader {
 public:
  explicit InterpreterCallReader(const SeenCommand& command)
      : command_(command), options_(interpreter_options(command.program)) {}

  InterpreterCall read() {
    if (command_.program == "deno") return read_deno();
    for (at_ = 1; at_ < command_.words.size() && !done_; ++at_) read_word(command_.word(at_));
    const bool file = found_.file > 0;
    if (found_.arguments == 0) found_.arguments = file ? found_.file + 1 : at_;
    found_.reads_input =
        found_.reads_input || (found_.programs.empty() && !file && !nothing_ && !module_);
    return std::move(found_);
  }

 private:
  void read_word(std::string_view word) {
    if (word == "-" || word == "--") {
      found_.reads_input = word == "-" && found_.programs.empty();
      const bool file = word == "--" && found_.programs.empty();
      if (file && at_ + 1 < command_.words.size()) found_.file = at_ + 1;
      done_ = true;
    } else if (!word.starts_with('-')) {
      (found_.programs.empty() ? found_.file : found_.arguments) = at_;
      done_ = true;
    } else if (word.starts_with("--")) {
      read_long(word);
    } else {
      read_letters(word);
    }
  }

  void read_long(std::string_view word) {
    const std::string_view name = word.substr(0, word.find('='));
    const bool attached = name.size() < word.size();
    if (among(name, kLongCode)) {
      if (attached) {
        found_.programs.emplace_back(word.substr(name.size() + 1));
      } else {
        add_next();
      }
    } else if (among(name, "--version --help --check")) {
      nothing_ = true;
    } else if (!attached && among(name, kLongValued)) {
      ++at_;
    }
  }

  void read_letters(std::string_view word) {
    const bool lines = options_.attached.contains('i');
    for (std::size_t i = 1; i < word.size(); ++i) {
      const char letter = word[i];
      const std::string_view rest = word.substr(i + 1);
      if (options_.code.contains(letter)) {
        if (letter == 'p' && rest == "e") continue;  // node -pe
        if (rest.empty()) {
          add_next();
        } else {
          found_.programs.emplace_back(rest);
        }
        done_ = options_.last.contains(letter);
        return;
      }
      if (lines && std::string_view("npi").contains(letter)) found_.filters = true;
      if (letter == 'm' && options_.last.contains('m')) return read_module(rest);
      if (letter == 'f' && options_.last.contains('f')) {
        found_.file = rest.empty() ? at_ + 1 : at_;
        done_ = true;
        return;
      }
      if (options_.nothing.contains(letter)) nothing_ = true;
      if (options_.attached.contains(letter)) {
        // -M'Module;code' is code as well; -i.bak, -F,
        const bool code = std::string_view("Mm").contains(letter) &&
                          rest.find_first_of(";({`") != std::string_view::npos;
        if (code) found_.programs.emplace_back(rest);
        if (std::string_view("0l").contains(letter)) continue;
        return;
      }
      if (options_.valued.contains(letter)) {
        if (rest.empty()) ++at_;
        return;
      }
    }
  }

  // python -m timeit CODE, python -m pdb -c COMMAND
  void read_module(std::string_view attached) {
    module_ = true;
    done_ = true;
    const std::size_t name = attached.empty() ? at_ + 1 : at_;
    const std::string_view module = attached.empty() ? command_.word(name) : attached;
    if (!among(module, "timeit pdb")) return;
    for (std::size_t i = name + 1; i < command_.words.size(); ++i) {
      const bool code = module == "timeit" || command_.word(i - 1) == "-c";
      if (code && !command_.word(i).starts_with('-')) {
        found_.programs.emplace_back(command_.word(i));
      }
    }
  }

  // deno eval CODE, deno run FILE
  InterpreterCall read_deno() {
    std::size_t verb = 1;
    while (command_.word(verb).starts_with('-')) ++verb;
    if (!among(command_.word(verb), "eval run repl")) return {};
    for (std::size_t i = verb + 1; i < command_.words.size(); ++i) {
      const std::string_view word = command_.word(i);
      if (word.size() > 1 && word.starts_with('-')) continue;
      if (command_.word(verb) == "eval") {
        found_.programs.emplace_back(word);
      } else if (word == "-") {
        found_.reads_input = true;
      } else {
        found_.file = i;
      }
      break;
    }
    return std::move(found_);
  }

  void add_next() {
    if (at_ + 1 < command_.words.size()) found_.programs.emplace_back(command_.word(++at_));
  }

  const SeenCommand& command_;
  const InterpreterOptions& options_;
  std::size_t at_ = 1;
  bool done_ = false;
  bool nothing_ = false;
  bool module_ = false;
  InterpreterCall found_;
};

}  // namespace

InterpreterCall read_interpreter_call(const SeenCommand& command) {
  return InterpreterCallReader(command).read();
}

}  // namespace talaria::guard
