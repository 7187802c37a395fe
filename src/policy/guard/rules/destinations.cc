#include "policy/guard/rules/destinations.h"

#include <algorithm>

#include "policy/guard/run/filter_script.h"
#include "policy/guard/run/option_commands.h"
#include "policy/guard/run/wrapper.h"

namespace talaria::guard {
namespace {

// Which of its operands a program writes to.
enum class Writes {
  one,   // the one at `at`, or instead of it the value of the option
  all,   // every one
  here,  // the value of the option, or where it runs: names that an archive, a patch or a bucket
         // has
};

constexpr std::size_t kLast = 99;
constexpr std::size_t kNone = 98;  // only the value of the option

struct Writer {
  std::string_view programs;
  Writes writes;
  char letter = '\0';          // of the option that says where to
  std::string_view name = {};  // and its long name
  std::string_view verbs = {};
  std::string_view only = {};  // options of which one has to be there
  std::string_view not_ = {};  // and with which it writes nothing
  std::size_t at = kLast;
  std::size_t least = 2;  // operands that it has if it writes to the last one
};
constexpr Writer kWriters[] = {
    {"cp install ln scp sftp rsync gcp ditto", Writes::one, 't', "target-directory"},
    {"mv gmv rename", Writes::all, 't', "target-directory"},
    {"tee sponge truncate unlink rmdir shred ed ex fallocate", Writes::all},
    {.programs = "sed gsed", .writes = Writes::all, .only = "-i|-i*|--in-place*"},
    {.programs = "perl ruby", .writes = Writes::all, .only = "-i|-i*"},
    {.programs = "awk gawk", .writes = Writes::all, .only = "-i|--include*"},
    {.programs = "yq dasel tomlq xq crudini",
     .writes = Writes::all,
     .only = "-i|--inplace|--in-place|--set|--del"},
    {.programs = "vim vi nvim", .writes = Writes::all, .only = "-c|-s|-es|-Es|-S|--headless"},
    {.programs = "black isort rustfmt pyupgrade",
     .writes = Writes::all,
     .not_ = "--diff|--check*|-c|--emit*"},
    {.programs =
         "prettier biome gofmt goimports gofumpt shfmt 2to3 codespell eslint stylelint ruff "
         "rubocop standard autopep8 yapf clang-format autoflake",
     .writes = Writes::all,
     .only = "--write|-w|--fix*|--apply*|-i|--in-place|-a|-A|--autocorrect*",
     .not_ = "--diff|-d"},
    {.programs = "ruff", .writes = Writes::all, .verbs = "format", .not_ = "--diff"},
    {"tar gtar bsdtar", Writes::here, 'C', "directory"},
    {.programs = "unzip", .writes = Writes::here, .letter = 'd', .not_ = "-l|-t|-p|-Z|-v"},
    {"cpio", Writes::here, 'D', "directory"},
    {.programs = "cpio", .writes = Writes::all, .only = "-p|--pass-through"},
    {"patch", Writes::here, 'd', "directory"},
    {.programs = "patch zip", .writes = Writes::one, .at = 0},
    {.programs = "7z 7za 7zz unrar rar", .writes = Writes::here, .letter = 'o', .verbs = "x|e"},
    {.programs = "unrar rar", .writes = Writes::one, .verbs = "x|e", .least = 3},
    {.programs = "7z 7za 7zz rar", .writes = Writes::one, .verbs = "a|u|d", .at = 1},
    {"unar", Writes::here, 'o', "output-directory"},
    {.programs = "unsquashfs",
     .writes = Writes::here,
     .letter = 'd',
     .name = "dest",
     .not_ = "-l|-ls|-ll|-lls|-s|-stat|-cat"},
    {"jar", Writes::here, 'C', "dir"},
    {"cabextract", Writes::here, 'd', "directory"},
    {.programs = "pax", .writes = Writes::here, .only = "-r"},
    {.programs = "borg", .writes = Writes::here, .verbs = "extract"},
    {.programs = "kopia duplicity", .writes = Writes::one, .verbs = "restore"},
    {.programs = "qemu-img", .writes = Writes::one, .verbs = "convert"},
    {.programs = "dpkg dpkg-deb",
     .writes = Writes::one,
     .only = "-x|--extract|-X|--vextract|-R|--raw-extract"},
    {.programs = "git", .writes = Writes::here, .name = "directory", .verbs = "apply|am"},
    {.programs = "git", .writes = Writes::one, .verbs = "bundle create", .at = 2},
    {.programs = "git",
     .writes = Writes::one,
     .letter = 'o',
     .verbs = "archive|format-patch",
     .at = kNone},
    {.programs = "docker podman nerdctl",
     .writes = Writes::one,
     .letter = 'o',
     .verbs = "save|export|build",
     .at = kNone},
    {.programs = "gh glab",
     .writes = Writes::here,
     .letter = 'D',
     .name = "dir",
     .verbs = "release|run download"},
    {.programs = "aws", .writes = Writes::one, .verbs = "s3 cp|sync|mv"},
    {.programs = "gcloud", .writes = Writes::one, .verbs = "storage cp|rsync|mv"},
    {.programs = "gsutil rclone mc s5cmd s3cmd azcopy",
     .writes = Writes::one,
     .verbs = "cp|copy|sync|mv|move|get|mirror|rsync|copyto|moveto|bisync|copyurl"},
    {.programs = "docker podman nerdctl kubectl oc", .writes = Writes::one, .verbs = "cp"},
    {.programs = "docker podman nerdctl", .writes = Writes::one, .verbs = "container|compose cp"},
    {.programs = "lxc incus", .writes = Writes::one, .verbs = "file pull"},
    {.programs = "adb", .writes = Writes::one, .verbs = "pull"},
    {.programs = "multipass", .writes = Writes::one, .verbs = "transfer"},
    {.programs = "svn", .writes = Writes::one, .verbs = "export", .only = "--force"},
    {.programs = "degit tiged giget", .writes = Writes::one, .only = "--force|-f"},
    {.programs = "uv", .writes = Writes::one, .verbs = "venv", .only = "--clear|-c"},
    {.programs = "virtualenv", .writes = Writes::all, .only = "--clear"},
    {.programs = "gzip gunzip bzip2 bunzip2 xz unxz lzma compress zstd unzstd lz4 lzop pigz brotli",
     .writes = Writes::all,
     .not_ = "-c|--stdout|--to-stdout|-l|--list|-t|--test"},
    {"dos2unix unix2dos mogrify", Writes::all},
    {"ffmpeg convert magick split uniq xxd objcopy mksquashfs", Writes::one},
    {.programs = "script", .writes = Writes::one, .least = 1},
    {.programs = "exiftool",
     .writes = Writes::all,
     .only = "-overwrite_original*|-delete_original"},
    {.programs = "touch", .writes = Writes::all, .only = "-r|-t|-d|--reference*|--date*"},
};

// Options whose value a program writes to. Besides, most programs have -o and --output….
struct OutputOptions {
  std::string_view programs;
  std::string_view options;
};
constexpr OutputOptions kOutputOptions[] = {
    {"curl",
     "-o --output --output-dir -D --dump-header --stderr --etag-save --libcurl -c --cookie-jar "
     "--trace --trace-ascii "
     "--hsts --alt-svc"},
    {"wget",
     "-O -P -o -a --output-document --output-file --directory-prefix --append-output "
     "--save-cookies --warc-file --rejected-log"},
    {"aria2c hf huggingface-cli", "-d --dir --local-dir"},
    {"yt-dlp youtube-dl", "-P --paths"},
    {"sort gsort gpg gpg2 less more tree", "-o --output --log-file"},
    {"tar gtar bsdtar", "--one-top-level"},
    {"restic rustic", "-t --target"},
    {"helm", "-d --untardir"},
    {"cargo", "--root --target-dir"},
    {"ssh", "-E"},
    {"screen", "-Logfile"},
    {"csplit", "-f --prefix"},
    {"conda mamba micromamba", "-p --prefix"},
    {"pip pip3", "-t --target -d"},
    {"tcpdump tshark dumpcap", "-w"},
    {"javac kotlinc scalac", "-d"},
    {"pg_dump pg_dumpall", "-f --file"},
    {"mysqldump mariadb-dump", "-r --result-file"},
    {"npm pnpm", "--pack-destination"},
    {"jest vitest", "--coverageDirectory"},
    {"coverage", "-d --directory"},
    {"hugo jekyll", "-d --destination"},
    {"mkdocs", "-d --site-dir"},
};
constexpr std::string_view kUsualOptions =
    "--dest --destination --dest-dir --log-file --logfile --save-to --to-file --report-file "
    "--junitxml --junit-xml --export-filename --screenshot --print-to-pdf -dest";
// -o of these is something else, or they only print their words.
constexpr std::string_view kOtherO =
    "grep egrep fgrep zgrep rg ag ack unzip rsync ls cp mv mount umount ps cpio tar gtar bsdtar "
    "set "
    "install chown chmod ssh scp sftp sudo git pgrep pkill stat lsof docker podman nerdctl kubectl "
    "oc apt "
    "apt-get useradd usermod nm mvn pytest netstat du df 7z 7za 7zz unar unrar rar jq bash sh zsh "
    "ip curl wget";
constexpr std::string_view kOnlyPrint = "echo printf test [ [[ : true false export alias";

// The first operands of these are a script or a mode.
std::size_t words_before_files(const Arguments& arguments) {
  const std::string& program = arguments.command.program;
  if (among(program, "sed gsed")) return arguments.has("-e|-f|--expression|--file") ? 0 : 1;
  if (among(program, "awk gawk")) return 2;  // inplace, and the script
  return among(program, "yq rename") ? 1 : 0;
}

SeenWord place(const Arguments& arguments, const SeenWord& word) {
  return is_remote(word.text) ? word : arguments.resolved(word);
}

bool has_letter(const Arguments& arguments, char letter) {
  const std::string_view letters = arguments.command.word(1);  // tar xf
  return !letters.starts_with('-') && letters.contains(letter);
}

bool unpacks(const Arguments& arguments) {
  const std::string& program = arguments.command.program;
  if (program == "cpio") return arguments.has("-i|--extract");
  if (!among(program, "tar gtar bsdtar jar")) return true;
  return arguments.has("-x|--extract|--get") || has_letter(arguments, 'x');
}

void add_written(const Arguments& arguments, const Writer& writer, std::vector<SeenWord>& words) {
  if (!arguments.begins(writer.verbs) || (!writer.only.empty() && !arguments.has(writer.only)) ||
      (!writer.not_.empty() && arguments.has(writer.not_)) ||
      (writer.writes == Writes::here && !unpacks(arguments))) {
    return;
  }
  const std::size_t before = words.size();
  if (writer.letter != '\0' || !writer.name.empty()) {
    for (const SeenWord& word : option_values(arguments.command, writer.letter, writer.name)) {
      words.push_back(arguments.resolved(word));
    }
  }
  const auto& operands = arguments.operands();
  if (writer.writes == Writes::all) {
    for (std::size_t i = words_before_files(arguments); i < operands.size(); ++i) {
      words.push_back(place(arguments, *operands[i]));
    }
  }
  if (writer.writes == Writes::all || words.size() > before) return;
  if (writer.writes == Writes::here) {
    words.push_back(arguments.resolved({"."}));
  } else if (writer.at < operands.size()) {
    words.push_back(place(arguments, *operands[writer.at]));
  } else if (writer.at == kLast && operands.size() >= writer.least) {
    words.push_back(place(arguments, *operands.back()));
  }
}

// tar cf x.tar: what it makes of the files
void add_archive(const Arguments& arguments, std::vector<SeenWord>& words) {
  const SeenCommand& command = arguments.command;
  const bool creates = has_letter(arguments, 'c') || has_letter(arguments, 'r') ||
                       has_letter(arguments, 'u') ||
                       arguments.has("-c|-r|-u|--create|--append|--update");
  if (!creates || unpacks(arguments)) return;
  for (const SeenWord& word : option_values(command, 'f', "file")) {
    words.push_back(place(arguments, word));
  }
  if (has_letter(arguments, 'f') && command.words.size() > 2) {
    words.push_back(place(arguments, command.words[2]));
  }
}

// The value of one of the options, if the word is it: -o x, -o/x, --output=x. Of some programs,
// letters may stand together: -so x
std::optional<SeenWord> value_of(const SeenCommand& command, std::size_t at,
                                 std::string_view options) {
  const std::string_view word = command.word(at);
  const bool together = among(command.program, "curl wget sort gsort");
  const std::size_t equals = std::min(word.find('='), word.size());
  const std::string_view name = word.substr(0, equals);
  while (!options.empty()) {
    const std::string_view option = next_word(options);
    std::size_t end = std::string_view::npos;  // of the option in the word
    if (option.starts_with("--")) {
      if (name.size() > 4 && option.starts_with(name)) end = std::min(equals + 1, word.size());
    } else if (option.size() > 2) {
      if (word == option) end = word.size();
    } else if (word[1] != '-') {
      const std::size_t letter = word.find(option[1], 1);
      if (letter == 1 || (together && letter != word.npos)) end = letter + 1;
    }
    if (end == std::string_view::npos) continue;
    const std::string_view rest = word.substr(end);
    if (rest.empty() && at + 1 < command.words.size()) return command.words[at + 1];
    if (together || end > 2 || rest.starts_with('/') || rest.starts_with('~')) {
      return SeenWord{std::string(rest)};
    }
  }
  return std::nullopt;
}

// json, yaml, jsonpath={.x}: a form, and no file
bool looks_like_path(std::string_view value) {
  return value.find_first_of("./~") != value.npos && value.find_first_of("{=,") == value.npos;
}

void add_outputs(const Arguments& arguments, std::vector<SeenWord>& words) {
  static const NameIndex<OutputOptions> index(kOutputOptions, &OutputOptions::programs);
  const SeenCommand& command = arguments.command;
  if (among(command.program, kOnlyPrint)) return;
  const auto own = index.find(command.program);
  const bool usual = !among(command.program, kOtherO);
  const Wrapper* const wrapper = find_wrapper(command.program);  // whose words are another's, too
  const std::size_t end =
      wrapper == nullptr
          ? command.words.size()
          : std::min(wrapped_at(*wrapper, views_of(command.words)), command.words.size());
  for (std::size_t i = 1; i < end; ++i) {
    const std::string_view word = command.word(i);
    if (word.size() < 2 || word.front() != '-') continue;
    if (word == "--") return;
    if (!own.empty()) {
      if (const auto value = value_of(command, i, own.front()->options)) {
        words.push_back(arguments.resolved(*value));
        continue;
      }
    }
    const bool output = word.starts_with("--out") || word.starts_with("-out");
    const std::size_t equals = std::min(word.find('='), word.size());
    std::optional<SeenWord> value;
    if (output && equals < word.size()) {
      value = SeenWord{std::string(word.substr(equals + 1))};
    } else if (output && i + 1 < command.words.size()) {
      value = command.words[i + 1];
    } else {
      value = value_of(command, i, kUsualOptions);
      if (!value && usual) value = value_of(command, i, "-o");
    }
    if (value && looks_like_path(value->text)) words.push_back(arguments.resolved(*value));
  }
}

// curl -O https://h/x: the address says what it is called here
void add_fetched(const Arguments& arguments, std::vector<SeenWord>& words) {
  const SeenCommand& command = arguments.command;
  const std::string& program = command.program;
  const bool fetches =
      (program == "curl" && arguments.has("-O|--remote-name*") && !arguments.has("--output-dir")) ||
      (program == "wget" && !arguments.has("-O|-P|--output-document|--directory-prefix")) ||
      (among(program, "http https xh") && arguments.has("-d|--download")) ||
      among(program, "aria2c axel lwp-download fetch yt-dlp youtube-dl");
  if (fetches && arguments.has("-i|--input-file")) words.push_back(arguments.resolved({"x"}));
  for (const SeenWord* word : arguments.operands()) {
    if (!fetches) break;
    std::string_view name = std::string_view(word->text).substr(0, word->text.find_first_of("?#"));
    name = base_name(name);
    const bool known = !name.empty() && !name.contains(kUnknownPiece);
    words.push_back(arguments.resolved({known ? std::string(name) : "x"}));
  }
  if (program != "curl") return;
  constexpr std::string_view kMark = "%output{";  // of -w
  for (const SeenWord& word : command.words) {
    const std::size_t at = word.text.find(kMark);
    if (at == std::string::npos) continue;
    std::string_view path = std::string_view(word.text).substr(at + kMark.size());
    path = path.substr(0, path.find('}'));
    while (path.starts_with('>')) path.remove_prefix(1);
    words.push_back(arguments.resolved({std::string(path)}));
  }
}

// python3 -m zipfile -e x.zip ~
bool writes_by_module(const Arguments& arguments) {
  const SeenCommand& command = arguments.command;
  if (!command.program.starts_with("python") || command.word(1) != "-m") return false;
  return (among(command.word(2), "tarfile zipfile") && arguments.has("-e|--extract")) ||
         (among(command.word(2), "venv virtualenv") && arguments.has("--clear"));
}

}  // namespace

bool is_remote(std::string_view path) {
  const std::size_t colon = path.find(':');
  return colon != std::string_view::npos && colon > 0 && path.find('/') > colon;
}

std::vector<SeenWord> destinations(const Arguments& arguments) {
  static const NameIndex<Writer> index(kWriters, &Writer::programs);
  std::vector<SeenWord> words;
  const SeenCommand& command = arguments.command;
  if (command.program == "dd") {
    for (const SeenWord& word : command.words) {
      if (word.text.starts_with("of=")) words.push_back(arguments.resolved({word.text.substr(3)}));
    }
    return words;
  }
  if (arguments.has("--help|--version|--dry-run|--check|--stat|--numstat") ||
      (command.program == "rsync" && arguments.has("-n"))) {
    return words;
  }
  if (arguments.has("--unsafe-paths")) words.push_back({"/"});  // of git apply
  if (writes_by_module(arguments))
    words.push_back(arguments.resolved(*arguments.operands().back()));
  for (const Writer* writer : index.find(command.program)) add_written(arguments, *writer, words);
  add_outputs(arguments, words);
  add_fetched(arguments, words);
  if (among(command.program, "tar gtar bsdtar")) add_archive(arguments, words);
  if (is_sed_program(command.program) || is_awk_program(command.program)) {
    for (const std::string& path : filter_actions(command).files) {
      words.push_back(arguments.resolved({path}));
    }
  }
  return words;
}

std::optional<SeenWord> cloned_directory(const Arguments& arguments) {
  const SeenCommand& command = arguments.command;
  const bool tree = command.program == "git" && arguments.begins("worktree add");
  const bool clones = tree || (among(command.program, "git hg") && arguments.begins("clone")) ||
                      (command.program == "git" && arguments.begins("init")) ||
                      (command.program == "svn" && arguments.begins("checkout|co|export")) ||
                      (among(command.program, "gh glab") && arguments.begins("repo clone")) ||
                      among(command.program, "degit tiged giget");
  if (!clones) return std::nullopt;
  constexpr std::string_view kValued =
      "-C -b -B --branch --depth -o --origin -c --config --reference -j --jobs --filter --template "
      "-u --upload-pack -r";
  constexpr std::string_view kVerbs = "clone checkout co export repo worktree add init";
  std::vector<const SeenWord*> names;  // the address, the directory
  std::string from;                    // of -C
  const auto made = [&](std::string_view name) { return SeenWord{from + std::string(name)}; };
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    if (command.word(i) == "--" && command.program != "git") break;
    if (among(command.word(i), kValued)) {
      if (command.word(i) == "-C") from = std::string(command.word(i + 1)) + "/";
      ++i;
    } else if (!command.word(i).starts_with('-') &&
               (!names.empty() || !among(command.word(i), kVerbs))) {
      names.push_back(&command.words[i]);
    }
  }
  if (names.empty()) return made(".");
  const bool first = tree || arguments.verb(0) == "init";  // it has no address
  if (first || names.size() > 1) {
    const SeenWord& to = first ? *names.front() : *names.back();
    return to.text.find_first_of("/~") == 0 ? to : made(to.text);
  }
  std::string_view name = names.front()->text;
  while (name.ends_with('/')) name.remove_suffix(1);
  name = base_name(name);
  if (name.ends_with(".git")) name.remove_suffix(4);
  return made(name.substr(name.find_last_of(':') + 1));
}

std::vector<SeenWord> sources(const Arguments& arguments) {
  std::vector<SeenWord> words;
  const auto& operands = arguments.operands();
  for (std::size_t i = 0; i + 1 < operands.size(); ++i) {
    words.push_back(arguments.resolved(*operands[i]));
  }
  return words;
}

}  // namespace talaria::guard
