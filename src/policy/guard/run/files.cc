#include "policy/guard/run/files.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "policy/guard/path_text.h"
#include "policy/guard/run/filter_script.h"
#include "policy/guard/run/given_lists.h"
#include "policy/guard/run/option_commands.h"
#include "policy/guard/word_list.h"

namespace talaria::guard {
namespace {

constexpr std::size_t kMaxCopied = 256 * 1024;  // of files into one
constexpr std::size_t kMaxFronts = 64;

std::vector<std::string> operands(const SeenCommand& seen) {
  std::vector<std::string> all;
  for (std::size_t i = 1; i < seen.words.size(); ++i) {
    if (!seen.word(i).starts_with('-')) all.push_back(seen.words[i].text);
  }
  return all;
}

// Where curl and wget put what they fetch.
std::vector<std::string> fetched_to(const SeenCommand& seen) {
  const bool curl = !seen.program.starts_with("wget");
  std::vector<std::string> files;
  for (const SeenWord& word :
       option_values(seen, curl ? 'o' : 'O', curl ? "output" : "output-document")) {
    files.push_back(word.text);
  }
  if (!files.empty()) return files;
  for (const SeenWord& word : seen.words) {
    if (word.text.contains("://")) files.emplace_back(base_name(word.text));
  }
  return files;
}

// The one text it is, if there is one.
std::shared_ptr<const std::string> only_text(const std::vector<const WrittenFile*>& files) {
  const bool one = files.size() == 1 && files.front()->contents.size() == 1 &&
                   !files.front()->contents.front().part;
  return one ? files.front()->contents.front().text : nullptr;
}

std::vector<std::string> listed_in(const std::vector<const WrittenFile*>& files) {
  std::vector<std::string> paths;
  for (const WrittenFile* file : files) {
    for (const FileContent& content : file->contents) add_paths(paths, content.paths);
  }
  return paths;
}

}  // namespace

Files::Files(Findings& findings, const Situation& now, const Io& io, ShellState& state,
             WatchedPrograms watched)
    : findings_(findings), now_(now), io_(io), state_(state), watched_(watched) {}

// What is relative is another file after each change of the directory. What is below where the text
// starts is relative, however it is written.
std::string Files::name_of(std::string_view path) const {
  std::string name = normalized_path(path);
  if (name.starts_with('/')) {
    const Place where = state_.place();
    const std::string start = normalized_path(where.directory) + "/";
    if (!where.from_start || where.directory.empty() || !(name + "/").starts_with(start)) {
      return name;
    }
    name = normalized_path(name.substr(std::min(start.size(), name.size())));
  }
  const std::string moves = std::to_string(state_.moves());
  return name == "." ? moves : moves + "/" + name;
}

void Files::write(const std::string& path, FileContent content, bool append) {
  const std::string name = name_of(path);
  if (name.starts_with("/dev/") || path == "." || now_.elsewhere) return;
  if (!content.text && base_name(name).contains(kUnknownPiece)) return;
  Budget& budget = findings_.budget();
  if (content.text) budget.spend(content.text->size());
  for (const WrittenFile* file : written_.find(name)) {
    for (const FileContent& one : file->contents) {
      if (append && one.text) budget.spend(one.text->size());
    }
  }
  const bool room = append ? written_.append(name, content)
                           : written_.write(name, std::move(content), now_.certain());
  if (!room) findings_.say_too_much("it writes more files than can be followed");
  watch_directory(name);
}

void Files::note_redirects(const std::vector<SeenRedirect>& redirects, const FileContent& content) {
  for (const SeenRedirect& redirect : redirects) {
    if (!redirect.writes()) continue;
    write(redirect.target.text, redirect.descriptor == 1 || !content.text ? content : FileContent{},
          redirect.kind == ShellRedirect::Kind::append);
  }
}

// cat a b > c
FileContent Files::joined(const std::vector<std::string>& paths) {
  FileContent all;
  std::string text;
  bool known = true;
  for (const std::string& path : paths) {
    const std::vector<const WrittenFile*> files = written_.find(name_of(path));
    const std::shared_ptr<const std::string> one = only_text(files);
    known = known && one != nullptr;
    if (known) text += *one;
    known = known && text.size() <= kMaxCopied;
    for (const WrittenFile* file : files) {
      all.unseen = all.unseen || std::ranges::any_of(file->contents, &FileContent::unseen);
    }
  }
  findings_.budget().spend(text.size());
  all.unseen = all.unseen || text.size() > kMaxCopied;
  if (known) all.text = std::make_shared<const std::string>(std::move(text));
  return all;
}

// What it prints, for a file.
FileContent Files::printed_by(const SeenCommand& seen) {
  if (std::optional<std::string> text = printed_text(seen)) {
    return {.text = std::make_shared<const std::string>(std::move(*text))};
  }
  const std::vector<std::string> paths = operands(seen);
  if (seen.program == "cat" && !paths.empty()) return joined(paths);
  std::vector<std::string> programs{seen.program};
  std::ranges::copy(seen.input.producers, std::back_inserter(programs));
  const bool document = seen.program == "cat" && seen.input.kind == SeenInput::Kind::document;
  const bool sets_scripts =
      seen.program == "jq" && std::ranges::any_of(seen.words, [](const SeenWord& word) {
        return word.text.contains("scripts") && word.text.contains('=');
      });
  return {.unseen = is_unseen(programs) || document || sets_scripts, .paths = listed_paths(seen)};
}

void Files::note(const SeenCommand& seen) {
  const std::string& program = seen.program;
  if (!seen.redirects.empty()) {
    // exec > file: whatever is printed from now on
    const bool rest = program == "exec" && seen.words.size() == 1;
    note_redirects(seen.redirects, rest ? FileContent{.unseen = true} : printed_by(seen));
  }
  const bool piped = seen.input.kind != SeenInput::Kind::file;
  const auto given = [&] {
    return FileContent{.text = seen.input.text,
                       .unseen = piped && is_unseen(seen.input.producers),
                       .paths = seen.input.paths};
  };
  if (program == "tee" || program == "sponge") {
    const bool append = has_option_letter(seen, 'a') || seen.word(1) == "--append";
    for (const std::string& path : operands(seen)) write(path, given(), append);
  } else if (program == "dd") {
    for (const SeenWord& word : seen.words) {
      if (word.text.starts_with("of=")) write(word.text.substr(3), given());
    }
  } else if (program == "mkfifo" || (program == "mknod" && seen.words.back().text == "p")) {
    for (const std::string& path : operands(seen)) write(path, {.unseen = true});
  } else if (is_sed_program(program)) {
    const FilterActions actions = filter_actions(seen);
    for (const std::string& path : actions.files) write(path, {.unseen = true});
    note_edit(seen, actions.inserted);
  } else if (program.starts_with("perl") && has_option_letter(seen, 'i')) {
    std::string inserted;
    for (const SeenWord& word : seen.words) inserted += read_sed_script(word.text).inserted;
    note_edit(seen, inserted);
  } else if (is_awk_program(program)) {
    for (const std::string& path : filter_actions(seen).files) write(path, {.unseen = true});
  } else if (among(program, "sort gsort")) {
    for (const SeenWord& path : option_values(seen, 'o', "output")) write(path.text, {});
  } else if (among(program, "curl wget wget2 aria2c axel fetch curlie xh")) {
    for (const std::string& path : fetched_to(seen)) write(path, {.unseen = true});
  } else if (among(program, "openssl gpg gpg2 base64 xxd uudecode")) {
    for (std::size_t i = 1; i + 1 < seen.words.size(); ++i) {
      if (among(seen.word(i), "-out -o --output")) write(seen.words[i + 1].text, {.unseen = true});
    }
  } else if (among(program, "cp mv ln install rsync scp")) {
    note_copy(seen);
    note_links(seen);
  } else if (among(program, "mount bindfs")) {
    note_mount(seen);
  }
}

// ln -s T name, ln -s T directory/, cp -as T name; mv of a link
void Files::note_links(const SeenCommand& seen) {
  Links& links = state_.links();
  std::vector<std::string> paths = operands(seen);
  std::string directory;
  for (const SeenWord& word : option_values(seen, 't', "target-directory")) {
    std::erase(paths, directory = word.text);
  }
  if (directory.empty() && paths.size() == 1 && seen.program == "ln") directory = ".";
  std::string name;
  if (directory.empty() && paths.size() > 1) {
    name = std::move(paths.back());
    paths.pop_back();
    if (paths.size() > 1 || name.ends_with('/') || name == ".") directory = std::exchange(name, "");
  }
  const bool symbolic =
      has_option_letter(seen, 's') && (seen.program == "ln" || seen.program == "cp");
  for (const std::string& path : paths) {
    // a link that is moved leads where it led
    const std::optional<std::string> target =
        symbolic ? path : links.target_of(path_in(seen.directory, path), true);
    if (!target || now_.elsewhere || (!symbolic && seen.program != "mv")) continue;
    const std::string in = directory.empty() ? name : directory;
    const std::string below = path_in(seen.directory, in + "/" + std::string(base_name(path)));
    links.add(below, *target, now_.certain());
    if (!name.empty()) links.add(path_in(seen.directory, name), *target, now_.certain());
  }
}

// mount --bind T name, bindfs T name
void Files::note_mount(const SeenCommand& seen) {
  const bool binds = std::ranges::any_of(
      seen.words, [](const SeenWord& word) { return word.text.contains("bind"); });
  const std::vector<std::string> paths = operands(seen);
  if (!binds || paths.size() < 2 || now_.elsewhere) return;
  state_.links().add(path_in(seen.directory, paths.back()),
                     path_in(seen.directory, paths[paths.size() - 2]), now_.certain(), true);
}

// sed -i: what it puts into files is only a part of them.
void Files::note_edit(const SeenCommand& seen, const std::string& inserted) {
  const bool in_place = std::ranges::any_of(seen.words, [](const SeenWord& word) {
    return word.text.starts_with("--in-place") ||
           (word.text.starts_with('-') && !word.text.starts_with("--") && word.text.contains('i'));
  });
  if (!in_place || inserted.empty() || now_.elsewhere) return;
  const auto text = std::make_shared<const std::string>(inserted);
  for (const std::string& path : operands(seen)) {
    if (path.contains(' ') || path.contains(kUnknownPiece)) continue;  // more likely the script
    findings_.budget().spend(text->size());
    if (!written_.write(name_of(path), {.text = text, .part = true}, false)) {
      findings_.say_too_much("it writes more files than can be followed");
    }
  }
}

void Files::note_copy(const SeenCommand& seen) {
  std::vector<std::string> paths = operands(seen);
  for (const SeenWord& word : option_values(seen, 't', "target-directory")) {
    std::erase(paths, word.text);
    paths.push_back(word.text + "/");
  }
  if (paths.size() < 2 || now_.elsewhere) return;
  const std::string to = paths.back();
  for (std::size_t i = 0; i + 1 < paths.size(); ++i) {
    const std::string from(base_name(paths[i]));
    std::vector<FileContent> contents;
    if (const int descriptor = descriptor_of(paths[i]); descriptor >= 0) {
      contents.push_back({.text = io_.input_of(seen, descriptor).text});
    } else if (is_process(paths[i])) {
      const bool one = seen.processes.size() == 1;
      contents.push_back({.text = one ? seen.processes.front().text : nullptr, .unseen = true});
    } else if (seen.program == "scp" && paths[i].contains(':')) {
      contents.push_back({.unseen = true});
    }
    for (const WrittenFile* file : written_.find(name_of(paths[i]))) {
      std::ranges::copy(file->contents, std::back_inserter(contents));
    }
    for (const FileContent& content : contents) {
      written_.write(name_of(to), content, false);
      written_.write(name_of(to + "/" + from), content, false);
    }
    const std::string name(base_name(to));
    if (name != from && !name.empty() &&
        std::ranges::binary_search(watched_(), std::string_view(from))) {
      copies_[name] = from;
    }
  }
}

std::optional<SeenInput> Files::input_from(std::string_view path) const {
  const std::vector<const WrittenFile*> files = written_.find(name_of(path));
  if (files.empty()) return std::nullopt;
  SeenInput input = text_input(only_text(files));
  if (!input.text) input.paths = listed_in(files);
  return input;
}

std::vector<FileContent> Files::script_at(const SeenCommand& seen, std::size_t at) const {
  std::vector<FileContent> contents;
  if (written_.empty() || (at == 0 && !seen.word(0).contains('/'))) return contents;
  const std::string_view name = base_name(seen.word(at));
  const bool known = !name.contains(kUnknownPiece) && !seen.words[at].pattern;
  for (const WrittenFile* file : written_.find(name_of(seen.word(at)))) {
    std::ranges::copy_if(file->contents, std::back_inserter(contents),
                         [&](const FileContent& content) { return known || content.text; });
  }
  return contents;
}

bool Files::is_known(std::string_view path) const {
  const std::vector<const WrittenFile*> files = written_.find(name_of(path));
  return !files.empty() && std::ranges::all_of(files, [](const WrittenFile* file) {
    return std::ranges::all_of(file->contents,
                               [](const FileContent& one) { return one.text != nullptr; });
  });
}

std::string Files::original_of(std::string_view name) const {
  const auto copy = copies_.find(name);
  return copy == copies_.end() ? "" : copy->second;
}

std::vector<Files::Read> Files::read_by(const SeenCommand& seen) {
  std::vector<Read> all;
  if (now_.elsewhere) return all;
  constexpr std::string_view kComposers = "docker podman nerdctl docker-compose podman-compose";
  if (seen.input.text && among(seen.program, kComposers)) {  // docker compose -f - up
    for (const InstructionFile* row : instruction_files(seen.program)) {
      if (!is_for(*row, seen)) continue;
      const bool reads = std::ranges::any_of(named_files(*row, seen), [](const SeenWord& word) {
        return among(word.text, "- /dev/stdin");
      });
      if (reads) all.push_back({row->language, {.text = seen.input.text}});
    }
  }
  if (written_.empty()) return all;
  if (const std::optional<GivenList> list = given_list(seen)) {
    for (const WrittenFile* file : written_.find(name_of(list->file))) {
      for (FileContent content : file->contents) {
        if (!content.text && !content.paths.empty()) {
          std::string names;
          for (const std::string& path : content.paths) names += path + "\n";
          content.text = std::make_shared<const std::string>(std::move(names));
        }
        if (!content.text && !instructs(*list)) continue;
        all.push_back({Language::list, std::move(content)});
      }
    }
  }
  for (const InstructionFile* row : instruction_files(seen.program)) {
    if (!is_for(*row, seen)) continue;
    std::vector<const WrittenFile*> files;
    const bool by_goal = row->language == Language::make || row->language == Language::package;
    std::size_t& looked = looked_for_[row];
    if (!row->names.empty() && (by_goal || looked != written_.changes())) {
      looked = written_.changes();
      for (const WrittenFile* file : written_.all()) {
        if (is_read_by_name(*row, file->path)) files.push_back(file);
      }
      findings_.budget().spend_words(by_goal ? files.size() + 1 : 0);
    }
    for (const SeenWord& word : named_files(*row, seen)) {
      std::ranges::copy(written_.find(name_of(word.text)), std::back_inserter(files));
    }
    for (const WrittenFile* file : files) {
      for (const FileContent& content : file->contents) all.push_back({row->language, content});
    }
  }
  return all;
}

// A directory that programs are taken from, and in which the text wrote one.
void Files::watch_directory(std::string_view path) {
  const std::size_t slash = path.find_last_of('/');
  const std::string_view directory = slash == path.npos ? "." : path.substr(0, slash);
  for (const std::string& front : search_fronts_) {
    const bool guessed = front.contains(kUnknownPiece) || directory.contains(kUnknownPiece);
    // $(pwd) is anywhere; few programs have a dot in their names, and most data has.
    const bool anywhere =
        base_name(front) == std::string_view(&kUnknownPiece, 1) && !base_name(path).contains('.');
    if (front == directory || (guessed && (anywhere || base_name(front) == base_name(directory)))) {
      findings_.say_unclear("programs are looked for where the text wrote some",
                            "what it wrote may run under the name of another program");
    }
  }
}

// Directories of the system, of the home and of the project are usual.
void Files::note_search_path(const std::string& value) {
  const Place where = state_.place();
  for (std::string_view rest = value; !rest.empty();) {
    const std::string entry(next_word(rest, ':'));
    if (among(entry, "/usr/local/sbin /usr/local/bin /usr/sbin /usr/bin /sbin /bin")) break;
    const bool relative = !entry.starts_with('/');
    if (relative && where.from_start) findings_.note_start();
    const std::string path = name_of(entry);
    const std::string absolute = relative ? normalized_path(where.directory + "/" + entry) : path;
    const bool anybody =
        std::ranges::any_of(std::initializer_list<std::string>{"/tmp", "/var/tmp", "/dev/shm"},
                            [&](const std::string& open) {
                              return absolute == open || absolute.starts_with(open + "/");
                            });
    if (anybody || entry == "." || entry.empty()) {
      findings_.say_unclear("programs are looked for where anybody may put some",
                            "PATH has " + (entry.empty() ? "." : entry) + " in front");
    }
    if (std::ranges::find(search_fronts_, path) != search_fronts_.end()) continue;
    if (search_fronts_.size() >= kMaxFronts) {
      return findings_.say_too_much("PATH has more directories than can be followed");
    }
    search_fronts_.push_back(path);
  }
  for (const WrittenFile* file : written_.all()) watch_directory(file->path);
}

}  // namespace talaria::guard
