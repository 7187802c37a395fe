#include "policy/guard/listings.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/to_number.h"
#include "policy/guard/run/option_commands.h"
#include "policy/guard/run/wrapper.h"
#include "policy/guard/word_list.h"

namespace talaria::guard {
namespace {

using Paths = std::vector<std::string>;

// How the words of a program name what it lists.
struct Lister {
  std::string_view programs;
  std::string_view
      options;  // one of them makes it list names, by letter or name; "": it always does
  std::size_t skipped = 0;  // operands in front that are no places
  OptionValues values = {};
  std::string_view all_places = {};  // options with which the first operand is a place, too
  std::string_view hidden = {};      // options with which it lists hidden names; "*": always
};
constexpr Lister kListers[] = {
    {"ls exa eza lsd",
     "",
     0,
     {"IwT", "ignore hide width tabsize sort time color level"},
     "",
     "aA all almost-all"},
    {"du tree", "", 0, {"dBtXLPIo", "max-depth block-size threshold exclude"}, "", "a all"},
    {"fd fdfind",
     "",
     1,
     {"eEtdcSj", "extension exclude type max-depth color size threads"},
     "",
     "Hu hidden unrestricted"},
    {"grep egrep fgrep zgrep",
     "lL files-with-matches files-without-match",
     1,
     {"efmABCdD", "regexp file max-count context include exclude exclude-dir color"},
     "e f regexp file",
     "*"},
    {"rg ag ack",
     "l files files-with-matches files-without-match",
     1,
     {"egtTmABCfj", "glob type type-not max-count regexp max-depth threads sort"},
     "e files regexp",
     ".u hidden unrestricted"},
};

// Programs that print what they read, or a part of it.
constexpr std::string_view kFilters =
    "sort head tail uniq grep egrep fgrep rg awk gawk mawk sed gsed cut tr tac shuf cat tee fzf sk "
    "column nl xargs parallel pv sponge rev";

// Those of them that print all of it.
constexpr std::string_view kPassAll = "sort uniq tac shuf cat tee xargs parallel pv sponge nl";

// Programs that list what is no file.
constexpr std::string_view kOtherLists =
    "ps squeue qselect qstat bjobs condor_q flux atq pgrep pidof lsof fuser jps pidstat";

// -l, -rl, --files
bool has_option(const SeenCommand& command, std::string_view options) {
  return std::ranges::any_of(command.words, [&](const SeenWord& word) {
    std::string_view text = word.text;
    if (!text.starts_with('-') || text.size() < 2) return false;
    for (std::string_view rest = options; !rest.empty();) {
      const std::string_view one = next_word(rest);
      if (text.starts_with("--")) {
        if (text.substr(2, text.find('=') - 2) == one) return true;
      } else if (one.size() < 3 && text.find_first_of(one, 1) != text.npos) {
        return true;
      }
    }
    return false;
  });
}

// Words that are no options, nor the values of options.
std::vector<const SeenWord*> operands(const SeenCommand& command, const OptionValues& values) {
  std::vector<const SeenWord*> words;
  const std::vector<std::string_view> views = views_of(command.words);
  for (std::size_t at = behind_options(views, 1, values); at < views.size();
       at = behind_options(views, at + 1, values)) {
    if (command.program.starts_with("fd") && among(views[at - 1], kFindRuns)) break;
    words.push_back(&command.words[at]);
  }
  return words;
}

// A pattern stands for names that are not known.
std::string with_unknown_names(std::string_view pattern) {
  std::string path;
  if (pattern.find_first_of("*?[") == 0) path = "./";
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const bool any = std::string_view("*?[").contains(pattern[i]);
    if (pattern[i] == '[') i = std::min(pattern.find(']', i), pattern.size());
    if (!any) {
      path += pattern[i];
    } else if (!path.ends_with(kUnknownPiece)) {
      path += kUnknownPiece;
    }
  }
  return path;
}

std::string below(std::string_view directory, std::string_view name) {
  std::string path(directory);
  if (!path.ends_with('/')) path += '/';
  return path + std::string(name);
}

constexpr std::string_view kAnyName(&kUnknownPiece, 1);
// A list of visible names.
constexpr char kVisible[] = {kUnknownPiece, kUnknownPiece};
constexpr std::string_view kVisibleName(kVisible, sizeof kVisible);
constexpr std::string_view kAllNames = "*";  // each of them, and not one or another
constexpr std::size_t kMaxPaths = 24;

// Some of the paths, where all of them came in.
Paths chosen(Paths paths) {
  for (std::string& path : paths) {
    if (path.ends_with("/*")) path.back() = kUnknownPiece;
  }
  return paths;
}

// Whether find prints everything below a place from the root.
bool finds_all(const SeenCommand& command, std::size_t tests) {
  if (!command.word(1).starts_with('/')) return false;
  for (; tests < command.words.size(); ++tests) {
    const std::string_view word = command.word(tests);
    if (word == "-type" && among(command.word(tests + 1), "f d f,d d,f")) {
      ++tests;
    } else if (!among(word, "-print -print0 -depth -xdev -mount -mindepth 1")) {
      return false;
    }
  }
  return true;
}

// find … -name x, and not only `! -name x`
bool named_by_find(const SeenCommand& command) {
  for (std::size_t i = 2; i < command.words.size(); ++i) {
    if (among(command.word(i), "-name -iname") && !among(command.word(i - 1), "-not !")) {
      return true;
    }
  }
  return false;
}

// find DIRECTORY… -name PATTERN
Paths found_paths(const SeenCommand& command) {
  std::size_t at = 1;
  while (among(command.word(at), "-H -L -P")) ++at;
  Paths starts;
  for (; at < command.words.size() && !command.word(at).starts_with('-') &&
         !among(command.word(at), "( !");
       ++at) {
    starts.push_back(with_unknown_names(command.word(at)));
  }
  if (starts.empty()) starts.emplace_back(".");
  const bool all = finds_all(command, at);
  Paths names;
  bool flat = false;  // what it finds is right below where it starts
  for (; at < command.words.size(); ++at) {
    const std::string_view word = command.word(at);
    if (among(word, "-not !")) {
      if (among(command.word(++at), "-name -iname -path -ipath -wholename -type")) ++at;
    } else if (word == "-maxdepth") {
      flat = command.word(++at) == "1";
    } else if (among(word, "-name -iname -path -ipath -wholename")) {
      std::string_view pattern = command.word(++at);
      while (pattern.starts_with("*/") || pattern.starts_with("./")) pattern.remove_prefix(2);
      if (command.word(at + 1) == "-prune" && command.word(at + 2) == "-o") continue;
      // beside a name it only says which of them
      const bool alone =
          !named_by_find(command) || command.word(at - 2) == "-o" || command.word(at + 1) == "-o";
      if (word.ends_with("path") && !alone) continue;
      const bool any = pattern.find_first_of("*?[") == 0;
      names.push_back(with_unknown_names(pattern).substr(any ? 2 : 0));
    }
  }
  if (starts.size() * names.size() > kMaxPaths) names.clear();
  const bool named = !names.empty();
  if (!named) names.emplace_back(all ? kAllNames : kAnyName);
  Paths paths;
  for (const std::string& start : starts) {
    for (const std::string& name : names) {
      const bool deep = named && !flat && !name.starts_with(kUnknownPiece);
      paths.push_back(below(start, deep ? std::string(kAnyName) + "/" + name : name));
    }
  }
  return paths;
}

Paths git_paths(const SeenCommand& command) {
  const std::size_t verb = git_verb_at(command);
  const std::string_view name = command.word(verb);
  const bool names = has_option(command, "name-only name-status porcelain short l");
  if (name != "ls-files" && !(among(name, "ls-tree diff show log status grep") && names)) return {};
  const bool placed = command.word(1) == "-C" && command.words.size() > 2;
  const std::string_view directory = placed ? command.word(2) : ".";
  Paths paths;
  for (std::size_t i = verb + 1; name == "ls-files" && i < command.words.size(); ++i) {
    if (!command.word(i).starts_with('-')) paths.push_back(below(directory, command.word(i)));
  }
  if (paths.empty()) paths.push_back(below(directory, kVisibleName));
  for (std::string& path : paths) path = with_unknown_names(path);
  return paths;
}

// echo ~/.config/*, realpath "$found"
Paths printed_words(const SeenCommand& command) {
  Paths paths;
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const SeenWord& word = command.words[i];
    if (word.listed || word.pattern) paths.push_back(with_unknown_names(word.text));
  }
  return paths;
}

