#include "policy/guard/copies.h"

#include <algorithm>

#include "policy/guard/path_pieces.h"
#include "policy/guard/rules/sending.h"
#include "policy/guard/run/option_commands.h"

namespace talaria::guard {
namespace {

constexpr std::size_t kMaxCopies = 64;

// F, @F, name=@F, --x=F
std::size_t file_at(std::string_view word) {
  const std::size_t mark = word.find_last_of("@=<");
  return mark == std::string_view::npos ? 0 : mark + 1;
}

}  // namespace

void Copies::note(const Arguments& arguments) {
  const std::string& program = arguments.command.program;
  if (!among(program, "cp gcp mv gmv ln rsync scp install ditto") || arguments.command.elsewhere) {
    return;
  }
  const auto& operands = arguments.operands();
  if (operands.empty()) return;
  const std::vector<SeenWord> given =
      program == "rsync" ? std::vector<SeenWord>()
                         : option_values(arguments.command, 't', "target-directory");
  const bool by_option = !given.empty();
  const std::string to = arguments.resolved(by_option ? given.back() : *operands.back()).text;
  const std::size_t count = operands.size() - (by_option ? 0 : 1);
  const bool deep = program != "install" && (program.ends_with("mv") || program == "ditto" ||
                                             arguments.has("-r|-R|-a|--recursive|--archive"));
  const bool directory = by_option || count > 1 || to.ends_with('/');
  for (std::size_t i = 0; i < count; ++i) {
    SeenWord from = arguments.resolved(*operands[i]);
    const bool content =
        from.text.ends_with("/.") || (program == "rsync" && from.text.ends_with('/'));
    while (from.text.size() > 1 && (from.text.ends_with('/') || from.text.ends_with("/."))) {
      from.text.pop_back();
    }
    if (const std::string original = original_of(arguments, from.text, false); !original.empty()) {
      from.text = original;
    }
    if (content || !directory) add(arguments, from, to, deep);
    const std::string name(base_name(from.text));
    if (!content) add(arguments, from, to + "/" + name, deep);
  }
}

void Copies::add(const Arguments& arguments, const SeenWord& from, const std::string& to,
                 bool deep) {
  if (copies_.size() >= kMaxCopies || !is_not_to_be_sent(arguments, from)) return;
  const bool holds_secrets = deep && arguments.paths.is_persons_secret(
                                         {.text = from.text + "/" + kUnknownPiece, .listed = true});
  have_secrets_ = have_secrets_ || (holds_secrets && !arguments.paths.is_temporary(to));
  copies_.push_back({arguments.paths.folded(to), from.text, deep, holds_secrets});
}

std::string Copies::original_of(const Arguments& arguments, const std::string& path,
                                bool around) const {
  if (path.empty()) return "";
  const std::string plain = arguments.paths.folded(arguments.resolved({path}).text);
  for (const Copy& copy : copies_) {
    if (copy.deep ? starts_path(plain, copy.to) : plain == copy.to) {
      return copy.from + plain.substr(copy.to.size());
    }
    if (around && copy.holds_secrets && starts_path(copy.to, plain)) return copy.from;
  }
  return "";
}

std::optional<SeenCommand> Copies::with_originals(const Arguments& arguments, bool around) const {
  if (copies_.empty() || arguments.command.elsewhere) return std::nullopt;
  SeenCommand real = arguments.command;
  bool any = false;
  const auto put_original = [&](std::string& text, std::size_t at) {
    const std::string original = original_of(arguments, text.substr(at), around);
    if (!original.empty()) text.replace(at, text.npos, original);
    any = any || !original.empty();
    return !original.empty();
  };
  for (std::size_t i = 1; i < real.words.size(); ++i) {
    std::string& text = real.words[i].text;
    const bool option = text.starts_with('-') && !text.contains('=');
    if (option || put_original(text, 0)) continue;
    if (const std::size_t at = file_at(text); at > 0) put_original(text, at);
  }
  for (SeenRedirect& redirect : real.redirects) {
    if (redirect.kind == ShellRedirect::Kind::input) put_original(redirect.target.text, 0);
  }
  return any ? std::optional(std::move(real)) : std::nullopt;
}

}  // namespace talaria::guard
