// Interaction: how the people behind a program are asked and informed.
#pragma once

#include <talaria/hooks.h>

#include "host/sudo_passwords.h"

namespace talaria::host {

struct Interaction {
  Hooks hooks;                   // of the embedding program
  SudoPasswords sudo_passwords;  // that people gave
  bool at_terminal = false;      // people may be asked at the terminal of this process
};

}  // namespace talaria::host
