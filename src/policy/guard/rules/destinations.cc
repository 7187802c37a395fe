#include "policy/guard/rules/destinations.h"

#include <algorithm>

#include "policy/guard/run/option_commands.h"

namespace talaria::guard {
namespace {

// Where the words of a program say what it writes.
enum class Writes {
  last,       // the last operand, or -t DIR
  all,        // every operand
  all_moved,  // every operand: it takes them away from where they are
  in_place,   // every operand, if an option says so
  option,     // only the value of an option
  here,       // that, or where it runs
};

struct Writer {
  std::string_view programs;
  Writes writes;
  char letter = '\0';          // of the option whose value it writes to
  std::string_view name = {};  // and its long name
  std::string_view in_place = {};
};
constexpr Writer kWriters[] = {
    {"cp install ln scp rsync gcp", Writes::last, 't', "target-directory"},
    {"mv gmv rename", Writes::all_moved, 't', "target-directory"},
    {"tee sponge truncate unlink rmdir shred ed ex", Writes::all},
    {"sed gsed", Writes::in_place, '\0', "", "-i|-i*|--in-place*"},
    {"perl ruby", Writes::in_place, '\0', "", "-i|-i*"},
    {"gawk", Writes::in_place, '\0', "", "-i"},
    {"yq dasel tomlq xq crudini", Writes::in_place, '\0', "",
     "-i|--inplace|--in-place|--set|--del"},
    {"vim vi nvim", Writes::in_place, '\0', "", "-c|-s|-es|-Es|-S|--headless"},
    {"tar gtar bsdtar", Writes::here, 'C', "directory"},
    {"tar gtar bsdtar", Writes::option, '\0', "one-top-level"},
    {"unzip", Writes::here, 'd', ""},
    {"cpio", Writes::here, 'D', "directory"},
    {"patch", Writes::here, 'd', "directory"},
    {"7z 7za 7zz unrar", Writes::here, 'o', ""},
    {"git", Writes::here, '\0', "directory"},
    {"curl", Writes::option, 'o', "output"},
    {"wget", Writes::option, 'O', "output-document"},
    {"wget", Writes::option, 'P', "directory-prefix"},
    {"curl", Writes::option, '\0', "output-dir"},
    {"ffmpeg convert magick", Writes::last},
    {"gzip gunzip bzip2 bunzip2 xz unxz lzma compress dos2unix unix2dos mogrify", Writes::all},
    {"sort gsort gpg gpg2", Writes::option, 'o', "output"},
    {"split", Writes::last},
    {"exiftool", Writes::in_place, '\0', "", "-overwrite_original*|-delete_original"},
    {"touch", Writes::in_place, '\0', "", "-r|-t|-d|--reference*|--date*"},
};

// The first operand of these is a script or a mode.
bool is_script_first(const Arguments& arguments) {
  const std::string& program = arguments.command.program;
  if (among(program, "sed gsed")) return !arguments.has("-e|-f|--expression|--file");
  return among(program, "gawk yq rename");
}

void add_option_values(const Arguments& arguments, const Writer& writer,
                       std::vector<SeenWord>& words) {
  if (writer.letter == '\0' && writer.name.empty()) return;
  for (const SeenWord& word : option_values(arguments.command, writer.letter, writer.name)) {
    words.push_back(arguments.resolved(word));
  }
}

bool unpacks(const Arguments& arguments) {
  const std::string& program = arguments.command.program;
  if (program == "git") return arguments.begins("apply|am");
  if (program == "unzip") return !arguments.has("-l|-t|-p|-Z|-v");
  if (program == "cpio") return arguments.has("-i|--extract|-p");
  if (among(program, "7z 7za 7zz unrar")) return arguments.begins("x|e");
  if (!among(program, "tar gtar bsdtar")) return true;
  const std::string_view letters = arguments.command.word(1);
  return arguments.has("-x|--extract|--get") ||
         (!letters.starts_with('-') && letters.contains('x'));
}

void add_written(const Arguments& arguments, const Writer& writer, std::vector<SeenWord>& words) {
  const std::size_t before = words.size();
  add_option_values(arguments, writer, words);
  const auto& operands = arguments.operands();
  if (writer.writes == Writes::here && words.size() == before) {
    words.push_back(arguments.resolved({"."}));
  }
  if (writer.writes == Writes::option || writer.writes == Writes::here) return;
  if (writer.writes == Writes::in_place && !arguments.has(writer.in_place)) return;
  if (writer.writes == Writes::last) {
    if (words.size() == before && operands.size() > 1) {
      words.push_back(arguments.resolved(*operands.back()));
    }
    return;
  }
  for (std::size_t i = is_script_first(arguments) ? 1 : 0; i < operands.size(); ++i) {
    words.push_back(arguments.resolved(*operands[i]));
  }
}

// python3 -m zipfile -e x.zip ~
bool begins_with_module(const Arguments& arguments, std::string_view modules) {
  return arguments.command.program.starts_with("python") && has_operand(arguments) &&
         arguments.command.word(1) == "-m" && among(arguments.command.word(2), modules);
}

}  // namespace

bool is_remote(std::string_view path) {
  const std::size_t colon = path.find(':');
  return colon != std::string_view::npos && colon > 0 && path.find('/') > colon;
}

std::vector<SeenWord> destinations(const Arguments& arguments) {
  std::vector<SeenWord> words;
  if (arguments.command.program == "dd") {
    for (const SeenWord& word : arguments.command.words) {
      if (word.text.starts_with("of=")) words.push_back(arguments.resolved({word.text.substr(3)}));
    }
    return words;
  }
  if (arguments.has("--help|--version|--dry-run|--check|--stat|--numstat") || !unpacks(arguments)) {
    return words;
  }
  if (arguments.has("--unsafe-paths")) words.push_back({"/"});  // of git apply
  if (begins_with_module(arguments, "tarfile zipfile") && arguments.has("-e|--extract")) {
    words.push_back(arguments.resolved(*arguments.operands().back()));
  }
  if (arguments.command.program == "rsync" && arguments.has("-n")) return words;
  for (const Writer& writer : kWriters) {
    if (among(arguments.command.program, writer.programs)) add_written(arguments, writer, words);
  }
  return words;
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
