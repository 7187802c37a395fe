// Parses HTML as a browser does (with gumbo), and reports it element by element.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace talaria::web {

class HtmlElement {
 public:
  HtmlElement(std::string_view name, const void* element, bool is_layout)
      : name_(name), element_(element), is_layout_(is_layout) {}

  std::string_view name() const { return name_; }  // in lower case
  // Nothing if it has none of that name.
  std::optional<std::string_view> attribute(const char* name) const;
  // A table that arranges parts of a page instead of values.
  bool is_layout() const { return is_layout_; }

 private:
  std::string_view name_;
  const void* element_;
  bool is_layout_;
};

class HtmlVisitor {
 public:
  virtual ~HtmlVisitor() = default;
  // False: skip the element and its contents; leave() is not called for it.
  virtual bool enter(const HtmlElement& element) = 0;
  virtual void leave(std::string_view name) = 0;
  virtual void text(std::string_view text) = 0;
};

// `html` is UTF-8. An error if reading it would take too much time or memory.
Result<void> visit_html(std::string_view html, HtmlVisitor& visitor);

}  // namespace talaria::web
