#include "policy/guard/program/program_language.h"

#include "policy/guard/word_list.h"

namespace talaria::guard {
namespace {

struct LanguagePrograms {
  ProgramLanguage language;
  std::string_view programs;
};

constexpr LanguagePrograms kLanguagePrograms[] = {
    {ProgramLanguage::javascript,
     "node nodejs bun deno npm yarn pnpm npx tsx ts-node jest vitest mocha eslint webpack vite "
     "rollup gulp grunt qjs"},
    {ProgramLanguage::perl, "perl prove raku"},
    {ProgramLanguage::ruby,
     "ruby rake rails bundle rspec irb vagrant guard mruby jruby elixir mix iex"},
    {ProgramLanguage::php, "php artisan composer phpunit"},
    {ProgramLanguage::lua, "lua luajit texlua"},
    {ProgramLanguage::r, "Rscript R octave gnuplot m4"},
    {ProgramLanguage::julia, "julia"},
    {ProgramLanguage::c,
     "make gmake cmake meson ninja bazel gcc g++ cc c++ clang clang++ tcc go rustc cargo java "
     "javac jshell groovy gradle gradlew swift swiftc kotlin kotlinc scala scala-cli dart zig "
     "dotnet nim crystal v"},
};

}  // namespace

ProgramLanguage program_language(std::string_view program) {
  while (!program.empty() && std::string_view("0123456789.").contains(program.back())) {
    program.remove_suffix(1);
  }
  for (const LanguagePrograms& row : kLanguagePrograms) {
    if (among(program, row.programs)) return row.language;
  }
  return ProgramLanguage::python;
}

}  // namespace talaria::guard
