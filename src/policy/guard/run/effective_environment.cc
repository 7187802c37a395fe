#include "policy/guard/run/effective_environment.h"

#include <algorithm>

#include "policy/guard/word_list.h"

namespace talaria::guard {
namespace {

struct Environment {
  std::string_view programs;
  std::string_view variables;
};

constexpr Environment kEnvironments[] = {
    {"git", "GIT_DIR GIT_WORK_TREE"},
    {"psql pg_dump pg_restore createdb dropdb pgcli vacuumdb", "PGHOST PGSERVICE"},
    {"mysql mariadb mysqldump mysqladmin", "MYSQL_HOST"},
    {"rails rake bundle", "RAILS_ENV RACK_ENV DATABASE_URL"},
    {"npx npm yarn pnpm sequelize prisma knex typeorm", "NODE_ENV DATABASE_URL DB_URL"},
    {"manage.py django-admin alembic flask", "DJANGO_SETTINGS_MODULE DATABASE_URL FLASK_ENV"},
    {"mix", "MIX_ENV DATABASE_URL"},
    {"artisan", "APP_ENV DATABASE_URL DB_URL"},
    {"flyway", "FLYWAY_URL"},
    {"liquibase", "LIQUIBASE_COMMAND_URL"},
    {"docker podman docker-compose", "DOCKER_HOST"},
    {"go", "GOMODCACHE GOCACHE GOBIN"},
    {"cargo", "CARGO_TARGET_DIR"},
    {"uv", "UV_CACHE_DIR"},
    {"pip pip3", "PIP_TARGET PIP_CACHE_DIR"},
    {"coverage", "COVERAGE_FILE"},
};

}  // namespace

void add_environment(
    SeenCommand& seen,
    const std::function<std::optional<std::string>(const std::string&)>& value_of) {
  static const NameIndex<Environment> index(kEnvironments, &Environment::programs);
  const bool interprets = among(seen.program, "python python3 php ruby");  // manage.py
  const std::string program(interprets ? base_name(seen.word(1)) : seen.program);
  for (const Environment* found : index.find(program)) {
    for (std::string_view rest = found->variables; !rest.empty();) {
      const std::string name(next_word(rest));
      const auto given = std::ranges::find(seen.variables, name, &SeenAssignment::name);
      if (given != seen.variables.end()) continue;
      if (auto value = value_of(name)) seen.variables.push_back({name, {std::move(*value)}});
    }
  }
}

}  // namespace talaria::guard