// locate stdio.h: a name with this in it
Paths located_paths(const SeenCommand& command) {
  Paths paths;
  for (const SeenWord* word : operands(command, {"nldS", "limit database"})) {
    const bool pattern = has_option(command, "r regex regexp") || !word->known();
    paths.push_back(below("/", pattern ? std::string(kAnyName)
                                       : std::string(kAnyName) + with_unknown_names(word->text) +
                                             std::string(kAnyName)));
  }
  if (paths.empty()) paths.push_back(below("/", kAnyName));
  return paths;
}

Paths places(const SeenCommand& command, const Lister& lister) {
  const std::vector<const SeenWord*> words = operands(command, lister.values);
  const bool all = !lister.all_places.empty() && has_option(command, lister.all_places);
  const bool itself = (command.program == "ls" && has_option(command, "d")) ||
                      (lister.programs.starts_with("grep") && !has_option(command, "rR recursive"));
  const bool hidden = lister.hidden == "*" || has_option(command, lister.hidden);
  const std::string_view name = hidden ? kAnyName : kVisibleName;
  Paths paths;
  for (std::size_t i = all ? 0 : lister.skipped; i < words.size(); ++i) {
    const bool each = itself && words[i]->text.starts_with('/') && words[i]->text.ends_with("/*");
    const std::string place = each ? words[i]->text : with_unknown_names(words[i]->text);
    paths.push_back(itself || words[i]->pattern ? place : below(place, name));
  }
  if (paths.empty()) paths.push_back(below(".", name));
  return paths;
}

