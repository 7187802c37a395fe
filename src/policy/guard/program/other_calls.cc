// Of ProgramReader: calls that no table knows. Whoever gets the path of a key may show it, and who
// gets that of a start file may write it.
#include <algorithm>
#include <cctype>

#include "policy/guard/program/program_reader.h"
#include "policy/guard/word_list.h"

namespace talaria::guard {
namespace {

constexpr std::size_t kMaxScanned = 64;  // tokens of the arguments, or of the value of a name

// They look at the outside of a file only, make a path, or keep or show the text of it.
constexpr std::string_view kHarmless =
    "print println printf puts echo log info debug warn warning error exception critical exists "
    "isfile isdir islink lexists ismount samefile getsize getmtime getctime getatime stat lstat "
    "statvfs access is_file is_dir is_symlink existsSync statSync lstatSync accessSync "
    "realpathSync "
    "file_exists is_readable basename dirname extname split splitext relpath relative commonpath "
    "expanduser expandvars expand_path abspath realpath normpath join joinpath resolve absolute "
    "normalize Path PurePath PosixPath Pathname str String repr len format startswith endswith "
    "startsWith endsWith includes strip rstrip lstrip replace append extend push insert get getenv "
    "set list tuple dict sorted sum max min add_argument Option Argument Field field setenv "
    "setattr "
    "delenv patch object isinstance raises skip match fullmatch search sub compile findall test "
    "assertEqual assertTrue assertFalse assertIn assert expect toBe toEqual toContain describe it "
    "equal deepEqual ok fnmatch relative_to is_relative_to with_name with_suffix with_stem "
    "as_posix "
    "samefile stdout name mkdir makedirs mkdirSync iterdir glob rglob walk scandir listdir readdir "
    "readdirSync readlink load_host_keys load_system_host_keys from_private_key_file";

}  // namespace

bool may_be_place(std::string_view text) {
  constexpr std::size_t kLongest = 256;
  if (text.size() < 2 || text.size() > kLongest) return false;
  if (text.find_first_of(" \t\n") != std::string_view::npos) return false;
  const bool letter = std::isalpha(static_cast<unsigned char>(text[1])) != 0;
  return text[0] == '~' || text[0] == '/' || (text[0] == '.' && letter) ||
         (text[0] == kUnknownPiece && text[1] == '/');
}

// One of the tokens may be a place, or stand for one.
bool ProgramReader::names_place(const ProgramCode& code, TokenRange range, int depth) {
  const std::size_t end = std::min({range.end, range.begin + kMaxScanned, code.size()});
  for (std::size_t i = range.begin; i < end; ++i) {
    if (code.is_text(i) && may_be_place(code[i].text)) return true;
    if (!code.is_name(i) || depth > 2) continue;
    const bool attribute = i > 0 && code.is_dot(i - 1);
    const std::string name = (attribute ? "." : "") + code[i].text;
    const auto [seen, is_new] = placed_.emplace(name, false);
    const NameBinding* const binding = is_new ? names_.find(name) : nullptr;
    if (binding != nullptr) {
      for (const auto* ranges : {&binding->values, &binding->loops, &binding->opened}) {
        for (const TokenRange& one : *ranges) {
          seen->second = seen->second || names_place(code_, one, depth + 1);
        }
      }
    }
    if (seen->second) return true;
  }
  return false;
}

void ProgramReader::read_other_call(const ProgramCode& code, std::size_t at) {
  const bool bare = calls_without_brackets(language_) && code.is_text(at + 1);
  if (!has_places_ || !(code.is(at + 1, "(") || bare)) return;
  const std::string_view word = code.word(at);
  const bool method = at > 0 && code.is_dot(at - 1);
  if ((among(word, kWordsBeforeBrackets) && !method) || is_defined(code, at)) return;
  const std::string& name = code[at].text;
  const bool own = names_.defines(name) || (names_.find(name) != nullptr && !method);
  if (among(word, kHarmless) && !names_.is_alias(name) && !own) return;
  const std::optional<TokenRange> range = argument_range(code, at);
  if (!range) return;
  const ExpressionReader reader(code, context_);
  const ProgramCallee callee = reader.callee(at);
  const bool given = names_place(code, *range);
  if (!given && !(callee.receiver && names_place(code, *callee.receiver))) return;
  const bool harmless = !own && std::ranges::all_of(callee.names, [](const std::string& one) {
    return among(last_word(one), kHarmless);
  });
  const bool tool = std::ranges::any_of(callee.names, [](const std::string& one) {
    return one.starts_with("hermes_tools.");  // it is judged when it is called
  });
  if (harmless || tool) return;
  ProgramFinding finding{.act = ProgramAct::use, .name = callee.name};
  const std::size_t end = std::min(range->end, range->begin + kMaxArgumentTokens);
  if (given) finding.arguments = reader.arguments_in({range->begin, end});
  if (callee.receiver) finding.receiver = reader.evaluate(*callee.receiver);
  report_.findings.push_back(std::move(finding));
}

}  // namespace talaria::guard
