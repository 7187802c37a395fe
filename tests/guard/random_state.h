// Harmless shell texts, made by chance from everything that may change a variable or not: what runs
// under a condition, in a shell of its own, in a function or in a loop.
#pragma once

#include <random>
#include <string>

namespace talaria::test {

class RandomState {
 public:
  explicit RandomState(unsigned seed) : random_(seed) {}

  // The only command in it that shows its words is `show`.
  std::string text() {
    std::string all =
        "FUNCNEST=40; v=one; w='two words'; a=(p q r); set -- x y z; g() { show g \"$@\"; }\n";
    for (int i = 0; i < 6; ++i) all += statement(2) + "\n" + look() + "\n";
    return all;
  }

 private:
  int pick(int count) { return std::uniform_int_distribution<int>(0, count - 1)(random_); }

  template <std::size_t n>
  std::string one_of(const char* const (&texts)[n]) {
    return texts[pick(n)];
  }

  std::string look() {
    static constexpr const char* kLooks[] = {
        "show \"$v\" \"$w\"",
        "show $v \"$#\" \"$@\"",
        "show \"$1\" \"${2:-none}\"",
        "show \"${v:+set}\" \"${u-unset}\"",
        "show \"${a[@]}\" \"${a[1]}\"",
        "show \"${a[@]:1:2}\" \"${@:2}\"",
        "g \"$v\"",
        "show \"${v:-d}\" \"${!n}\" ",
        "show ${v#o} $w",
    };
    return one_of(kLooks);
  }

  std::string value() {
    static constexpr const char* kValues[] = {"A",  "'B b'", "\"$v$v\"", "\"$w\"",        "$1",
                                              "''", "C:D",   "${v}e",    "$(echo \"$v\")"};
    return one_of(kValues);
  }

  std::string change() {
    switch (pick(18)) {
      case 0:
        return "v=" + value();
      case 1:
        return "w=" + value();
      case 2:
        return "set -- " + value() + " \"$@\"";
      case 3:
        return "shift";
      case 4:
        return "unset v";
      case 5:
        return "v+=" + value();
      case 6:
        return "a=(" + value() + " \"${a[@]}\")";
      case 7:
        return "a+=(" + value() + ")";
      case 8:
        return "g() { show G" + std::to_string(pick(9)) + " \"$@\"; }";
      case 9:
        return "u=" + value();
      case 10:
        return "n=v";
      case 11:
        return ": \"${u:=" + std::to_string(pick(9)) + "}\"";
      case 12:
        return "set -- " + value();
      case 13:
        return "export v=" + value();
      case 14:
        return "IFS=" + std::string(pick(2) == 0 ? ":" : "o") + "; show $v; unset IFS";
      case 15:
        return "eval 'v=" + std::to_string(pick(9)) + "'";
      case 16:
        return "shift " + std::to_string(pick(3));
      default:
        return "v=" + std::to_string(pick(99)) + " g \"$v\"";
    }
  }

  std::string condition() {
    static constexpr const char* kConditions[] = {
        "true",    "false",   ":",   "[[ a == b ]]", "[[ $v ]]",      "(( 1 ))",
        "(( 0 ))", "! false", "! :", "v=Q",          "test -n \"$u\""};
    return one_of(kConditions);
  }

  // A loop has its own, so that it ends.
  static std::string counter(int depth) { return "k" + std::to_string(depth); }

  std::string statement(int depth) {
    if (depth == 0 || pick(5) == 0) return change();
    const std::string inner = statement(depth - 1);
    const std::string other = statement(depth - 1);
    switch (pick(20)) {
      case 0:
        return condition() + " && " + change();
      case 1:
        return condition() + " || " + change();
      case 2:
        return condition() + " && " + change() + " || " + change();
      case 3:
        return "if " + condition() + "; then " + inner + "; fi";
      case 4:
        return "if " + condition() + "; then " + inner + "; else " + other + "; fi";
      case 5:
        return "if false; then " + inner + "; elif " + condition() + "; then " + other + "; fi";
      case 6:
        return "case $v in o*) " + inner + ";; *) " + other + ";; esac";
      case 7:
        return "case x in x) " + inner + ";& y) " + other + ";; esac";
      case 8:
        return "for i in 1 2 3; do " + inner + "; show $i \"$v\"; done";
      case 9:
        return "for v in $w; do " + inner + "; done";
      case 10:
        return counter(depth) + "=0; while [ $((" + counter(depth) + "++)) -lt " +
               std::to_string(pick(3)) + " ]; do " + look() + "; " + inner + "; done";
      case 11:
        return "( " + inner + "; " + look() + " )";
      case 12:
        return "{ " + inner + "; } | { " + other + "; " + look() + "; }";
      case 13:
        return "f() { local v=L; " + inner + "; " + look() + "; }; f " + value();
      case 14:
        return "f() { " + condition() + " && return; " + inner + "; }; f";
      case 15:
        return "for i in 1 2; do " + inner + "; " + condition() + " && break; " + other + "; done";
      case 16:
        return "for i in 1 2; do " + condition() + " && continue; " + inner + "; " + look() +
               "; done";
      case 17:
        return "f() { [ $# -gt 0 ] || return; show \"$1\" \"$v\"; " + change() +
               "; [ $((d++)) -lt 5 ] && f \"$@\"; }; d=0; f " + value() + " " + value();
      case 18:
        return "x=$(" + inner + "; " + look() + ")";
      default:
        return "{ " + inner + "; } && " + other;
    }
  }

  std::mt19937 random_;
};

}  // namespace talaria::test
