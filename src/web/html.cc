#include "web/html.h"

#include <gumbo.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csetjmp>
#include <cstddef>
#include <memory>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/text.h"
#include "web/limits.h"

namespace talaria::web {
namespace {

// How long this thread has been at work: a busy machine does not make a page complicated.
std::chrono::nanoseconds thread_time() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

// Budget: all the memory gumbo gets, given back in one piece. Half a megabyte of nested elements
// keeps gumbo busy for half a minute (every one looks through those around it), and freeing a deep
// tree overflows its stack. So nothing is ever freed by gumbo, and when memory or time are used up
// we jump out of it: it is C and has nothing to clean up but its memory.
class Budget {
 public:
  std::jmp_buf& way_out() { return way_out_; }

  void* allocate(std::size_t size) {
    size = (size + kAlignment - 1) / kAlignment * kAlignment;
    const bool late = ++allocations_ % kLookEvery == 0 && thread_time() > until_;
    used_ += size;
    if (late || used_ > kMaxHtmlMemory) std::longjmp(way_out_, 1);
    if (size > kBlockBytes / 4) {
      large_.push_back(std::make_unique_for_overwrite<std::byte[]>(size));
      return large_.back().get();
    }
    if (size > left_) {
      blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(kBlockBytes));
      place_ = blocks_.back().get();
      left_ = kBlockBytes;
    }
    left_ -= size;
    return std::exchange(place_, place_ + size);
  }

 private:
  static constexpr std::size_t kAlignment = alignof(std::max_align_t);
  static constexpr std::size_t kBlockBytes = 256u << 10;
  static constexpr int kLookEvery = 64;

  std::jmp_buf way_out_{};
  std::chrono::nanoseconds until_ = thread_time() + kMaxHtmlTime;
  int allocations_ = 0;
  std::size_t used_ = 0;
  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  std::vector<std::unique_ptr<std::byte[]>> large_;
  std::byte* place_ = nullptr;
  std::size_t left_ = 0;
};

void* allocate(void* budget, std::size_t size) {
  return static_cast<Budget*>(budget)->allocate(size);
}

void keep(void*, void*) {}

// Null if the budget did not suffice. Nothing with a destructor may stand in this function.
const GumboNode* parse(std::string_view html, Budget& budget) {
  GumboOptions options = kGumboDefaultOptions;
  options.allocator = allocate;
  options.deallocator = keep;
  options.userdata = &budget;
  options.max_errors = 0;
  if (setjmp(budget.way_out()) != 0) return nullptr;
  return gumbo_parse_with_options(&options, html.data(), html.size())->document;
}

bool is_element(const GumboNode* node) {
  return node->type == GUMBO_NODE_ELEMENT || node->type == GUMBO_NODE_TEMPLATE;
}

const GumboVector* children_of(const GumboNode* node) {
  if (node->type == GUMBO_NODE_DOCUMENT) return &node->v.document.children;
  return is_element(node) ? &node->v.element.children : nullptr;
}

// One element on the way down, and which of its children is next.
struct Step {
  const GumboNode* node;
  unsigned next = 0;
};

const GumboNode* next_child(Step& step) {
  const GumboVector* children = children_of(step.node);
  if (!children || step.next >= children->length) return nullptr;
  return static_cast<const GumboNode*>(children->data[step.next++]);
}

// What stands in no table of values: a table that has it only arranges the page.
bool is_large_part(GumboTag tag) {
  constexpr auto kParts = std::to_array<GumboTag>(
      {GUMBO_TAG_TABLE, GUMBO_TAG_H1, GUMBO_TAG_H2, GUMBO_TAG_H3, GUMBO_TAG_H4, GUMBO_TAG_H5,
       GUMBO_TAG_H6, GUMBO_TAG_PRE, GUMBO_TAG_ARTICLE, GUMBO_TAG_SECTION, GUMBO_TAG_MAIN});
  return std::ranges::find(kParts, tag) != kParts.end();
}

std::unordered_set<const GumboNode*> layout_tables(const GumboNode* document) {
  std::unordered_set<const GumboNode*> found;
  std::vector<const GumboNode*> tables;
  std::vector<Step> way{{document}};
  while (!way.empty()) {
    const GumboNode* child = next_child(way.back());
    if (!child) {
      if (!tables.empty() && tables.back() == way.back().node) tables.pop_back();
      way.pop_back();
      continue;
    }
    if (!is_element(child)) continue;
    const GumboTag tag = child->v.element.tag;
    if (!tables.empty() && is_large_part(tag)) found.insert(tables.back());
    if (tag == GUMBO_TAG_TABLE) tables.push_back(child);
    way.push_back({child});
  }
  return found;
}

// Empty for an unknown element: only its contents are used.
std::string_view name_of(const GumboNode* node) {
  return gumbo_normalized_tagname(node->v.element.tag);
}

bool is_text(const GumboNode* node) {
  return node->type == GUMBO_NODE_TEXT || node->type == GUMBO_NODE_WHITESPACE ||
         node->type == GUMBO_NODE_CDATA;
}

}  // namespace

std::optional<std::string_view> HtmlElement::attribute(const char* name) const {
  const auto* element = static_cast<const GumboElement*>(element_);
  const GumboAttribute* found = gumbo_get_attribute(&element->attributes, name);
  if (!found) return std::nullopt;
  return found->value;
}

Result<void> visit_html(std::string_view html, HtmlVisitor& visitor) {
  Budget budget;
  const GumboNode* document = parse(html, budget);
  if (!document) return fail(ErrorKind::unavailable, "the page is too complicated to read");
  const auto layout = layout_tables(document);
  std::vector<Step> way{{document}};
  while (!way.empty()) {
    const GumboNode* child = next_child(way.back());
    if (!child) {
      if (is_element(way.back().node)) visitor.leave(name_of(way.back().node));
      way.pop_back();
    } else if (is_text(child)) {
      visitor.text(child->v.text.text);
    } else if (is_element(child)) {
      const HtmlElement element(name_of(child), &child->v.element, layout.contains(child));
      if (visitor.enter(element)) way.push_back({child});
    }
  }
  return {};
}

}  // namespace talaria::web
