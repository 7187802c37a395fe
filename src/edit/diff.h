// unified_diff(): what changed in a text, as `diff -u` writes it and `patch` reads it. Exact: a
// line that ends in CRLF shows its CR, and one without an end says so.
//
// Written here because Debian has no small C or C++ library for it: libxdiff is not packaged, and
// those that are (in libgit2, in libkomparediff2) bring a version control system or Qt with them.
#pragma once

#include <string>
#include <string_view>

namespace talaria::edit {

// Names are written as given ("a/x", "/dev/null"). Empty if the texts are the same.
//
// Lines that occur once in both texts anchor the diff, and between anchors it is the smallest one,
// as long as finding that costs at most kMaxDiffSteps; what is not compared by then is shown as
// replaced in one piece.
std::string unified_diff(std::string_view before, std::string_view after,
                         std::string_view before_name, std::string_view after_name);

}  // namespace talaria::edit
