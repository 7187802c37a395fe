#include "environment/modal/modal_image.h"

#include <filesystem>
#include <optional>
#include <string_view>

#include <boost/json/array.hpp>

#include "base/text.h"
#include "os/file.h"

namespace talaria::environment::modal {
namespace {

constexpr std::size_t kMaxDockerfile = 1u << 20;

// As upstream has them. Modal's own part of an image needs a pip that works with the Python there.
constexpr const char* kPython =
    "RUN apt-get update -qq && apt-get install -y -qq python3 python3-venv >/dev/null 2>&1 || true";
constexpr const char* kPip =
    "RUN rm -rf /usr/local/lib/python*/site-packages/pip* 2>/dev/null; "
    "python -m ensurepip --upgrade --default-pip 2>/dev/null || true";

// By its name alone, so that a registry is not mistaken for a directory of this machine.
bool is_dockerfile(const std::string& image) {
  const std::string name = lower_case(std::filesystem::path(image).filename().string());
  if (name.ends_with("dockerfile") || name.starts_with("dockerfile.")) return true;
  return image.starts_with('/') || image.starts_with("./") || image.starts_with("../");
}

json::array registry_lines(const std::string& image) {
  json::array lines{"FROM " + image};
  if (image.contains("ubuntu") || image.contains("debian")) lines.emplace_back(kPython);
  lines.emplace_back(kPip);
  return lines;
}

std::string_view next_argument(std::string_view& rest) {
  rest = trim(rest);
  const std::string_view word = rest.substr(0, rest.find_first_of(" \t"));
  rest.remove_prefix(word.size());
  return word;
}

// Whether it takes files of the machine on which the Dockerfile is.
bool needs_local_files(std::string_view line) {
  const std::string instruction = lower_case(next_argument(line));
  if (instruction != "copy" && instruction != "add") return false;
  std::string_view word = next_argument(line);
  for (; word.starts_with("--"); word = next_argument(line)) {
    if (word.starts_with("--from=")) return false;
  }
  if (word.starts_with("<<")) return false;
  if (word.starts_with("[\"")) word.remove_prefix(2);
  const auto begins = [&](std::string_view with) { return word.starts_with(with); };
  return instruction == "copy" || !(begins("http://") || begins("https://") || begins("git@"));
}

// The word that ends the text behind "<<", if there is one.
std::optional<std::string> text_end(std::string_view line) {
  const std::size_t at = line.find("<<");
  if (at == std::string_view::npos || line.substr(at).starts_with("<<<")) return std::nullopt;
  std::string_view rest = line.substr(at + 2);
  if (rest.starts_with('-')) rest.remove_prefix(1);
  // Nor is it one if a blank follows: 1 << 3 is a number.
  std::string word(rest.substr(0, rest.find_first_of(" \t")));
  std::erase_if(word, [](char c) { return c == '"' || c == '\''; });
  return word.empty() ? std::nullopt : std::optional(word);
}

}  // namespace

Result<json::array> dockerfile_lines(const std::string& text, const std::string& path) {
  json::array lines;
  bool continues = false;          // the line before said so
  std::optional<std::string> end;  // of a text that is under way
  std::size_t number = 0;
  for (std::string_view rest = text; !rest.empty();) {
    std::string_view line = next_word(rest, '\n');
    if (line.ends_with('\r')) line.remove_suffix(1);
    ++number;
    lines.emplace_back(line);
    const std::string_view said = trim(line);
    if (end) {
      if (said == *end) end.reset();
      continue;
    }
    if (said.starts_with('#') || (said.empty() && !continues)) continue;
    if (!continues && needs_local_files(said)) {
      return fail(ErrorKind::bad_request,
                  path + ", line " + std::to_string(number) + ": '" + std::string(said) +
                      "' needs files of this machine, which Modal does not get. Leave it out and "
                      "let commands make those files, or name an image of a registry "
                      "(TERMINAL_MODAL_IMAGE)");
    }
    continues = said.ends_with('\\') || (said.empty() && continues);
    end = text_end(said);
  }
  return lines;
}

Result<json::object> modal_image(const std::string& image) {
  if (image.starts_with("im-")) return json::object{{"id", image}};
  if (image.empty() || image.starts_with('-') || image.contains('\n')) {
    return fail(ErrorKind::bad_request, "TERMINAL_MODAL_IMAGE: '" + image +
                                            "' is not an image of a registry, the path of a "
                                            "Dockerfile or the id of an image at Modal (im-...)");
  }
  if (!is_dockerfile(image)) return json::object{{"layers", {registry_lines(image)}}};
  const auto text = os::read_file(image, kMaxDockerfile);
  if (!text) {
    return fail(ErrorKind::bad_request,
                "TERMINAL_MODAL_IMAGE: the Dockerfile cannot be read: " + text.error().message());
  }
  auto lines = dockerfile_lines(*text, image);
  if (!lines) return fail(lines.error());
  json::array layers;
  layers.emplace_back(std::move(*lines));
  return json::object{{"layers", std::move(layers)}};
}

}  // namespace talaria::environment::modal
