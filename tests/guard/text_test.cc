// Texts in texts, held against bash: whatever it runs, the guard saw or asks about.
#include <algorithm>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "guard/bash.h"
#include "policy/guard/guard.h"

namespace talaria::test {
namespace {

// `show` stands for what must not stay unseen.
void expect_seen(const std::vector<std::string>& texts) {
  const ThrowAwayDirectory directory;
  for (const std::string& text : texts) {
    SCOPED_TRACE(text);
    const auto ran = words_bash_ran(directory, text, "/usr/bin:/bin");
    EXPECT_FALSE(ran.empty()) << "a text that runs nothing tests nothing";
    const guard::Judgement judgement = guard::judge(text, {.home = "/home/alice"});
    if (judgement.answer != guard::Answer::allow) continue;
    for (const std::vector<std::string>& words : ran) {
      const auto is_same = [&](const std::vector<std::string>& one) {
        return one == words || (one.size() == words.size() && one.front().starts_with("…") &&
                                std::equal(one.begin() + 1, one.end(), words.begin() + 1));
      };
      EXPECT_TRUE(std::ranges::any_of(judgement.commands, is_same)) << words.back();
    }
  }
}

TEST(GuardTextTest, HereDocumentsEndWhereBashEndsThem) {
  expect_seen({
      "cat <<$'E'\nx\nE\nshow 1",
      "cat <<$\"E\"\nx\nE\nshow 2",
      "cat <<\"A\\\"\"\nx\nA\"\nshow 3",
      "cat <<E\nfoo\nE\\\n\nshow 4\nE\n",
      "cat <<E$'\\t'F\nx\nE\tF\nshow 5",
      "cat <<$'E\\x46'\nx\nEF\nshow 6",
      "cat <<E\\\nF\n$(show 7)\nEF",
      "cat <<-E\n\tx\n\tE\\\n\nshow 8",
      "cat <<-$'\\tE'\n\tx\n\tE\nshow 9\n",
      "cat <<E\nx\n\\\nE\nshow 10",
      "cat <<E\nx\\\\\nE\nshow 11",
      "cat <<'E'\nx\\\nE\nshow 12",
      "cat <<$'\\x{45}'\nx\nE\nshow 13",
      "cat <<A <<'B' <<-C\na\nA\n$(show no)\nB\n\tc\n\tC\nshow 14",
      "x=`cat <<$'A'\na\nA\n`; show 15",
      "x=$(cat <<\"A\\\"\"\n)\nA\"\n); show 16",
      "cat <<A \"x\ny\"\na\nA\nshow 17",
      "cat <<A $(cat <<B\nb\nB\n)\na\nA\nshow 18",
      "cat <<'A'\"B\"$'C'\nx\nABC\nshow 19",
      "cat <<\"A\\\nB\"\nx\nAB\nshow 20",
      "cat <<${x:-'a'}\nx\n${x:-'a'}\nshow 21",
      "cat <<E\nx\nE\\\nshow no\nE\nshow 22",
  });
}

TEST(GuardTextTest, WordsInFrontOfACommandAreNotItsName) {
  expect_seen({
      "time -- show 23",
      "time -p -- show 24",
      "! time -- show 25",
      "$'\\x{73}how' 26",
      "$'sho\\x{77}' 27",
  });
}

TEST(GuardTextTest, OnlyTheLastStageOfAPipelinePrints) {
  expect_seen({
      "$(echo wohs | rev) 1",
      "$(echo c2hvdw== | base64 -d) 2",
      "$(< <(echo show)) 3",
      "$(echo ls | :; echo show) 4",
      "$(echo fubj | tr a-z n-za-m) 5",
      "$(echo SHOW | tr '[:upper:]' '[:lower:]') 6",
      "$(echo xshow | cut -c2-) 7",
      "$(echo xshow | sed s/x//) 8",
      "$(printf %s show | cat | tee f) 9",
      "x=`echo wohs | rev`; $x 10",
      "eval \"$(echo '11 wohs' | rev)\"",
      "echo '21 wohs' | rev | bash",
      "$(rev /dev/null <<< l)show 13",
      "$(cat /dev/null <<< l)show 14",
  });
}

TEST(GuardTextTest, WhatIsLedElsewhereIsNotPrinted) {
  expect_seen({
      "$({ echo ls; } >/dev/null; echo show) 1",
      "$(if :; then echo ls; fi >/dev/null; echo show) 2",
      "$(echo show >&1) 3",
      "$(echo show >/dev/stdout) 4",
      "$({ echo show >&3; } 3>&1) 5",
      "$({ echo show >&2; } 2>&1) 6",
      "$({ echo show >&2; } |& cat) 7",
      "$(exec 3>&1; echo show >&3) 8",
      "$(exec >&2; echo l)show 9",
      "$(f() { echo l; }; f >/dev/null; echo show) 10",
      "$(echo show 2>&1 >&2) 11",
      "$(coproc echo l)show 12",
  });
}

TEST(GuardTextTest, WhatMayNotRunMayNotPrint) {
  expect_seen({
      "$([[ a = b ]] && echo l)show 1",
      "$( ((0)) && echo l)show 2",
      "$(true || echo l)show 3",
      "$(which no-such-program)show 4",
      "$(which no-such-program) show 5",
      "$(which no-such-program; echo show) 6",
      "$(command -v no-such-program || echo show) 7",
      "$(false && echo l || echo show) 8",
      "$(case a in b) echo l;; esac)show 9",
      "$(exit; echo l)show 10",
      "$(echo -e 'show\\cfoo') 11",
      "$(f() { echo show; }; f) 12",
      "show 14; echo ${00} ${01}",
      "shopt -s xpg_echo; $(echo '\\x73how') 13",
  });
}

TEST(GuardTextTest, WhatArithmeticEvaluatesMayRunCommands) {
  expect_seen({
      "x='a[$(show 1)]'; echo $((x))",
      "x='a[$(show 1)]'; (( x ))",
      "x='a[$(show 1)]'; [[ $x -eq 1 ]]",
      "x='a[$(show 1)]'; [[ x -eq 1 ]]",
      "x='a[$(show 1)]'; test -v \"$x\"",
      "x='a[$(show 1)]'; [ -v \"$x\" ]",
      "x='a[$(show 1)]'; [[ -v $x ]]",
      "x='a[$(show 1)]'; foo=abc; echo ${foo:x:1}",
      "x='a[$(show 1)]'; arr=(1 2); echo ${arr[x]}",
      "x='a[$(show 1)]'; arr=(1 2); echo ${#arr[x]}",
      "x='a[$(show 1)]'; arr[x]=1",
      "x='a[$(show 1)]'; q=([x]=1)",
      "x='a[$(show 1)]'; declare -i n; n=x",
      "x='a[$(show 1)]'; declare -i n=x",
      "x='a[$(show 1)]'; let y=x",
      "x='a[$(show 1)]'; echo $[x]",
      "x='a[$(show 1)]'; echo ${!x}",
      "x='a[$(show 1)]'; for ((i=x;i<1;i++)); do :; done",
      "x='a[$(show 1)]'; printf -v \"$x\" y",
      "x='a[$(show 1)]'; read \"$x\" <<< y",
      "x='a[$(show 1)]'; a=(1); unset \"$x\"",
      "x='a[$(show 1)]'; declare \"$x=1\"",
      "x='a[$(show 1)]'; sleep 0 & wait -n -p \"$x\"",
      "x='a[$(show 1)]'; y=x; z=y; echo $((z))",
      "x='a[$(show 1)]'; declare -n r=x; echo $((r))",
      "x='a[$(show 1)]'; RANDOM=x",
      "x='a[$(show 1)]'; set -- a b; echo ${@:x}",
      "x='a[$(show 1)]'; f() { echo $(($1)); }; f \"$x\"",
      "x='a[$(show 1)]'; for y in 1 \"$x\"; do ((y)); done",
      "x='a[$(show 1)]'; declare -i n; for n in \"$x\"; do :; done",
      "x='a[$(show 1)]'; declare -i n; read n <<< \"$x\"",
      "x='a[$(show 1)]'; declare -a y=\"($x)\"",
      "x='a[$(show 1)]'; cat <<E\n$((x))\nE",
  });
}

TEST(GuardTextTest, TrapsRunWithWhatThereIsWhenTheyRun) {
  expect_seen({
      "trap -- 'show 1' EXIT",
      "trap -- 'show 2' 0",
      "x=:; trap '$x 3' EXIT; x=show",
      "x=:; f() { $x 4; }; trap f EXIT; x=show",
      "trap f EXIT; f() { show 5; }",
      "(x=:; trap '$x 6' EXIT; x=show)",
      "x=:; trap '$x 7' EXIT; x=show; exit; x=:",
      "x=:; trap '$x 8' DEBUG; x=show; :; x=:",
      "if :; then trap f EXIT; fi; f() { show 9; }",
      "g() { trap f EXIT; }; g; f() { show 10; }",
      "x='show 11'; trap \"$x\" EXIT",
      "trap 'show 12' ERR; false",
      "command trap -- 'show 13' EXIT",
  });
}

TEST(GuardTextTest, PromptsAreExpanded) {
  expect_seen({
      "PS4='$(show 1)'; set -x; :",
      "export PS4='$(show 2)'; set -o xtrace; :",
      "PS4+='$(show 3)'; set -x; :",
      "printf -v PS4 %s '$(show 4)'; set -x; :",
      "for PS4 in '$(show 5)'; do set -x; :; done",
      "x='$(show 6)'; : \"${x@P}\"",
      "x='\\044(show 7)'; y=${x@P}",
      "read x <<< '$(show 8)'; : \"${x@P}\"",
      "BASH_ENV='$(show 9)' bash -c :",
  });
}

TEST(GuardTextTest, BuiltinsRunWhatTheyAreGiven) {
  expect_seen({
      "mapfile -C 'show 1;:' -c 1 a <<< x",
      "f() { show 2; }; readarray -c1 -C f a <<< x",
      "compgen -C 'show 3;:' x",
      "compgen -W '$(show 4)' x",
      "f() { show 5; }; compgen -F f x",
      "command_not_found_handle() { show 6; }; no-such-command",
      "shopt -s expand_aliases; BASH_ALIASES[foo]='show 8'\nfoo",
      "jobs -x show 9",
      "eval \":\n$(pyenv init -)\nshow 10\"",
      "coproc NAME { show 11; }; wait",
      "builtin eval 'show 12'",
  });
}

TEST(GuardTextTest, ShellsReadDescriptors) {
  expect_seen({
      "bash /dev/fd/0 <<< 'show 1'",
      "bash /dev/fd/3 3<<< 'show 2'",
      ". /dev/fd/3 3<<< 'show 3'",
      "exec 3<<< 'show 4'; bash <&3",
      "exec <<< 'show 5'; bash",
      "exec <<< 'show 6'; . /dev/stdin",
      "{ exec <<< 'show 7'; } 2>/dev/null; bash",
      "f() { exec <<< 'show 8'; }; f; bash",
      "eval 'exec <<< \"show 9\"'; bash",
      "coproc { echo 'show 10'; }; bash <&${COPROC[0]}",
      "echo 'show 11' | bash 3<<< ls",
      "{ bash <&3; } 3<<< 'show 12'",
      "exec {fd}<<< 'show 13'; bash <&$fd",
      "exec 4<<< 'show 14'; exec 5<&4; . /dev/fd/5",
      "source -- <(echo 'show 15')",
      "bash <(echo 'show 16') <(echo ls)",
      "bash --rcfile <(echo 'show 17') -i",
  });
}

TEST(GuardTextTest, PipelinesInTextsThatOthersRun) {
  expect_seen({
      "eval \"echo 'show 1' | bash\"",
      "bash -c \"echo 'show 2' | bash\"",
      "env bash -c \"echo 'show 3' | cat | bash\"",
      "eval \"eval \\\"echo show 4 | bash\\\"\"",
      "f() { echo 'show 5' | bash; }; eval f",
      "eval 'f() { echo show 6; }; f > x.sh; bash x.sh'",
      "eval '{ echo show 7; } > x.sh; bash x.sh'",
      "eval \"x=\\$(echo show 8 | cat); \\$x\"",
  });
}

TEST(GuardTextTest, ScriptsThatTheTextWrites) {
  expect_seen({
      "echo 'show 1' > x.sh; sh -c :; bash x.sh",
      "echo 'show 2' > x.sh; . ./x.sh",
      "echo 'show 3' > x.sh; bash < x.sh",
      "cat > x <<E\nshow 4\nE\nsource x",
      "printf '%s\\n' 'show 5' | tee x; . ./x",
      "{ echo :; echo 'show 6'; } > x.sh; bash x.sh",
      "echo : > x.sh; echo 'show 7' >> x.sh; bash x.sh",
      "echo 'show 8' > x.sh; mv x.sh y.sh; bash y.sh",
      "mkdir d; echo 'show 9' > d/q.sh; cd d; bash q.sh; cd ..; rm d/q.sh; rmdir d",
      "f=$(mktemp -p .); echo 'show 10' > $f; . $f",
      "f() { echo 'show 11'; }; f > x.sh; bash x.sh",
      "echo 'show 12' > x.sh; ((0)) && echo ls > x.sh; bash x.sh",
      "sed s/x/show/ <<< 'x 13' > x.sh; bash x.sh",
      "exec > x.sh; echo 'show 14'; exec > o; bash x.sh",
      "trap '. ./x.sh' EXIT; echo 'show 15' > x.sh",
      "echo 'show 16' > x.sh; timeout 5 bash x.sh",
  });
}

std::string random_printing(std::mt19937& random) {
  static constexpr const char* kPieces[] = {
      "a",    "Z",           " ",      "\\n",   "\\t",  "\\\\", "\\c", "\\x41",
      "\\x4", "\\xg",        "\\0101", "\\101", "\\0",  "\\18", "\\8", "\\u0041",
      "\\u",  "\\U00000042", "\\e",    "\\q",   "\\\"", "\\?",  "%%"};
  static constexpr const char* kBegins[] = {
      "echo",      "echo -e",      "echo -n",   "echo -ne",  "echo -e -E",    "printf",
      "printf --", "printf '%s,'", "printf %b", "printf %c", "printf '%s%b'", "printf '%d|'"};
  const auto pick = [&](std::size_t count) {
    return std::uniform_int_distribution<std::size_t>(0, count - 1)(random);
  };
  std::string all = kBegins[pick(std::size(kBegins))];
  for (std::size_t words = 1 + pick(3); words > 0; --words) {
    all += " '";
    for (std::size_t pieces = pick(4); pieces > 0; --pieces) {
      all += kPieces[pick(std::size(kPieces))];
    }
    all += pick(6) == 0 ? "12'" : "'";
  }
  return all;
}

TEST(GuardTextTest, EchoAndPrintfPrintWhatTheirWordsSay) {
  const ThrowAwayDirectory directory;
  std::mt19937 random(7);
  std::string text;
  for (int i = 0; i < 400; ++i) {
    text += "show " + std::to_string(i) + " \"$(" + random_printing(random) + ")\"\n";
  }
  const auto ran = words_bash_ran(directory, text);
  const guard::Judgement judgement = guard::judge(text, {.home = "/home/alice"});
  std::vector<std::vector<std::string>> seen;
  std::ranges::copy_if(judgement.commands, std::back_inserter(seen),
                       [](const std::vector<std::string>& words) { return words[0] == "show"; });
  ASSERT_EQ(ran.size(), 400u);
  ASSERT_EQ(seen.size(), ran.size());
  std::size_t known = 0;
  for (std::size_t i = 0; i < ran.size(); ++i) {
    if (seen[i].back().contains("…")) continue;
    ++known;
    EXPECT_EQ(seen[i], ran[i]);
  }
  EXPECT_GE(known, 250u);
}

}  // namespace
}  // namespace talaria::test
