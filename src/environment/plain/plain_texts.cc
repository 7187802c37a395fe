#include "environment/plain/plain_texts.h"

#include "shell/quote.h"
#include "shell/script.h"
#include "shell/state.h"

namespace talaria::environment::plain {
namespace {

std::string export_line(std::string_view entry, std::string_view builtin) {
  const auto equals = entry.find('=');
  const std::string_view name = entry.substr(0, equals);
  if (equals == std::string_view::npos || !shell::is_variable_name(name)) return {};
  return std::string(builtin) + "export " + std::string(name) + "=" +
         shell::single_quote(entry.substr(equals + 1)) + "\n";
}

// "@" stands for the word before a builtin.
constexpr std::string_view kGo = R"sh(
__talaria_want=$__talaria_dir
while @[ -n "$__talaria_dir" ] && ! @cd -- "$__talaria_dir" 2>/dev/null; do
  case $__talaria_dir in */*) __talaria_dir=${__talaria_dir%/*};; *) __talaria_dir=;; esac
done
@[ -n "$__talaria_dir" ] || @cd /
if @[ -n "$__talaria_want" ] && @[ "$__talaria_dir" != "$__talaria_want" ]; then
  @printf '%s' "the working directory $__talaria_want does not exist, so this command ran in $PWD" \
    >"$__talaria_run/notice"
fi
__talaria_keep=$PWD
)sh";

std::string with_builtin(std::string_view text, std::string_view builtin) {
  std::string made;
  for (const char c : text) {
    if (c == '@') {
      made += builtin;
    } else {
      made += c;
    }
  }
  return made;
}

}  // namespace

std::string path_word(std::string_view path) {
  if (path == "~") return "\"${HOME:-/}\"";
  if (path.starts_with("~/")) return "\"${HOME:-/}\"/" + shell::single_quote(path.substr(2));
  if (path == "-") return "./-";  // to cd it would be the directory before
  return shell::single_quote(path);
}

std::size_t longest_plain_argument() { return shell::kLongestArgument + 1; }

std::string export_lines(const std::vector<std::string>& env, std::string_view builtin) {
  std::string text;
  for (const std::string& entry : env) text += export_line(entry, builtin);
  return text;
}

std::string call_export_lines(const std::vector<std::string>& env, std::string_view builtin) {
  std::string text;
  for (const std::string& entry : env) {
    if (shell::comes_with_call(std::string_view(entry).substr(0, entry.find('=')))) {
      text += export_line(entry, builtin);
    }
  }
  return text;
}

std::string first_directory(const CommandSpec& spec) {
  return path_word(spec.first_cwd.empty() ? "~" : spec.first_cwd);
}

std::string directory_lines(const CommandSpec& spec, std::string_view builtin,
                            std::string_view give_up) {
  std::string text;
  if (!spec.session.empty() && !spec.move_to.empty()) {
    text += "__talaria_dir=" + path_word(spec.move_to) + "\n";
  }
  text += with_builtin(kGo, builtin);
  if (spec.workdir) {
    text += std::string(builtin) + "cd -- " + path_word(*spec.workdir) + " || " +
            std::string(give_up) + "\n";
  }
  return text;
}

}  // namespace talaria::environment::plain
