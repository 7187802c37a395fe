// StoredSessions: the record of sessions of one environment, in the store of the home. A session is
// written when it begins, so a command in one that exists costs nothing. If that cannot be written,
// a later program does not know of it.
#pragma once

#include <memory>
#include <string>

#include "environment/session_record.h"
#include "host/store/home_database.h"
#include "host/store/session_store.h"

namespace talaria::host {

class StoredSessions final : public environment::SessionRecord {
 public:
  // `environment`: its key.
  StoredSessions(std::shared_ptr<HomeDatabase> database, std::string environment)
      : database_(std::move(database)), environment_(std::move(environment)) {}

  bool contains(const std::string& session) override {
    return SessionStore(database_).contains(environment_, session).value_or(false);
  }
  Task<void> add(std::string session, bool is_new) override;
  Task<void> remove(std::string session) override;
  Task<void> clear() override;

 private:
  std::shared_ptr<HomeDatabase> database_;
  std::string environment_;
};

}  // namespace talaria::host
