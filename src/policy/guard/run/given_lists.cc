#include "policy/guard/run/given_lists.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "base/text.h"
#include "policy/guard/run/io.h"
#include "policy/guard/word_list.h"

namespace talaria::guard {

enum class ListOf {
  names,     // of files or addresses: more operands
  below,     // names below the operand before the last
  settings,  // NAME = value: more options
  commands,  // sub-commands of a verb of git, one on each line
  input,     // what would else be its input
};

struct ListOption {
  std::string_view programs;
  char letter = '\0';           // the option whose value is the list; '\0': there is none
  std::string_view name = {};   // and its long name
  std::string_view flags = {};  // letters with which its input is the list
  std::string_view flag = {};   // and a long option that says so
  ListOf of = ListOf::names;
  std::string_view verb = {};
};

namespace {

constexpr ListOption kListOptions[] = {
    {"tar gtar bsdtar", 'T', "files-from"},
    {"sort gsort wc du", '\0', "files0-from"},
    {"restic", '\0', "files-from"},
    {"rsync rclone", '\0', "files-from", "", "", ListOf::below},
    {"zip", '\0', "", "@"},
    {"cpio", '\0', "", "op", "--create"},
    {"pax", '\0', "", "w"},
    {"7z 7za 7zz 7zr rar", '@'},
    {"git", '\0', "pathspec-from-file", "", "--stdin-paths"},
    {"git", '\0', "", "", "--stdin", ListOf::commands, "update-ref"},
    {"wget wget2", 'i', "input-file"},
    {"aria2c", 'i', "input-file", "", "", ListOf::settings},
    {"curl", 'K', "config", "", "", ListOf::settings},
    {"xargs", 'a', "arg-file", "", "", ListOf::input},
};

constexpr std::size_t kMaxListed = 1000;

// A shortened name has to be long enough to be no other option: --file is not --files-from.
bool is_option_name(std::string_view word, std::string_view name) {
  constexpr std::size_t kLeast = 7;
  return !name.empty() && (word == name || (word.size() >= kLeast && name.starts_with(word)));
}

std::optional<GivenList> list_of(const SeenCommand& command, const ListOption& option) {
  if (!option.verb.empty() && command.word(1) != option.verb) return std::nullopt;
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const std::string_view word = command.word(i);
    if (option.letter == '@' && word.starts_with('@')) {
      return GivenList{&option, std::string(word.substr(1)), i, 1};
    }
    if (word.size() < 2 || !word.starts_with('-')) continue;
    if (word == option.flag) return GivenList{&option, "-", i, 1};
    std::size_t value = word.size();
    if (word.starts_with("--")) {
      value = std::min(word.find('='), word.size());
      if (!is_option_name(word.substr(2, value - 2), option.name)) continue;
      value += value < word.size() ? 1 : 0;
    } else {
      if (word.find_first_of(option.flags, 1) != word.npos) return GivenList{&option, "-", i, 0};
      const bool first = word[1] == option.letter;  // -Tfile; -czT file
      if (option.letter == '\0' || (!first && word.back() != option.letter)) continue;
      value = first ? 2 : word.size();
    }
    if (value < word.size()) return GivenList{&option, std::string(word.substr(value)), i, 1};
    if (i + 1 < command.words.size()) return GivenList{&option, command.words[i + 1].text, i, 2};
  }
  return std::nullopt;
}

// A name of which a part is not known is one that a search has listed. Where names end with a zero
// byte, which stands for such a part here, it may also be several.
std::vector<SeenWord> lines_of(std::string_view list) {
  std::vector<SeenWord> lines;
  while (!list.empty() && lines.size() < kMaxListed) {
    const std::string_view line = trim(next_word(list, '\n'));
    if (line.empty()) continue;
    const bool known = !line.contains(kUnknownPiece);
    lines.push_back({.text = std::string(line), .listed = !known});
    for (std::string_view rest = known ? "" : line; !rest.empty() && lines.size() < kMaxListed;) {
      const std::string_view name = next_word(rest, kUnknownPiece);
      if (!name.empty()) lines.push_back({std::string(name)});
    }
  }
  return lines;
}

// url = "https://x", --output x, https://x
void add_option_line(std::string_view line, std::vector<SeenWord>& words) {
  const std::size_t end = std::min(line.find_first_of(" \t=:"), line.size());
  std::string_view name = line.substr(0, end);
  if (line.starts_with('#')) return;
  if (end == line.size() || line.substr(end).starts_with("://")) {
    words.push_back({std::string(line)});
    return;
  }
  std::string_view value = line.substr(std::min(line.find_first_not_of(" \t=:", end), line.size()));
  if (value.size() > 1 && value.starts_with('"')) {
    value = value.substr(1, value.find('"', 1) - 1);
  }
  if (!name.ends_with("url")) {
    words.push_back({name.starts_with('-') ? std::string(name) : "--" + std::string(name)});
  }
  words.push_back({std::string(value)});
}

// rsync --files-from=LIST SOURCE DESTINATION
void put_below_source(const std::vector<SeenWord>& lines, std::vector<SeenWord>& words) {
  std::size_t source = words.size();
  for (std::size_t i = words.size(), operands = 0; i > 1 && operands < 2; --i) {
    if (words[i - 1].text.starts_with('-')) continue;
    source = i - 1;
    ++operands;
  }
  if (source >= words.size()) return;
  const std::string place = words[source].text;
  words.erase(words.begin() + static_cast<std::ptrdiff_t>(source));
  std::vector<SeenWord> names = lines;
  for (SeenWord& name : names) {
    if (!name.text.starts_with('~')) name.text.insert(0, place + "/");
  }
  words.insert(words.begin() + static_cast<std::ptrdiff_t>(source), names.begin(), names.end());
}

std::vector<InnerCommand> with_lines(const SeenCommand& command, const GivenList& list,
                                     const std::vector<SeenWord>& lines) {
  std::vector<SeenWord> words = command.words;
  const auto first = words.begin() + static_cast<std::ptrdiff_t>(list.at);
  words.erase(first, first + static_cast<std::ptrdiff_t>(list.words));
  if (command.program == "cpio" && list.words == 0) {
    // it copies them to its operand, or packs them
    const bool copies = command.word(list.at).contains('p');
    words = copies ? std::vector<SeenWord>{{"cp"}, {"-t"}, words.back()}
                   : std::vector<SeenWord>{{"cpio"}};
  } else if (list.words == 0) {
    words.erase(words.begin() + static_cast<std::ptrdiff_t>(list.at));
  }
  std::vector<InnerCommand> all;
  switch (list.option->of) {
    case ListOf::names:
      std::ranges::copy(lines, std::back_inserter(words));
      break;
    case ListOf::below:
      put_below_source(lines, words);
      break;
    case ListOf::settings:
      for (const SeenWord& line : lines) add_option_line(line.text, words);
      break;
    case ListOf::commands:
      for (const SeenWord& line : lines) {
        std::vector<SeenWord> more = words;
        for (std::string_view rest = line.text; !rest.empty();) {
          const std::string_view word = next_word(rest);
          more.push_back({word == "delete" ? "-d" : std::string(word)});
        }
        all.push_back({.words = std::move(more), .reads_input = false});
      }
      return all;
    case ListOf::input:
      break;
  }
  all.push_back({.words = std::move(words), .reads_input = false});
  return all;
}

}  // namespace

