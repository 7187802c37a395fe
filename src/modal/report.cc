#include "modal/report.h"

#include <algorithm>

#include <boost/json/object.hpp>

#include "base/secret_mask.h"
#include "json/json_text.h"
#include "os/file.h"

namespace talaria {

void Report::keep_secret(std::string_view text) {
  const std::lock_guard lock(mutex_);
  const bool known =
      std::ranges::any_of(secrets_, [&](const Secret& one) { return one.view() == text; });
  if (!text.empty() && !known) secrets_.emplace_back(text);
}

void Report::progress(std::string_view text) {
  write_line(to_line(json::object{{"progress", text}}));
}

void Report::failure(const CallFailure& failure) { write_line(failure_line(failure)); }

// Whatever the service says, it is one line.
void Report::for_people(const CallFailure& failure) {
  std::string line = "talaria-modal: " + in_words(failure);
  std::ranges::replace(line, '\n', ' ');
  write_line(std::move(line));
}

void Report::write_line(std::string line) {
  const std::lock_guard lock(mutex_);
  for (const Secret& secret : secrets_) line = without_secret(secret, line);
  // Who does not listen does not want to know.
  (void)write_all(fd_, line + "\n");
}

}  // namespace talaria
