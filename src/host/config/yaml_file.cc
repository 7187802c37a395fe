#include "host/config/yaml_file.h"

#include <libfyaml.h>

#include <charconv>
#include <memory>
#include <optional>
#include <system_error>

#include <boost/json/serialize.hpp>

#include "base/text.h"
#include "host/config/setting_table.h"

namespace talaria::host {
namespace {

// How deep keys of settings go, and how much one value may hold: anchors can make a small file
// huge.
constexpr int kMaxKeyDepth = 4;
constexpr int kMaxValueDepth = 8;
constexpr int kMaxValueNodes = 10'000;

struct Free {
  void operator()(fy_document* document) const { fy_document_destroy(document); }
  void operator()(fy_diag* diagnostics) const { fy_diag_destroy(diagnostics); }
};

std::string_view scalar_text(fy_node* node) {
  std::size_t size = 0;
  const char* text = fy_node_get_scalar(node, &size);
  return text ? std::string_view(text, size) : std::string_view();
}

// Counted from 1; 0 if not known.
int line_of(fy_node* scalar) {
  fy_token* token = fy_node_get_scalar_token(scalar);
  const fy_mark* mark = token ? fy_token_start_mark(token) : nullptr;
  return mark ? mark->line + 1 : 0;
}

fy_node* without_alias(fy_node* node) {
  return node && fy_node_is_alias(node) ? fy_node_resolve_alias(node) : node;
}

bool is_null(fy_node* node) {
  if (!node || fy_node_is_null(node)) return true;
  if (!fy_node_is_scalar(node) || fy_node_get_style(node) != FYNS_PLAIN) return false;
  const std::string word = lower_case(scalar_text(node));
  return word.empty() || word == "~" || word == "null";
}

template <class Number>
std::optional<Number> as(std::string_view text) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

json::value scalar_value(fy_node* node) {
  const std::string_view text = scalar_text(node);
  if (fy_node_get_style(node) != FYNS_PLAIN) return json::string(text);
  if (is_null(node)) return nullptr;
  const std::string word = lower_case(text);
  if (word == "true") return true;
  if (word == "false") return false;
  if (const auto integer = as<std::int64_t>(text)) return *integer;
  // Not "nan" and "inf": JSON has no such numbers.
  const bool digits = text.find_first_of("0123456789") != std::string_view::npos;
  if (const auto number = digits ? as<double>(text) : std::nullopt) return *number;
  return json::string(text);
}

// A bare yes, no, on or off is a truth in YAML 1.1, which is what agents read this file as: where
// one of several choices is expected, `off` is not the same as "off".
std::string choice_text(fy_node* node) {
  const std::string_view text = scalar_text(node);
  const std::string word = lower_case(text);
  if (fy_node_get_style(node) != FYNS_PLAIN) return std::string(text);
  if (word == "off" || word == "no") return "false";
  return word == "on" || word == "yes" ? "true" : std::string(text);
}

// A list or a mapping, whole. Nothing if it is too much.
class ValueReader {
 public:
  std::optional<json::value> read(fy_node* node, int depth = 0) {
    node = without_alias(node);
    if (++nodes_ > kMaxValueNodes || depth > kMaxValueDepth) return std::nullopt;
    if (!node) return json::value(nullptr);
    if (fy_node_is_sequence(node)) return read_list(node, depth);
    if (fy_node_is_mapping(node)) return read_mapping(node, depth);
    return scalar_value(node);
  }

 private:
  std::optional<json::value> read_list(fy_node* node, int depth) {
    json::array list;
    void* place = nullptr;
    while (fy_node* item = fy_node_sequence_iterate(node, &place)) {
      auto value = read(item, depth + 1);
      if (!value) return std::nullopt;
      list.push_back(std::move(*value));
    }
    return list;
  }

  std::optional<json::value> read_mapping(fy_node* node, int depth) {
    json::object object;
    void* place = nullptr;
    while (fy_node_pair* pair = fy_node_mapping_iterate(node, &place)) {
      auto value = read(fy_node_pair_value(pair), depth + 1);
      if (!value) return std::nullopt;
      object[scalar_text(fy_node_pair_key(pair))] = std::move(*value);
    }
    return object;
  }

