// Editing such files in place.
#include <algorithm>

#include "policy/guard/rules/rule.h"

namespace talaria::guard {
namespace {

bool sed_in_place(const Arguments& arguments) {
  return arguments.any_word([](std::string_view word) {
    if (word.starts_with("--in-place")) return true;
    if (word.size() < 2 || word[0] != '-' || word[1] == '-') return false;
    // -i, -ni, -i.bak; what follows -e is a script
    const std::size_t at = word.find('i', 1);
    return at != std::string_view::npos &&
           word.substr(1, at - 1).find_first_of("efl") == std::string_view::npos;
  });
}

bool perl_in_place(const Arguments& arguments) {
  return arguments.any_word([](std::string_view word) {
    if (word.size() < 2 || word[0] != '-' || word[1] == '-') return false;
    const std::size_t at = word.find('i', 1);
    if (at == std::string_view::npos) return false;
    const bool before = word.substr(1, at - 1).find_first_of("eEIMm") == std::string_view::npos;
    const char next = at + 1 < word.size() ? word[at + 1] : '\0';
    return before && std::isalnum(static_cast<unsigned char>(next)) == 0;
  });
}

bool sed_user(const Arguments& a) {
  return sed_in_place(a) && a.any_operand(&PathKinds::is_user_sensitive);
}
bool sed_system(const Arguments& a) {
  return sed_in_place(a) &&
         (a.any_operand(&PathKinds::is_system_config) || a.any_operand(&PathKinds::below_system));
}
bool sed_hermes(const Arguments& a) {
  return sed_in_place(a) && a.any_operand(&PathKinds::is_hermes_config);
}
bool perl_user(const Arguments& a) {
  return perl_in_place(a) && a.any_operand(&PathKinds::is_user_sensitive);
}
bool perl_system(const Arguments& a) {
  return perl_in_place(a) && a.any_operand(&PathKinds::is_system_config);
}
bool perl_hermes(const Arguments& a) {
  return perl_in_place(a) && a.any_operand(&PathKinds::is_hermes_config);
}

bool edits_sensitive(const Arguments& a) { return a.any_operand(&PathKinds::is_sensitive); }

// vim -es -c '%s/a/b/' -c wq file, yq -i …: nobody looks on while it changes
bool edits_by_script(const Arguments& a) {
  const bool scripted = a.has("-c|-s|-S|--headless|-i|--inplace|--in-place|--cmd|--set|--del") ||
                        a.any_word([](std::string_view word) { return word.starts_with('+'); });
  return scripted &&
         (a.any_operand(&PathKinds::is_sensitive) || a.any_operand(&PathKinds::is_hermes_config));
}

constexpr Rule kEditRules[] = {
    {.key = "in-place edit of sensitive credential/SSH/shell-rc path",
     .programs = "sed gsed",
     .when = sed_user,
     .yes = {"sed -i 's/a/b/' ~/.bashrc", "sed --in-place 's/a/b/' ~/.ssh/config"},
     .no = {"sed -i 's/a/b/' notes.txt", "sed -n '/i/p' ~/.bashrc"}},
    {.key = "in-place edit of sensitive credential/SSH/shell-rc path (perl/ruby)",
     .programs = "perl ruby",
     .when = perl_user,
     .yes = {"perl -pi -e x ~/.bashrc", "perl -i.bak -pe x ~/.netrc", "ruby -i -pe x ~/.zshrc"},
     .no = {"perl -wne 'print' ~/.bashrc"}},
    {.key = "in-place edit of system config",
     .programs = "sed gsed",
     .when = sed_system,
     .yes = {"sed -i.bak s/a/b/ /etc/x", "sed --in-place s/x/y/ /private/var/log/wtmp"},
     .no = {"sed s/a/b/ /etc/x"}},
    {.key = "in-place edit of system config (perl/ruby)",
     .programs = "perl ruby",
     .when = perl_system,
     .yes = {"perl -pi -e s/a/b/ /etc/hosts"},
     .no = {"perl -ne print /etc/hosts"},
     .set = RuleSet::talaria},
    {.key = "in-place edit of Hermes config/env",
     .programs = "sed gsed",
     .when = sed_hermes,
     .yes = {"sed -i s/manual/off/ ~/.hermes/config.yaml"},
     .no = {"sed -i s/a/b/ /srv/app/config.yaml"}},
    {.key = "in-place edit of Hermes config/env (perl/ruby)",
     .programs = "perl ruby",
     .when = perl_hermes,
     .yes = {"perl -p -i -e x ~/.hermes/config.yaml"},
     .no = {"perl -wne 'print' ~/.hermes/config.yaml", "cat ~/.hermes/config.yaml"}},
    {.key = "edit of a system or configuration file",
     .programs = "ed ex patch",
     .when = edits_sensitive,
     .yes = {"ed -s /etc/hosts", "patch /etc/ssh/sshd_config fix.diff"},
     .no = {"patch -p1 src/a.c fix.diff"},
     .set = RuleSet::talaria},
    {.key = "edit of a system or configuration file",
     .programs = "vim vi nvim yq dasel crudini gawk tomlq xq augtool",
     .when = edits_by_script,
     .yes = {"vim -es -c '%s/a/b/' -c wq ~/.hermes/config.yaml",
             "yq -i '.approvals.mode=\"off\"' ~/.hermes/config.yaml",
             "crudini --set /etc/x.ini a b c"},
     .no = {"vim ~/.bashrc", "yq -i '.a=1' values.yaml", "yq .a ~/.hermes/config.yaml",
            "vim -es -c wq notes.txt"},
     .set = RuleSet::talaria},
};

}  // namespace

std::span<const Rule> edit_rules() { return kEditRules; }

}  // namespace talaria::guard
