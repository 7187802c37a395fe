// Files that the text writes, and what takes commands or instructions from them.
#include <algorithm>
#include <iterator>
#include <utility>

#include "policy/guard/instructions/instructions.h"
#include "policy/guard/path_text.h"
#include "policy/guard/program/interpreter_call.h"
#include "policy/guard/run/awk_script.h"
#include "policy/guard/run/descriptors.h"
#include "policy/guard/run/option_commands.h"
#include "policy/guard/run/sed_script.h"
#include "policy/guard/run/walker.h"
#include "policy/guard/word_list.h"

namespace talaria::guard {
namespace {

using RedirectKind = ShellRedirect::Kind;

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

}  // namespace

FilePath Walker::file_path(const std::string& path, const std::string& directory) const {
  const bool relative = !path.starts_with('/');
  if (relative && !directory.empty()) return {normalized_path(directory + "/" + path), moves_};
  return {normalized_path(path), moves_};
}

void Walker::note_written(const FilePath& name, FileContent content, bool append) {
  if (name.path.starts_with("/dev/") || name.path == "." || elsewhere_) return;
  if (!content.text && base_name(name.path).contains(kUnknownPiece)) return;
  if (content.text) budget_.spend(content.text->size());
  const bool certain = once_ && sure_ && calls_.empty();
  if (append) budget_.spend(written_.size_of(name));
  const bool room =
      append ? written_.append(name, content) : written_.write(name, std::move(content), certain);
  if (!room) say_unclear("too much to follow", "it writes more files than can be followed");
  watch_directory(name);
}

void Walker::note_redirects(const std::vector<SeenRedirect>& redirects, const FileContent& content,
                            const std::string& where) {
  for (const SeenRedirect& redirect : redirects) {
    if (!redirect.writes()) continue;
    note_written(file_path(redirect.target.text, where),
                 redirect.descriptor == 1 || !content.text ? content : FileContent{},
                 redirect.kind == RedirectKind::append);
  }
}

// What it prints, for a file.
FileContent Walker::printed_content(const SeenCommand& seen) {
  if (std::optional<std::string> text = printed_text(seen)) {
    return {.text = std::make_shared<const std::string>(std::move(*text))};
  }
  const std::vector<std::string> paths = operands(seen);
  if (seen.program != "cat" || paths.empty()) {
    std::vector<std::string> programs{seen.program};
    std::ranges::copy(seen.input.producers, std::back_inserter(programs));
    const bool document = seen.program == "cat" && seen.input.kind == SeenInput::Kind::document;
    const bool sets_scripts =
        seen.program == "jq" && std::ranges::any_of(seen.words, [](const SeenWord& word) {
          return word.text.contains("scripts") && word.text.contains('=');
        });
    return {.unseen = is_unseen(programs) || document || sets_scripts};
  }
  FileContent all;
  std::string text;
  bool known = true;
  for (const std::string& path : paths) {
    const auto files = written_.find(file_path(path, seen.directory));
    known = known && files.size() == 1 && files.front()->contents.size() == 1 &&
            files.front()->contents.front().text && !files.front()->contents.front().part;
    if (known) text += *files.front()->contents.front().text;
    known = known && text.size() <= kMaxCopied;
    for (const WrittenFile* file : files) {
      for (const FileContent& one : file->contents) all.unseen = all.unseen || one.unseen;
    }
  }
  budget_.spend(text.size());
  if (known) all.text = std::make_shared<const std::string>(std::move(text));
  all.unseen = all.unseen || text.size() > kMaxCopied;
  return all;
}

// Where it writes what.
void Walker::note_files(const SeenCommand& seen) {
  const std::string& program = seen.program;
  if (!seen.redirects.empty()) {
    // exec > file: whatever is printed from now on
    const bool rest = program == "exec" && seen.words.size() == 1;
    note_redirects(seen.redirects, rest ? FileContent{.unseen = true} : printed_content(seen),
                   seen.directory);
  }
  const auto note = [&](const std::string& path, FileContent content, bool append = false) {
    note_written(file_path(path, seen.directory), std::move(content), append);
  };
  const bool piped = seen.input.kind != SeenInput::Kind::file;
  const FileContent given{.text = seen.input.text,
                          .unseen = piped && is_unseen(seen.input.producers)};
  if (program == "tee" || program == "sponge") {
    const bool append = has_option_letter(seen, 'a') || seen.word(1) == "--append";
    for (const std::string& path : operands(seen)) note(path, given, append);
  } else if (program == "dd") {
    for (const SeenWord& word : seen.words) {
      if (word.text.starts_with("of=")) note(word.text.substr(3), given);
    }
  } else if (program == "mkfifo" || (program == "mknod" && seen.words.back().text == "p")) {
    for (const std::string& path : operands(seen)) note(path, {.unseen = true});
  } else if (among(program, "sed gsed")) {
    const SedActions actions = sed_actions(seen);
    for (const std::string& path : actions.files) note(path, {.unseen = true});
    note_edit(seen, actions.inserted);
  } else if (program.starts_with("perl") && has_option_letter(seen, 'i')) {
    std::string inserted;
    for (const std::string& script : read_interpreter_call(seen).programs) {
      inserted += read_sed_script(script).inserted;
    }
    note_edit(seen, inserted);
  } else if (among(program, "awk gawk mawk nawk original-awk")) {
    for (std::string& path : awk_actions(seen).files) note(path, {.unseen = true});
  } else if (among(program, "sort gsort")) {
    for (const SeenWord& path : option_values(seen, 'o', "output")) note(path.text, {});
  } else if (among(program, "curl wget wget2 aria2c axel fetch curlie xh")) {
    for (const std::string& path : fetched_to(seen)) note(path, {.unseen = true});
  } else if (among(program, "openssl gpg gpg2 base64 xxd uudecode")) {
    for (std::size_t i = 1; i + 1 < seen.words.size(); ++i) {
      if (among(seen.word(i), "-out -o --output")) note(seen.words[i + 1].text, {.unseen = true});
    }
  } else if (among(program, "cp mv ln install rsync scp")) {
    note_copy(seen);
  }
}

// sed -i: what it puts into files is only a part of them.
void Walker::note_edit(const SeenCommand& seen, const std::string& inserted) {
  const bool in_place = std::ranges::any_of(seen.words, [](const SeenWord& word) {
    return word.text.starts_with("--in-place") ||
           (word.text.starts_with('-') && !word.text.starts_with("--") && word.text.contains('i'));
  });
  if (!in_place || inserted.empty() || elsewhere_) return;
  const auto text = std::make_shared<const std::string>(inserted);
  for (const std::string& path : operands(seen)) {
    if (path.contains(' ') || path.contains(kUnknownPiece)) continue;  // more likely the script
    budget_.spend(text->size());
    if (!written_.write(file_path(path, seen.directory), {.text = text, .part = true}, false)) {
      say_unclear("too much to follow", "it writes more files than can be followed");
    }
  }
}

// Of a part nobody knows what stands around it: it counts for what it would clearly do as a
// command, as would each text in it that stands between quotes.
void Walker::follow_part(const std::string& part, const SeenCommand& by) {
  std::vector<std::string> texts;
  std::string line;
  for (std::size_t i = 0; i <= part.size() && texts.size() < kMaxInner; ++i) {
    const bool escaped = i + 1 < part.size() && part[i] == '\\';
    if (i == part.size() || part[i] == '\n' || (escaped && part[i + 1] == 'n')) {
      std::size_t from = 0;
      while ((from = line.find('"', from)) != std::string::npos && texts.size() < kMaxInner) {
        const std::size_t end = line.find('"', from + 1);
        if (end == std::string::npos) break;
        texts.push_back(line.substr(from + 1, end - from - 1));
        from = end + 1;
      }
      texts.push_back(std::exchange(line, {}));
      i += escaped ? 1 : 0;
    } else if (escaped) {
      line += part[++i] == 't' ? '\t' : part[i];
    } else {
      line += part[i];
    }
  }
  const std::vector<Concern> outer = unclear_;
  for (const std::string& text : texts) {
    if (!trim(text).empty() && read_script(text).trouble.empty()) {
      run_text({text}, {}, by, elsewhere_);
    }
  }
  unclear_ = outer;
}

void Walker::note_copy(const SeenCommand& seen) {
  std::vector<std::string> paths = operands(seen);
  for (const SeenWord& word : option_values(seen, 't', "target-directory")) {
    std::erase(paths, word.text);
    paths.push_back(word.text + "/");
  }
  if (paths.size() < 2 || elsewhere_) return;
  const std::string to = paths.back();
  if (among(seen.program, "mv ln") || has_option_letter(seen, 'r') ||
      has_option_letter(seen, 'a') || has_option_letter(seen, 'R')) {
    written_.link();
  }
  for (std::size_t i = 0; i + 1 < paths.size(); ++i) {
    const std::string from(base_name(paths[i]));
    std::vector<FileContent> contents;
    if (const int descriptor = descriptor_of(paths[i]); descriptor >= 0) {
      contents.push_back({.text = input_of(seen, descriptor).text});
    } else if (is_process(paths[i])) {
      const bool one = seen.processes.size() == 1;
      contents.push_back({.text = one ? seen.processes.front().text : nullptr, .unseen = true});
    } else if (seen.program == "scp" && paths[i].contains(':')) {
      contents.push_back({.unseen = true});
    }
    for (const WrittenFile* file : written_.find(file_path(paths[i], seen.directory))) {
      std::ranges::copy(file->contents, std::back_inserter(contents));
    }
    for (const FileContent& content : contents) {
      written_.write(file_path(to, seen.directory), content, false);
      written_.write(file_path(to + "/" + from, seen.directory), content, false);
    }
    const std::string name(base_name(to));
    if (name != from && !name.empty() && std::ranges::find(watched_, from) != watched_.end()) {
      copies_[name] = from;
    }
  }
}

// A script that this text wrote, or a program it gave another name.
void Walker::run_file(const SeenCommand& seen, std::size_t at) {
  const std::string name(base_name(seen.word(at)));
  if (const auto copy = copies_.find(name); at == 0 && copy != copies_.end()) {
    SeenCommand other = seen;
    other.words[0] = {copy->second};
    other.by_program = true;
    if (++followed_ <= kMaxFollowed) run(std::move(other));
  }
  if (written_.empty() || (at == 0 && !seen.word(0).contains('/'))) return;
  const bool known = !name.contains(kUnknownPiece) && !seen.words[at].pattern;
  const std::vector<const WrittenFile*> files =
      known ? written_.find(file_path(seen.words[at].text, seen.directory)) : written_.match(name);
  std::vector<FileContent> contents;
  for (const WrittenFile* file : files) {
    std::ranges::copy_if(file->contents, std::back_inserter(contents),
                         [&](const FileContent& content) { return known || content.text; });
  }
  for (const FileContent& content : contents) {
    const Interpreter by =
        content.text && at == 0 ? script_interpreter(*content.text) : Interpreter{};
    if (content.part) {
      follow_instructions(Language::shell, content, seen);
    } else if (by.language == Language::shell) {
      run_input(text_input(content.text), seen);
    } else {
      SeenCommand reader = seen;
      reader.program = by.program;
      follow_instructions(by.language, content, reader);
    }
  }
}

// What the files make the program do that the text wrote and it reads.
void Walker::read_files(const SeenCommand& seen) {
  if (written_.empty() || elsewhere_) return;
  for (const InstructionFile* row : instruction_files(seen.program)) {
    std::vector<const WrittenFile*> files;
    const bool by_goal = row->language == Language::make || row->language == Language::package;
    std::size_t& looked = looked_for_[row];
    if (!row->names.empty() && (by_goal || looked != written_.changes())) {
      looked = written_.changes();
      for (const WrittenFile* file : written_.all()) {
        if (is_read_by_name(*row, file->name.path)) files.push_back(file);
      }
      budget_.spend_words(by_goal ? files.size() + 1 : 0);
    }
    for (const SeenWord& word : named_files(*row, seen)) {
      std::ranges::copy(written_.find(file_path(word.text, seen.directory)),
                        std::back_inserter(files));
    }
    std::vector<FileContent> contents;
    for (const WrittenFile* file : files) {
      std::ranges::copy(file->contents, std::back_inserter(contents));
    }
    for (const FileContent& content : contents) {
      Language language = row->language;
      SeenCommand reader = seen;
      if (language == Language::shell && content.text) {  // a hook
        const Interpreter by = script_interpreter(*content.text);
        language = by.language;
        if (!by.program.empty()) reader.program = by.program;
      }
      follow_instructions(language, content, reader);
    }
  }
}

void Walker::follow_instructions(Language language, const FileContent& content,
                                 const SeenCommand& by) {
  if (!content.text) {
    if (content.unseen) {
      say_unclear("instructions are known only when they run",
                  by.program + " follows a file whose text is not known", &by);
    }
    return;
  }
  std::string key = std::to_string(reinterpret_cast<std::uintptr_t>(content.text.get())) + " " +
                    std::to_string(static_cast<int>(language)) + " " + by.program;
  if (language == Language::make || language == Language::package) {
    for (const SeenWord& word : by.words) key += " " + word.text;
  }
  budget_.spend(content.text->size() + key.size() + 512);
  if (budget_.spent() || !followed_files_.insert(std::move(key)).second) return;
  kept_texts_.push_back(content.text);
  if (content.part) return follow_part(*content.text, by);
  Instructions found = read_instructions(language, *content.text, by);
  if (found.unknown) {
    say_unclear("instructions are known only when they run",
                by.program + " runs a file that does what is known only then", &by);
  }
  for (InstructionDoubt& doubt : found.doubts) {
    if (!elsewhere_) say_unclear(std::move(doubt.key), std::move(doubt.description), &by);
  }
  run_all(std::move(found.commands), by);
}

// A directory that programs are taken from, and in which the text wrote one.
void Walker::watch_directory(const FilePath& name) {
  const std::size_t slash = name.path.find_last_of('/');
  const std::string directory = slash == std::string::npos ? "." : name.path.substr(0, slash);
  for (const std::string& front : search_fronts_) {
    const bool guessed = front.contains(kUnknownPiece) || directory.contains(kUnknownPiece);
    // $(pwd) is anywhere; few programs have a dot in their names, and most data has.
    const bool anywhere = base_name(front) == std::string_view(&kUnknownPiece, 1) &&
                          !base_name(name.path).contains('.');
    if (front == directory || (guessed && (anywhere || base_name(front) == base_name(directory)))) {
      say_unclear("programs are looked for where the text wrote some",
                  "what it wrote may run under the name of another program");
    }
  }
}

// PATH=d:$PATH. Directories of the system, of the home and of the project are usual.
void Walker::note_search_path(const std::string& value, const std::string& where) {
  for (std::string_view rest = value; !rest.empty();) {
    const std::string_view entry = next_word(rest, ':');
    if (among(entry, "/usr/local/sbin /usr/local/bin /usr/sbin /usr/bin /sbin /bin")) break;
    const std::string path = file_path(std::string(entry), where).path;
    const bool anybody =
        std::ranges::any_of(std::initializer_list<std::string_view>{"/tmp", "/var/tmp", "/dev/shm"},
                            [&](std::string_view place) {
                              return path == place || path.starts_with(std::string(place) + "/");
                            });
    if (anybody || entry == "." || entry.empty()) {
      say_unclear("programs are looked for where anybody may put some",
                  "PATH has " + std::string(entry.empty() ? "." : entry) + " in front");
    }
    const bool known = std::ranges::find(search_fronts_, path) != search_fronts_.end();
    if (known) continue;
    if (search_fronts_.size() >= kMaxFronts) {
      return say_unclear("too much to follow", "PATH has more directories than can be followed");
    }
    search_fronts_.push_back(path);
  }
  for (const WrittenFile* file : written_.all()) watch_directory(file->name);
}

}  // namespace talaria::guard
