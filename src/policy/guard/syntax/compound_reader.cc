// Compound commands: what begins with a reserved word or a parenthesis.
#include <utility>

#include "policy/guard/syntax/script_reader.h"

namespace talaria::guard {

using CommandKind = ShellCommand::Kind;

// False: it is a simple command.
bool ScriptReader::read_compound(ShellCommand& command) {
  if (peek() == '(') {
    read_parentheses(command);
  } else if (take_reserved("{")) {
    command.kind = CommandKind::group;
    command.lists.push_back(read_list());
    skip_lines();
    expect_reserved("}");
  } else if (take_reserved("if")) {
    read_branch(command);
  } else if (take_reserved("while") || take_reserved("until")) {
    read_loop(command);
  } else if (take_reserved("for")) {
    read_for(command);
  } else if (take_reserved("select")) {
    command.select = true;
    read_for(command);
  } else if (take_reserved("case")) {
    read_choice(command);
  } else if (take_reserved("[[")) {
    read_condition(command);
  } else if (take_reserved("function")) {
    read_named_function(command);
  } else if (take_reserved("coproc")) {
    read_coprocess(command);
  } else {
    return false;
  }
  return true;
}

void ScriptReader::read_parentheses(ShellCommand& command) {
  if (looking_at("((")) {
    const Mark start = mark();
    at_ += 2;
    ShellWord expression;
    if (read_arithmetic(expression)) {
      command.kind = CommandKind::arithmetic;
      command.words.push_back(std::move(expression));
      return;
    }
    if (!back_to(start)) return;
  }
  ++at_;
  command.kind = CommandKind::subshell;
  command.lists.push_back(read_list());
  if (!take(")")) fail("a ')' is missing");
}

void ScriptReader::read_branch(ShellCommand& command) {
  command.kind = CommandKind::branch;
  do {
    command.lists.push_back(read_list());
    expect_reserved("then");
    command.lists.push_back(read_list());
  } while (take_reserved("elif"));
  if (take_reserved("else")) command.lists.push_back(read_list());
  expect_reserved("fi");
}

void ScriptReader::read_loop(ShellCommand& command) {
  command.kind = CommandKind::loop;
  command.lists.push_back(read_list());
  expect_reserved("do");
  command.lists.push_back(read_list());
  expect_reserved("done");
}

// do …; done, or { …; }
void ScriptReader::read_do_group(ShellCommand& command) {
  skip_lines();
  if (take_reserved("{")) {
    command.lists.push_back(read_list());
    expect_reserved("}");
    return;
  }
  expect_reserved("do");
  command.lists.push_back(read_list());
  expect_reserved("done");
}

void ScriptReader::read_for(ShellCommand& command) {
  skip_blanks();
  if (take("((")) {
    command.kind = CommandKind::for_count;
    ShellWord expression;
    if (!read_arithmetic(expression)) fail("a '))' is missing");
    command.words.push_back(std::move(expression));
    skip_blanks();
    take(";");
    read_do_group(command);
    return;
  }
  command.kind = CommandKind::for_each;
  if (!is_name_start(peek())) return fail("a loop has no variable");
  while (is_name_char(peek())) command.name += text_[at_++];
  skip_lines();
  if (take_reserved("in")) {
    for (skip_blanks(); !failed() && !at_command_end(); skip_blanks()) {
      command.words.push_back(read_word());
    }
  } else {
    command.over_arguments = true;
  }
  skip_blanks();
  if (peek() == '\n' || take(";") || command.over_arguments) return read_do_group(command);
  fail("a ';' is missing before 'do'");
}

void ScriptReader::read_choice(ShellCommand& command) {
  command.kind = CommandKind::choice;
  skip_blanks();
  if (at_command_end()) return fail("a 'case' has nothing to choose by");
  command.words.push_back(read_word());
  skip_lines();
  expect_reserved("in");
  for (skip_lines(); !failed() && !take_reserved("esac"); skip_lines()) {
    CaseArm arm;
    take("(");
    do {
      skip_blanks();
      if (at_end() || (ends_word(peek()) && peek() != '(')) return fail("a 'case' is incomplete");
      arm.patterns.push_back(read_word());
      skip_blanks();
    } while (!failed() && take("|"));
    if (!take(")")) return fail("a ')' is missing in a 'case'");
    arm.body = read_list();
    command.arms.push_back(std::move(arm));
    skip_lines();
    if (!take(";;&") && !take(";;") && !take(";&")) {
      expect_reserved("esac");
      return;
    }
  }
}

// The operators of [[ … ]] mean nothing to us; its words may hold substitutions.
void ScriptReader::read_condition(ShellCommand& command) {
  command.kind = CommandKind::condition;
  bool regex = false;
  for (skip_lines(); !failed(); skip_lines()) {
    if (at_end()) return fail("a ']]' is missing");
    if (take_reserved("]]")) return;
    if (looking_at("<(") || looking_at(">(") || !ends_word(peek())) {
      const std::size_t begin = at_;
      command.words.push_back(regex ? read_regex() : read_word());
      regex = text_.substr(begin, at_ - begin) == "=~";
    } else if (regex && peek() == '(') {
      command.words.push_back(read_regex());
      regex = false;
    } else if (!take("&&") && !take("||") && !take("(") && !take(")") && !take("<") && !take(">")) {
      return fail("a '" + std::string(1, peek()) + "' does not belong into [[ ]]");
    }
  }
}

// Behind =~: parentheses and bars belong to the word.
ShellWord ScriptReader::read_regex() {
  ShellWord word;
  word.begin = origin(at_);
  int depth = 0;
  while (!failed() && !at_end()) {
    const char c = peek();
    const bool blank = c == ' ' || c == '\t' || c == '\n';
    if ((blank && depth == 0) || c == ';' || c == '&' || (c == ')' && depth == 0)) break;
    if (c == '(') ++depth;
    if (c == ')') --depth;
    if (c == '(' || c == ')' || c == '|' || c == '<' || c == '>' || blank) {
      add_text(word, text_.substr(at_++, 1), false);
      continue;
    }
    ShellWord piece = read_word();
    for (WordPart& part : piece.parts) word.parts.push_back(std::move(part));
  }
  word.end = origin(at_);
  return word;
}

void ScriptReader::read_named_function(ShellCommand& command) {
  command.kind = CommandKind::function;
  skip_blanks();
  const ShellWord name = read_word(false);
  command.name = name.parts.size() == 1 ? name.parts.front().text : "";
  skip_blanks();
  if (take("(")) {
    skip_blanks();
    if (!take(")")) return fail("a ')' is missing in a function");
  }
  skip_lines();
  ShellPipeline body;
  if (enter()) body.commands.push_back(read_command());
  leave();
  command.lists.emplace_back().pipelines.push_back(std::move(body));
}

void ScriptReader::read_coprocess(ShellCommand& command) {
  command.kind = CommandKind::coprocess;
  skip_blanks();
  const Mark start = mark();
  const ShellWord name =
      read_word(false);  // coproc NAME { …; } has a name, coproc command has none
  skip_blanks();
  const std::string_view next = raw_word();
  const bool named = peek() == '(' || next == "{" || next == "if" || next == "while" ||
                     next == "until" || next == "for" || next == "case";
  if (!named && !back_to(start)) return;
  ShellPipeline body;
  if (enter()) body.commands.push_back(read_command());
  leave();
  command.lists.emplace_back().pipelines.push_back(std::move(body));
}

}  // namespace talaria::guard
