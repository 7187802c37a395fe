#include <libfyaml.h>

#include <memory>

#include "base/text.h"
#include "tools/files/syntax.h"

namespace talaria::tool {
namespace {

struct YamlEnd {
  void operator()(fy_parser* parser) const { fy_parser_destroy(parser); }
  void operator()(fy_diag* diagnostics) const { fy_diag_destroy(diagnostics); }
};

std::string first_problem(fy_diag* diagnostics) {
  void* place = nullptr;
  const fy_diag_error* error = fy_diag_errors_iterate(diagnostics, &place);
  if (error == nullptr || error->msg == nullptr) return "YAMLError: it cannot be read";
  return "YAMLError: " + std::string(trim(error->msg)) + " (line " + std::to_string(error->line) +
         ", column " + std::to_string(error->column) + ")";
}

}  // namespace

std::optional<std::string> yaml_flaw(const std::string& text) {
  const std::unique_ptr<fy_diag, YamlEnd> diagnostics(fy_diag_create(nullptr));
  if (!diagnostics) return std::nullopt;
  fy_diag_set_collect_errors(diagnostics.get(), true);
  fy_parse_cfg how{};
  how.diag = diagnostics.get();
  how.flags = FYPCF_QUIET;
  const std::unique_ptr<fy_parser, YamlEnd> parser(fy_parser_create(&how));
  if (!parser || fy_parser_set_string(parser.get(), text.data(), text.size()) != 0) {
    return std::nullopt;
  }
  while (fy_event* event = fy_parser_parse(parser.get())) fy_parser_event_free(parser.get(), event);
  if (!fy_parser_get_stream_error(parser.get())) return std::nullopt;
  return first_problem(diagnostics.get());
}

}  // namespace talaria::tool
