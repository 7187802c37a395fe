// Parts of messages for people: lists, counts, sentences.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace talaria {

// Of words between spaces: "local docker podman".
bool has_word(std::string_view words, std::string_view word);
// "local, docker, podman".
std::string listed_words(std::string_view words);

// "1 command", "2 commands", "2 sandboxes".
std::string counted(std::size_t count, std::string_view one, std::string_view many = "");

// With a full stop at its end, unless it ends as a sentence does.
std::string as_sentence(std::string_view text);

}  // namespace talaria
