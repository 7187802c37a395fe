// What is there to be tried and thrown away, by its name or by where it is: databases, containers
// and clusters for tests, emulators on this machine. And what is in use: production.
#pragma once

#include <string_view>

#include "policy/guard/rules/arguments.h"

namespace talaria::guard {

// prod, production, live as a piece of a name: shop-prod, db.prod.internal, .env.production
bool names_production(std::string_view text);
// dev, staging, test and their like
bool names_trial(std::string_view text);
// app_test, e2e-db: only what tests made
bool names_tests(std::string_view text);

// RAILS_ENV=test, DATABASE_URL=postgres://localhost/app_dev in front of it or among its words: the
// database is one that can be filled again.
bool has_trial_database(const Arguments& arguments);

// kubectl --context kind-x, aws --endpoint-url http://localhost:4566
bool uses_local_service(const Arguments& arguments);

}  // namespace talaria::guard
