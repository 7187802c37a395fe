#include "policy/guard/program/risky_words.h"

#include <unordered_set>

#include "policy/guard/syntax/script_reader.h"
#include "policy/guard/word_list.h"

namespace talaria::guard {
namespace {

constexpr std::string_view kRiskyWords =
    "system exec eval spawn popen Popen subprocess child_process execSync spawnSync execFileSync "
    "execFile Function unlink unlinkSync rmSync rmtree rm_rf rmdir remove_dir_all "
    "RemoveAll passthru shell_exec proc_open getattr __import__ Runtime ProcessBuilder "
    "ctypes execute loadstring fork Kernel FileUtils qx";
constexpr std::string_view kRiskyCalls = "require import process";

bool is_risky(std::string_view word, bool called) {
  static const auto words_in = [](std::string_view list) {
    std::unordered_set<std::string_view> all;
    while (!list.empty()) all.insert(next_word(list));
    return all;
  };
  static const std::unordered_set<std::string_view> words = words_in(kRiskyWords);
  static const std::unordered_set<std::string_view> calls = words_in(kRiskyCalls);
  return words.contains(word) || (called && calls.contains(word));
}

bool has_risky(std::string_view text, bool called) {
  for (std::size_t at = 0; at < text.size();) {
    if (!is_name_start(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && is_name_char(text[end])) ++end;
    const bool is_call = end < text.size() && text[end] == '(';
    if ((!called || is_call) && is_risky(text.substr(at, end - at), is_call)) return true;
    at = end;
  }
  return false;
}

}  // namespace

bool has_risky_word(std::string_view text) { return has_risky(text, false); }
bool has_risky_call(std::string_view text) { return has_risky(text, true); }

}  // namespace talaria::guard
