// What was allowed beyond one call, of Home.
#include <talaria/home.h>

#include <algorithm>

#include "api/approval_conversion.h"
#include "environment/command_origin.h"
#include "host/approval_queue.h"
#include "host/caller.h"
#include "host/store/grant_store.h"

namespace talaria {
namespace {

host::GrantStore grants_of(const std::string& home) {
  return host::GrantStore(std::make_shared<host::HomeDatabase>(home));
}

Result<host::StoredGrant> find_grant(host::GrantStore& store, const std::string& id) {
  auto found = store.find(id);
  if (!found) return fail(found.error());
  if (!*found) {
    return fail(ErrorKind::not_found,
                "unknown grant '" + id + "'. `talaria grants list` lists all grants.");
  }
  return std::move(**found);
}

}  // namespace

Result<std::vector<ApprovalGrant>> Home::grants() const {
  const auto found = grants_of(directory_).list();
  if (!found) return fail(found.error());
  std::vector<ApprovalGrant> grants;
  std::ranges::transform(*found, std::back_inserter(grants), to_grant);
  return grants;
}

Result<ApprovalGrant> Home::confirm_grant(const std::string& id, std::chrono::seconds lasts) const {
  if (const auto allowed = host::refuse_commands(); !allowed) return fail(allowed.error());
  host::GrantStore store = grants_of(directory_);
  auto grant = find_grant(store, id);
  if (!grant) return fail(grant.error());
  if (grant->confirmed) return fail(ErrorKind::bad_request, id + " is already confirmed");
  grant->confirmed = true;
  grant->granted = std::chrono::system_clock::now();
  grant->grantor = host::Caller::of_this_process().user();
  if (lasts.count() > 0) grant->until = grant->granted + lasts;
  if (const auto stored = store.confirm(*grant); !stored) return fail(stored.error());
  return to_grant(*grant);
}

Result<ApprovalGrant> Home::revoke_grant(const std::string& id) const {
  host::GrantStore store = grants_of(directory_);
  const auto grant = find_grant(store, id);
  if (!grant) return fail(grant.error());
  if (const auto removed = store.remove(id); !removed) return fail(removed.error());
  return to_grant(*grant);
}

bool Home::comes_from_command(int connection) {
  return environment::comes_from_command(connection);
}

}  // namespace talaria
