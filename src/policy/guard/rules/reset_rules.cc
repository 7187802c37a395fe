// What frameworks and brokers do with the data of a project: drop it, reset it, empty its queues.
#include <algorithm>
#include <string>

#include "policy/guard/rules/rule.h"
#include "policy/guard/rules/sending.h"
#include "policy/guard/rules/trial.h"
#include "policy/guard/rules/verbs.h"

namespace talaria::guard {
namespace {

// mlflow gc, jf rt del x, registry garbage-collect; not what is kept on this machine to be quick
bool deletes_shared(const Arguments& arguments) {
  constexpr std::size_t kMostVerbs = 3;
  bool deletes = false;
  for (std::size_t i = 0; i < std::min(arguments.operands().size(), kMostVerbs); ++i) {
    const std::string_view verb = arguments.verb(i);
    if (verb.contains("cache")) return false;
    deletes = deletes || among(verb,
                               "gc delete del rm remove purge prune clean cleanup wipe destroy "
                               "garbage-collect registry-garbage-collect reset clear expire");
  }
  return deletes && !only_rehearses(arguments);
}

bool framework_resets(const Arguments& arguments) {
  // of `bundle exec rake` the `bundle` is judged, which has the variables in front of it
  const std::string& by = arguments.command.run_by;
  if (among("bundle", by) || among("npx", by) || has_trial_database(arguments)) return false;
  return arguments.any_word([](std::string_view word) {
    return among(
        word,
        "db:drop db:reset db:purge db:schema:load db:migrate:reset migrate:fresh "
        "migrate:reset db:wipe pg:reset ecto.drop ecto.reset schema:drop db:migrate:undo:all "
        "migrate:refresh db:seed:replant db:truncate_all db:migrate:redo doctrine:schema:drop "
        "flyway:clean flywayClean liquibase:dropAll doctrine:database:drop cache:clear-all "
        "orm:schema-tool:drop migrate:rollback");
  }) && !arguments.has("-n|--dry-run|--pretend");
}

bool django_flush(const Arguments& arguments) {
  if (has_trial_database(arguments)) return false;
  const auto& words = arguments.operands();
  constexpr std::string_view kFlush = "flush reset_db sqlflush";
  if (!arguments.command.program.starts_with("py") && among(arguments.verb(0), kFlush)) return true;
  if (arguments.verb(0) == "django" && among(arguments.verb(1), kFlush)) return true;
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (base_name(words[i]->text) != "manage.py") continue;
    if (among(words[i + 1]->text, kFlush)) return true;
    const bool back = words[i + 1]->text == "migrate" && words.back()->text == "zero";
    if (back) return true;
  }
  return false;
}

bool prisma_resets(const Arguments& arguments) {
  if (has_trial_database(arguments)) return false;
  if (arguments.has("--accept-data-loss")) return true;
  return arguments.begins("migrate reset") || arguments.begins("prisma migrate reset") ||
         ((arguments.begins("db push") || arguments.begins("prisma db push")) &&
          arguments.has("--force-reset"));
}

bool calls_delete(const Arguments& arguments) {
  const SeenCommand& command = arguments.command;
  const auto is_delete = [](std::string_view word) { return lower_case(word) == "delete"; };
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const std::string_view word = command.word(i);
    if (among(word, "-X --request") && is_delete(command.word(i + 1))) return true;
    if (word.starts_with("-X") && is_delete(word.substr(2))) return true;
    if (word.starts_with("--request=") && is_delete(word.substr(10))) return true;
  }
  return false;
}

// rails runner 'User.delete_all'
bool deletes_objects(const Arguments& arguments) {
  return !has_trial_database(arguments) && arguments.any_word([](std::string_view word) {
    for (const std::string_view call :
         {".delete_all", ".destroy_all", ".all().delete()", ".truncate", "drop_table",
          "::truncate()", ".deleteMany()"}) {
      if (word.contains(call)) return true;
    }
    return false;
  });
}

bool deletes_index(const Arguments& arguments) {
  if (arguments.any_word([](std::string_view word) {
        return word.contains("_delete_by_query") || word.contains("<delete>");
      })) {
    return true;
  }
  // a whole index of Elasticsearch, not one document
  return calls_delete(arguments) && arguments.any_word([](std::string_view word) {
    if (!word.contains(":9200/")) return false;
    const std::string_view index = word.substr(word.find(":9200/") + 6);
    return !index.contains('/') && !(is_this_machine(word) && names_tests(index));
  });
}

