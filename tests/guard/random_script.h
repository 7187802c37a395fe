// Harmless shell texts, made by chance from everything that changes what words a command gets.
#pragma once

#include <random>
#include <string>

namespace talaria::test {

class RandomScript {
 public:
  explicit RandomScript(unsigned seed) : random_(seed) {}

  // A few statements. The only command in them is `show`.
  std::string text() {
    std::string all = "v=abc; w='d e'; e=; a=(x 'y z'); set -- p 'q r'\n";
    for (int i = 0; i < 3; ++i) all += statement(3) + "\n";
    return all;
  }

 private:
  int pick(int count) { return std::uniform_int_distribution<int>(0, count - 1)(random_); }

  std::string letters() {
    static constexpr const char* kTexts[] = {"a", "bc", "x1", "-f", "/t", "k=v", "9", "_", "Z.z"};
    return kTexts[pick(std::size(kTexts))];
  }

  std::string piece(int depth) {
    switch (pick(24)) {
      case 0:
        return "'" + letters() + " $v'";
      case 1:
        return "\"" + letters() + " $v\"";
      case 2:
        return "\"$w\"";
      case 3:
        return "$v";
      case 4:
        return "${v}";
      case 5:
        return "$w";
      case 6:
        return "${e:-" + letters() + "}";
      case 7:
        return "${v:+" + letters() + "}";
      case 8:
        return "${v#a}";
      case 9:
        return "\"${w%e}\"";
      case 10:
        return "$'\\x41\\tb\\''";
      case 11:
        return "\\ \\$\\\"";
      case 12:
        return "$e";
      case 13:
        return "\"$e\"";
      case 14:
        return "\"$@\"";
      case 15:
        return "\"${a[@]}\"";
      case 16:
        return "${a[1]}";
      case 17:
        return "{" + letters() + "," + letters() + "}";
      case 18:
        return "{1..3}";
      case 19:
        return depth > 0 ? "$(echo " + word(depth - 1) + ")" : "$1";
      case 20:
        return depth > 0 ? "\"$(printf %s " + letters() + ")\"" : "\"$2\"";
      case 21:
        return "`echo " + letters() + "`";
      case 22:
        return "${w^^}\\\n";
      default:
        return letters();
    }
  }

  std::string word(int depth) {
    std::string all = letters();
    for (int i = pick(3); i > 0; --i) all += piece(depth);
    return pick(4) == 0 ? piece(depth) : all;
  }

  std::string simple(int depth) {
    static constexpr const char* kNames[] = {"show",     "sh\\ow", "'show'",       "s\"how\"",
                                             "$s",       "${s}",   "$(echo show)", "sh$e''ow",
                                             "s\\\nhow", "\\show"};
    std::string all = pick(5) == 0 ? "n=" + word(0) + " " : "";
    all += "s=show; ";
    all += kNames[pick(std::size(kNames))];
    for (int i = pick(4); i > 0; --i) all += " " + word(depth);
    return all;
  }

  std::string statement(int depth) {
    if (depth == 0) return simple(1);
    const std::string inner = statement(depth - 1);
    switch (pick(16)) {
      case 0:
        return "if :; then " + inner + "; fi";
      case 1:
        return "for i in " + word(0) + " " + word(0) + "; do " + simple(0) + " $i; done";
      case 2:
        return "{ " + inner + "; }";
      case 3:
        return "( " + inner + " )";
      case 4:
        return "case " + letters() + " in *) " + inner + ";; esac";
      case 5:
        return "f() { " + simple(0) + " \"$@\"; }; f " + word(0);
      case 6:
        return "eval 'show " + letters() + " $v'";
      case 7:
        return inner + " && " + simple(0);
      case 8:
        return "v=" + word(1) + "; " + inner;
      case 9:
        return "! " + inner;
      case 10:
        return "while " + inner + "; do break; done";
      case 11:
        return "x=$(" + inner + ")";
      case 12:
        return "IFS=c; show $v; unset IFS; " + inner;
      case 13:
        return ": <<E\n$(" + simple(0) + ") text ' \"\nE\n" + inner;
      case 14:
        return "( eval \"" + std::string("show \\\"$w\\\" ") + letters() + "\" )";
      default:
        return simple(depth);
    }
  }

  std::mt19937 random_;
};

}  // namespace talaria::test
