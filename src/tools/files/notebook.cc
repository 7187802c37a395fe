#include "tools/files/notebook.h"

#include <boost/json/value.hpp>

#include "json/json_text.h"

namespace talaria::tool {
namespace {

std::string joined(const json::value* source) {
  std::string text;
  if (source == nullptr) return text;
  if (const auto* whole = source->if_string()) return std::string(*whole);
  if (!source->is_array()) return text;
  for (const json::value& line : source->get_array()) {
    if (line.is_string()) text += std::string_view(line.get_string());
  }
  return text;
}

std::string heading(std::string_view kind, std::size_t number) {
  if (kind == "raw") return "# ── Raw cell ──\n";
  const std::string_view name = kind == "code" ? "Code" : "Markdown";
  return "# ── " + std::string(name) + " cell " + std::to_string(number) + " ──\n";
}

// False: they are not cells.
bool add_cells(const json::value* cells, std::string& text, std::size_t& number) {
  if (cells == nullptr || !cells->is_array()) return false;
  for (const json::value& cell : cells->get_array()) {
    const json::object* parts = cell.if_object();
    if (parts == nullptr) return false;
    const json::value* kind = parts->if_contains("cell_type");
    if (kind == nullptr || !kind->is_string()) return false;
    const json::value* source = parts->if_contains("source");
    if (source == nullptr) source = parts->if_contains("input");  // before format 4
    text += heading(kind->get_string(), ++number) + joined(source);
    if (!text.ends_with('\n')) text += '\n';
    text += '\n';
  }
  return true;
}

}  // namespace

std::optional<std::string> notebook_text(std::string_view bytes) {
  const ParsedJson parsed = parse_json(bytes);
  const json::object* notebook = parsed.value ? parsed.value->if_object() : nullptr;
  if (notebook == nullptr) return std::nullopt;
  std::string text;
  std::size_t number = 0;
  bool is_one = add_cells(notebook->if_contains("cells"), text, number);
  const json::value* sheets = notebook->if_contains("worksheets");
  if (!is_one && sheets != nullptr && sheets->is_array()) {
    for (const json::value& sheet : sheets->get_array()) {
      const json::object* parts = sheet.if_object();
      is_one = parts != nullptr && add_cells(parts->if_contains("cells"), text, number);
      if (!is_one) break;
    }
  }
  if (!is_one || number == 0) return std::nullopt;
  while (text.ends_with("\n\n")) text.pop_back();
  return text;
}

}  // namespace talaria::tool
