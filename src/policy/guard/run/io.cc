#include "policy/guard/run/io.h"

#include <algorithm>

#include "base/text.h"
#include "policy/guard/word_list.h"

namespace talaria::guard {

int descriptor_of(std::string_view path) {
  if (path == "/dev/stdin" || path == "/dev/tty") return 0;  // a terminal is where input is from
  for (const std::string_view directory : {"/dev/fd/", "/proc/self/fd/", "/proc/$$/fd/"}) {
    if (!path.starts_with(directory)) continue;
    return parse_integer<int>(path.substr(directory.size())).value_or(-1);
  }
  return -1;
}

SeenInput Io::input_of(const SeenCommand& seen, int descriptor) const {
  if (descriptor == 0) return seen.input;
  if (const auto own = seen.descriptors.find(descriptor); own != seen.descriptors.end()) {
    return own->second;
  }
  const auto given = reading_.descriptors.find(descriptor);
  return given != reading_.descriptors.end() ? given->second : unknown_input();
}

std::optional<SeenInput> Io::input_named(const SeenCommand& seen, std::size_t at) const {
  const std::string& path = seen.words[at].text;
  if (const int descriptor = descriptor_of(path); descriptor >= 0) {
    return input_of(seen, descriptor);
  }
  if (!is_process(path)) return std::nullopt;
  const auto before =
      std::count_if(seen.words.begin(), seen.words.begin() + static_cast<std::ptrdiff_t>(at),
                    [](const SeenWord& word) { return is_process(word.text); });
  const std::size_t which = static_cast<std::size_t>(before);
  return which < seen.processes.size() ? seen.processes[which] : unknown_input();
}

void Io::keep(const SeenCommand& seen) {
  const SeenInput& now = reading_.input;
  const bool same = seen.input.kind == now.kind && seen.input.text == now.text;
  if (same && seen.descriptors.empty()) return;
  ++changes_;
  const bool certain = now_.once && now_.sure;
  if (!same) reading_.input = certain ? seen.input : unknown_input();
  for (const auto& [descriptor, input] : seen.descriptors) {
    reading_.descriptors[descriptor] = certain ? input : unknown_input();
  }
}

// What a command runs speaks through it, except in a pipeline of its own.
void Io::print(const SeenCommand& seen) {
  if (listener_ == nullptr) return;
  const Destination to = destination(seen.redirects, false);
  if (to != Destination::elsewhere) listener_->list(listed_paths(seen));
  if (seen.run_by != listened_by_) return;
  if (seen.program == "exec") return listener_->forget();  // it may lead the output elsewhere
  if (to == Destination::elsewhere) {                      // tee /dev/stderr 2>&1 >/dev/null
    const bool others = destination(seen.redirects, true) != to;
    if (others && !among(seen.program, "echo printf")) listener_->forget();
    return;
  }
  std::optional<std::string> text = literal_output(seen);
  if (to == Destination::unclear || (now_.background && text != "")) text.reset();
  if (!text || !may_print_nothing(seen)) return listener_->add(text);
  Output printed;
  printed.add(text);
  listener_->add_perhaps(printed);
}

}  // namespace talaria::guard
