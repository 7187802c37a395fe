#include "environment/daytona/pty_protocol.h"

namespace talaria::environment::daytona {
namespace {

// The loop reads such a line byte by byte; beyond this a process that copies bytes is faster.
constexpr std::size_t kLongestText = 1024;

// (Not '-': at the start of a piece printf would take it for an option.)
bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == ' ' || c == '/' || c == '.' ||
         c == '_' || c == ':' || c == ',';
}

// (No digit stays as it is: it could be taken for one of the number before it.)
std::string as_printf_text(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    if (text.size() > kLongestText) break;
    if (is_plain(c)) {
      text += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    text += '\\';
    for (const int shift : {6, 3, 0}) text += static_cast<char>('0' + ((byte >> shift) & 7));
  }
  return text;
}

// Takes the script, then becomes what stands between. A bash that reads lines from a terminal takes
// more than the line, and busybox's cat gives nothing of a terminal's on; hence the first dd. That
// keeps reading when the program has ended, and every sh waits for it then; so the whole is
// killed (HUP may be ignored), and the terminal ends. dd of old has no iflag.
constexpr std::string_view kProgram =
    "exec 3<&0 2>/dev/null\n"
    "d() { dd bs=\"$1\" count=1 iflag=fullblock; }\n"
    "dd count=0 iflag=fullblock </dev/null >/dev/null || d() { dd bs=1 count=\"$1\"; }\n"
    "e() { kill -HUP $$; kill -KILL $$; }\n"
    "w() { sleep 300; e; }\n"
    "s=$(d SIZE)\n"
    "unset TERM p\n"
    "dd bs=65536 <&3 3<&- | while IFS= read -r l; do case $l in "
    "=*) printf \"${l#=}\";; "
    "k) [ -z \"$p\" ] || kill $p; w </dev/null >/dev/null 3<&- & p=$!;; "
    "0) [ -z \"$p\" ] || kill $p; break;; "
    "*) d \"$l\";; "
    "esac; done 3<&- | { sh -c \"$s\"; e; } 3<&-\n";

}  // namespace

PtyProtocol::PtyProtocol(std::string_view script, std::string_view nonce)
    : mark_("TALARIA-" + std::string(nonce) + "\n"), program_(kProgram) {
  program_.replace(program_.find("SIZE"), 4, std::to_string(script.size()));
  // In quotes that every shell reads the same way. A blank at its start keeps it out of histories,
  // and is what a question in a login file may have for an answer.
  line_ = "  exec sh -c 'stty raw -echo || exit; printf \"%s-%s\\n\" TALARIA " +
          std::string(nonce) + "; eval \"$(dd bs=1 count=" + std::to_string(program_.size()) +
          " 2>/dev/null)\"'\n";
  program_ += script;
}

std::string PtyProtocol::piece(std::string_view bytes) {
  if (bytes.size() <= kLongestText) {
    std::string text = as_printf_text(bytes);
    if (text.size() <= kLongestText) return "=" + text + "\n";
  }
  return std::to_string(bytes.size()) + "\n" + std::string(bytes);
}

}  // namespace talaria::environment::daytona