constexpr Rule kResetRules[] = {
    {.key = "drop or reset of a project's database",
     .programs =
         "rake rails bundle php artisan heroku mix bin/rails npx sequelize sequelize-cli knex "
         "typeorm console doctrine phinx spring mvn mvnw gradle gradlew",
     .when = framework_resets,
     .yes = {"rails db:drop", "bundle exec rake db:reset", "php artisan migrate:fresh",
             "heroku pg:reset DATABASE"},
     .no = {"rails db:migrate", "RAILS_ENV=test bin/rails db:schema:load",
            "RAILS_ENV=test bundle exec rake db:drop db:create", "rake db:reset RAILS_ENV=test",
            "NODE_ENV=test npx knex migrate:rollback --all",
            "php artisan migrate:fresh --env=testing"},
     .set = RuleSet::talaria},
    {.key = "drop or reset of a project's database",
     .programs = "python python3 django-admin manage.py",
     .when = django_flush,
     .yes = {"python manage.py flush --noinput", "django-admin flush", "./manage.py flush"},
     .no = {"python manage.py migrate", "django-admin startproject x", "./manage.py test"},
     .set = RuleSet::talaria},
    {.key = "drop or reset of a project's database",
     .programs = "wp drush sqlx diesel dbmate goose migrate atlas refinery flask aerich "
                 "airflow superset",
     .when =
         [](const Arguments& a) {
           if (has_trial_database(a)) return false;
           return a.begins("db reset|drop|clean") || a.begins("database drop|reset") ||
                  a.begins("db downgrade") || a.begins("sql:drop|sql-drop") ||
                  a.begins("schema clean") || a.begins("drop|reset") ||
                  (a.command.program == "migrate" &&
                   a.any_operand([](const SeenWord& w) { return among(w.text, "drop down"); }));
         },
     .yes = {"wp db reset --yes", "drush sql:drop", "sqlx database drop", "diesel database reset",
             "dbmate drop", "migrate -path m -database u drop"},
     .no = {"wp db export", "sqlx migrate run", "diesel migration run", "dbmate up", "goose up",
            "migrate -path m -database u up"},
     .set = RuleSet::talaria},
    {.key = "drop or reset of a project's database",
     .programs = "dotnet flyway liquibase alembic",
     .when =
         [](const Arguments& a) {
           if (has_trial_database(a)) return false;
           return a.begins("ef database drop") || a.begins("drop-all") || a.begins("dropAll") ||
                  (a.command.program == "flyway" && a.begins("clean")) ||
                  (a.command.program == "alembic" && a.begins("downgrade") && !only_rehearses(a)) ||
                  (a.command.program == "flyway" &&
                   a.any_operand([](const SeenWord& w) { return among(w.text, "clean undo"); })) ||
                  (a.command.program == "liquibase" &&
                   a.any_operand([](const SeenWord& w) { return w.text.starts_with("rollback"); }));
         },
     .yes = {"dotnet ef database drop --force", "flyway clean", "liquibase drop-all",
             "alembic downgrade base"},
     .no = {"dotnet ef database update", "flyway migrate", "alembic upgrade head", "dotnet clean",
            "DATABASE_URL=postgres://a:b@localhost/app_dev alembic downgrade -1"},
     .set = RuleSet::talaria},
    {.key = "delete of a queue or its data",
     .programs = "memcflush memcrm memcached-tool",
     .yes = {"memcflush --servers=localhost"},
     .no = {"memcstat"},
     .set = RuleSet::talaria},
    {.key = "delete of a queue or its data",
     .programs = "celery rq nats pulsar-admin kafka-consumer-groups kafka-consumer-groups.sh kcat "
                 "kafka-configs kafka-configs.sh kafka-acls kafka-acls.sh kafka-storage.sh bull "
                 "beanstalk-cli artisan sidekiqctl zkCli.sh temporal faktory",
     .when =
         [](const Arguments& a) {
           return a.has("--reset-offsets|--delete*|--alter|--remove|--delete-config") ||
                  a.any_operand([](const SeenWord& word) {
                    return among(word.text,
                                 "purge empty delete rm deleteall rmr flush clear terminate "
                                 "queue:clear queue:flush");
                  });
         },
     .yes = {"celery -A proj purge -f", "nats stream purge x",
             "kafka-consumer-groups.sh --group g --reset-offsets --to-latest --execute"},
     .no = {"celery -A proj worker", "kafka-consumer-groups.sh --list", "nats stream ls"},
     .set = RuleSet::talaria},
    {.key = "delete of a queue or its data",
     .programs = "kafka-topics kafka-topics.sh kafka-delete-records.sh rabbitmqctl rabbitmqadmin",
     .when =
         [](const Arguments& a) {
           return a.has("--delete") || a.command.program == "kafka-delete-records.sh" ||
                  a.any_operand([](const SeenWord& word) {  // -n NODE may stand in front
                    return among(word.text,
                                 "reset force_reset delete_queue delete_vhost purge_queue delete "
                                 "purge");
                  });
         },
     .yes = {"kafka-topics.sh --delete --topic x", "rabbitmqctl reset",
             "rabbitmqctl delete_vhost x", "rabbitmqctl -n rabbit@mq1 purge_queue q"},
     .no = {"kafka-topics.sh --list", "rabbitmqctl status"},
     .set = RuleSet::talaria},
    {.key = "drop or reset of a project's database",
     .programs = "prisma pnpm yarn bun",
     .when = prisma_resets,
     .yes = {"npx prisma migrate reset --force", "pnpm prisma migrate reset",
             "yarn prisma db push --force-reset"},
     .no = {"npx prisma migrate dev"},
     .set = RuleSet::talaria},
    {.key = "drop or reset of a project's database",
     .programs =
         "rails bin/rails rake bundle python python3 django-admin manage.py php artisan flask",
     .when = deletes_objects,
     .yes = {"rails runner 'User.delete_all'",
             "python manage.py shell -c 'U.objects.all().delete()'"},
     .no = {"rails runner 'puts User.count'", "RAILS_ENV=test rails runner 'User.delete_all'"},
     .set = RuleSet::talaria},
    {.key = "delete of a queue or its data",
     .programs = "hdfs hadoop maprcli alluxio",
     .flags = "-rm|-rmr|-rmdir|-expunge|-delete|-truncate|-mv|-chmod|-chown|-format",
     .yes = {"hdfs dfs -rm -r -skipTrash /data", "hadoop fs -rm -r /x"},
     .no = {"hdfs dfs -ls /", "hadoop fs -cat /x"},
     .set = RuleSet::talaria},
    {.key = "shared or remote data deleted",
     .programs = "dvc",
     .verbs = "gc|exp",
     .flags = "-c|--cloud|-r|--remote|-g|--git-remote",
     .when =
         [](const Arguments& a) {
           return !a.has("--dry*") && (a.verb(0) == "gc" || among(a.verb(1), "remove rm gc clean"));
         },
     .yes = {"dvc gc --workspace --cloud --force", "dvc gc -awc", "dvc exp remove -g origin x"},
     .no = {"dvc gc -w", "dvc gc --workspace --cloud --dry", "dvc push", "dvc exp show"},
     .set = RuleSet::talaria},
    {.key = "shared or remote data deleted",
     .programs =
         "mlflow wandb clearml clearml-data clearml-task lakectl skopeo gcrane oras regctl "
         "reg registry gitlab-ctl jf jfrog airflow bentoml zenml kaggle hf huggingface-cli aim "
         "quilt3 acr nessie pachctl cosign buildctl",
     .when = deletes_shared,
     .yes = {"mlflow gc --backend-store-uri sqlite:///m.db", "jf rt del repo/x",
             "skopeo delete docker://r.example/a:1", "registry garbage-collect /etc/c.yml",
             "mlflow experiments delete -x 1", "acr purge --filter 'a:.*'"},
     .no = {"mlflow ui", "skopeo inspect docker://a", "gcrane ls a", "airflow dags list",
            "wandb artifact cache cleanup 1GB", "huggingface-cli delete-cache"},
     .set = RuleSet::talaria},
    {.key = "delete of a search index",
     .programs = "curl",
     .when = deletes_index,
     .yes = {"curl -X DELETE localhost:9200/logs",
             "curl -XPOST localhost:9200/logs/_delete_by_query -d '{}'"},
     .no = {"curl localhost:9200/logs", "curl -X DELETE https://api/items/1",
            "curl -X DELETE http://localhost:9200/logs_test"},
     .set = RuleSet::talaria},
};

}  // namespace

std::span<const Rule> reset_rules() { return kResetRules; }

}  // namespace talaria::guard