Paths all_listed(const SeenCommand& command) {
  const std::string& program = command.program;
  if (program.empty() || command.elsewhere || !command.is_by_name()) return {};
  if (!command.input.paths.empty() && among(program, kFilters)) {
    return among(program, kPassAll) ? command.input.paths : chosen(command.input.paths);
  }
  if (among(program, "find gfind")) return found_paths(command);
  if (program == "git") return git_paths(command);
  if (among(program, "echo printf realpath readlink dirname")) return printed_words(command);
  if (among(program, "locate plocate mlocate mdfind")) return located_paths(command);
  if (finds_port_owner(command)) return {};
  if (among(program, kOtherLists)) return {std::string(kAnyName)};
  for (const Lister& lister : kListers) {
    if (!among(program, lister.programs)) continue;
    if (!lister.options.empty() && !has_option(command, lister.options)) return {};
    return places(command, lister);
  }
  return {};
}

}  // namespace

bool finds_port_owner(const SeenCommand& command) {
  if (command.program != "lsof") return false;
  bool any = false;
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    std::string_view word = command.word(i);
    if (word.starts_with("-s") || word.starts_with("-c") || word.starts_with("-u")) continue;
    const std::size_t colon = word.rfind(':');
    if (colon == word.npos) {
      if (!word.starts_with('-')) return false;  // a file
      continue;
    }
    if (!is_own_port(word.substr(colon + 1))) return false;
    any = true;
  }
  return any;
}

bool is_own_port(std::string_view text) {
  const auto port = to_number<unsigned>(text);
  constexpr std::string_view kServices =
      "1433 1521 2375 2376 2379 2380 3306 5432 5433 5672 6379 6443 8200 8500 9092 9200 9300 10250 "
      "11211 15672 27017 27018 50051";
  return port && *port >= 1024 && *port <= 65535 && !among(text, kServices);
}

void add_paths(std::vector<std::string>& paths, const std::vector<std::string>& more) {
  for (const std::string& path : more) {
    if (paths.size() > kMaxPaths) return;
    const bool full = paths.size() == kMaxPaths;
    const std::string next = full ? below("/", kAnyName) : path;
    if (std::ranges::find(paths, next) == paths.end()) paths.push_back(next);
  }
}

std::optional<TextSearch> text_search(const SeenCommand& command) {
  const auto* const lister = std::ranges::find_if(kListers, [&](const Lister& one) {
    return one.skipped > 0 && !one.options.empty() && among(command.program, one.programs);
  });
  if (lister == std::end(kListers)) return std::nullopt;
  TextSearch search;
  for (const SeenWord& word : option_values(command, 'e', "regexp")) {
    search.patterns.push_back(word.text);
  }
  const std::vector<const SeenWord*> words = operands(command, lister->values);
  if (!has_option(command, lister->all_places) && !words.empty()) {
    search.patterns.push_back(words.front()->text);
  }
  const bool descends =
      !lister->programs.starts_with("grep") || has_option(command, "r R recursive");
  if (descends) search.places = places(command, *lister);
  return search;
}

std::vector<std::string> listed_paths(const SeenCommand& command) {
  Paths paths;
  add_paths(paths, all_listed(command));
  return paths;
}

}  // namespace talaria::guard
