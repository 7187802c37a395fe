// Secret: a text that is overwritten before its memory is given back, such as a password. It is
// never part of a message, a log or a file; code that needs its bytes calls view().
#pragma once

#include <cstring>
#include <string>
#include <string_view>
#include <utility>

namespace talaria {

// What a string held, gone from its memory.
inline void wipe(std::string& text) {
  ::explicit_bzero(text.data(), text.capacity());
  text.clear();
}

class Secret {
 public:
  Secret() = default;
  explicit Secret(std::string_view text) { assign(text); }
  Secret(const Secret& other) { assign(other.view()); }
  Secret(Secret&& other) noexcept { take(other); }
  Secret& operator=(const Secret& other) {
    if (this != &other) assign(other.view());
    return *this;
  }
  Secret& operator=(Secret&& other) noexcept {
    if (this != &other) take(other);
    return *this;
  }
  ~Secret() { wipe(text_); }

  std::string_view view() const { return text_; }
  bool empty() const { return text_.empty(); }
  void clear() { wipe(text_); }

 private:
  // Never grows in place: that would leave a copy behind.
  void assign(std::string_view text) {
    wipe(text_);
    if (text.size() > text_.capacity()) text_ = std::string(text.size(), '\0');
    text_.assign(text);
  }
  // A short string moves by copying its bytes.
  void take(Secret& other) {
    wipe(text_);
    text_ = std::move(other.text_);
    wipe(other.text_);
  }

  std::string text_;
};

}  // namespace talaria