  int nodes_ = 0;
};

Error unreadable(const std::string& path, int line, std::string_view reason) {
  return Error(ErrorKind::bad_request, path + (line > 0 ? ", line " + std::to_string(line) : "") +
                                           ": " + sanitize_utf8(reason) +
                                           ". Fix the file or move it away.");
}

// Walks the keys of a document and sorts them into ours and others.
class KeyWalk {
 public:
  KeyWalk(const std::string& path, YamlFile& file) : path_(path), file_(file) {}

  Result<void> walk(fy_node* mapping, const std::string& prefix, int depth) {
    void* place = nullptr;
    while (fy_node_pair* pair = fy_node_mapping_iterate(mapping, &place)) {
      fy_node* key = fy_node_pair_key(pair);
      if (!key || !fy_node_is_scalar(key)) continue;
      YamlEntry entry{.key = prefix + sanitize_utf8(scalar_text(key)), .line = line_of(key)};
      fy_node* value = without_alias(fy_node_pair_value(pair));
      if (Result<void> taken = take(std::move(entry), value, depth); !taken) return taken;
    }
    return {};
  }

 private:
  Result<void> take(YamlEntry entry, fy_node* value, int depth) {
    const Setting* setting = find_key(entry.key);
    if (!setting) {
      if (value && fy_node_is_mapping(value) && depth < kMaxKeyDepth) {
        return walk(value, entry.key + ".", depth + 1);
      }
      if (!is_null(value)) entry.value.text = fy_node_is_scalar(value) ? scalar_text(value) : "[]";
      file_.others.push_back(std::move(entry));
      return {};
    }
    if (is_null(value)) return {};
    entry.value.structured = !fy_node_is_scalar(value);
    if (entry.value.structured) {
      const auto read = ValueReader().read(value);
      if (!read) return fail(unreadable(path_, entry.line, entry.key + " is too large"));
      entry.value.text = json::serialize(*read);
    } else if (setting->type == SettingType::choice) {
      entry.value.text = choice_text(value);
    } else {
      entry.value.text = scalar_text(value);
    }
    file_.entries.push_back(std::move(entry));
    return {};
  }

  const std::string& path_;
  YamlFile& file_;
};

Error parse_error(fy_diag* diagnostics, const std::string& path) {
  void* place = nullptr;
  const fy_diag_error* first = fy_diag_errors_iterate(diagnostics, &place);
  // It has several texts about this, one with a typing error.
  const std::string_view text = first->msg;
  const bool is_tab =
      text.contains("tab") && (text.contains("indentation") || text.contains("indendation"));
  return unreadable(
      path, first->line,
      "invalid YAML: " + (is_tab ? "a tab is used for indentation" : std::string(text)));
}

bool found_errors(fy_diag* diagnostics) {
  void* place = nullptr;
  return fy_diag_errors_iterate(diagnostics, &place) != nullptr;
}

}  // namespace

const YamlEntry* YamlFile::find(std::string_view key) const {
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
    if (entry->key == key) return &*entry;
  }
  return nullptr;
}

Result<YamlFile> parse_yaml_file(std::string_view text, const std::string& path) {
  if (!is_valid_utf8(text)) return fail(unreadable(path, 0, "not UTF-8"));

  fy_diag_cfg quiet;
  fy_diag_cfg_default(&quiet);
  quiet.fp = nullptr;  // collected, not printed
  const std::unique_ptr<fy_diag, Free> diagnostics(fy_diag_create(&quiet));
  fy_diag_set_collect_errors(diagnostics.get(), true);
  fy_parse_cfg how{};
  how.flags = static_cast<fy_parse_cfg_flags>(FYPCF_QUIET | FYPCF_ALLOW_DUPLICATE_KEYS);
  how.diag = diagnostics.get();
  const std::unique_ptr<fy_document, Free> document(
      fy_document_build_from_string(&how, text.data(), text.size()));

  YamlFile file;
  if (!document) {  // also of an empty file, which is not an error
    if (found_errors(diagnostics.get())) return fail(parse_error(diagnostics.get(), path));
    return file;
  }
  fy_node* root = fy_document_root(document.get());
  if (is_null(root)) return file;
  if (!fy_node_is_mapping(root)) {
    return fail(unreadable(path, 1, "not a mapping of keys to values"));
  }
  if (const auto walked = KeyWalk(path, file).walk(root, "", 1); !walked) {
    return fail(walked.error());
  }
  return file;
}

}  // namespace talaria::host
