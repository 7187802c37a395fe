// Host: the parts that serve the calls of a program, built in their order. Only api/ builds one;
// what needs a part takes that part.
#pragma once

#include <utility>
#include <vector>

#include "host/environments.h"
#include "host/interaction.h"
#include "host/journal.h"
#include "host/settings.h"

namespace talaria::host {

struct Host {
  Host(Caller caller, Result<Config> config, std::vector<Backend> backends)
      : settings(std::move(caller), std::move(config)),
        journal(settings.config() ? settings.config()->home : ""),
        environments(settings, journal, interaction.hooks, std::move(backends)) {}
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  Settings settings;
  Interaction interaction;
  Journal journal;
  Environments environments;
};

}  // namespace talaria::host