std::optional<GivenList> given_list(const SeenCommand& command) {
  static const NameIndex<ListOption> options(kListOptions, &ListOption::programs);
  for (const ListOption* option : options.find(command.program)) {
    if (std::optional<GivenList> list = list_of(command, *option)) return list;
  }
  return std::nullopt;
}

bool instructs(const GivenList& list) { return list.option->of == ListOf::settings; }

bool reads_list(const SeenCommand& command) {
  const std::optional<GivenList> list = given_list(command);
  return list && (list->file == "-" || descriptor_of(list->file) == 0);
}

std::vector<InnerCommand> with_list(const SeenCommand& command, std::string_view text) {
  const std::optional<GivenList> list = given_list(command);
  if (!list) return {};
  std::vector<InnerCommand> all = with_lines(command, *list, lines_of(text));
  if (list->option->of == ListOf::input) {
    all.front().input = std::make_shared<const std::string>(text);
  }
  return all;
}

void add_listed_commands(const SeenCommand& command, std::vector<InnerCommand>& inner) {
  const std::optional<GivenList> list = given_list(command);
  if (!list || list->option->of == ListOf::input) return;
  const SeenInput* input = nullptr;
  if (list->file == "-" || descriptor_of(list->file) == 0) input = &command.input;
  if (is_process(list->file) && !command.processes.empty()) input = &command.processes.front();
  if (input == nullptr) return;
  std::vector<SeenWord> lines;
  if (input->text) lines = lines_of(*input->text);
  for (const std::string& path : input->paths) lines.push_back({.text = path, .listed = true});
  const bool fetched = std::ranges::any_of(input->producers, [](const std::string& program) {
    return among(program, "curl wget aria2c nc ncat socat ssh http https base64 xxd");
  });
  if (!input->text && fetched && instructs(*list)) {
    inner.push_back(run_text({std::string(1, kUnknownPiece)}));
  }
  if (lines.empty()) return;
  std::ranges::move(with_lines(command, *list, lines), std::back_inserter(inner));
}

}  // namespace talaria::guard
