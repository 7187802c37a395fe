// Words for bash: quoting a string so that bash reads back exactly its bytes.
#pragma once

#include <string>
#include <string_view>

namespace talaria::shell {

// Always in single quotes. `text` must not contain NUL (bash has no such string).
std::string single_quote(std::string_view text);

// The POSIX rule people expect to see: bare when nothing in `text` is special, else single quotes.
std::string shell_quote(std::string_view text);

// A umask as shells write it: 0022.
std::string octal(int mask);

// NAME as bash allows it for variables: a letter or underscore, then letters, digits, underscores.
bool is_variable_name(std::string_view name);

}  // namespace talaria::shell
