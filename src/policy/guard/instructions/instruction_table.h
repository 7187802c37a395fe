// Which files programs take instructions from.
#pragma once

#include "policy/guard/instructions/instructions.h"

namespace talaria::guard {

inline constexpr InstructionFile kInstructionFiles[] = {
    // shells
    {"bash sh zsh dash ksh fish mksh ash",
     ".bashrc .bash_profile .profile .bash_login .bash_logout .zshrc .zshenv .zprofile .kshrc",
     Language::shell, false},
    {"direnv", ".envrc", Language::shell, false},
    {"at batch", "", Language::shell, false, "-f"},
    {"parallel", "", Language::shell, false, "-a --arg-file ::::"},
    {"crontab", "", Language::lines, true},
    {"systemctl", "*.service *.timer *.socket *.path", Language::lines, true},
    {"tmux", ".tmux.conf", Language::lines, false, "source-file source -f"},
    // builds
    {"make gmake bmake", "Makefile makefile GNUmakefile BSDmakefile *.mk", Language::make, false,
     "-f --file --makefile"},
    {"make gmake cmake meson ninja bazel scons", "*.c *.cc *.cpp *.cxx *.h *.hpp *.rs *.go",
     Language::program, false},
    {"just", "justfile .justfile Justfile", Language::make, false, "-f --justfile"},
    {"ninja samu", "build.ninja *.ninja", Language::lines, false, "-f"},
    {"cmake ctest", "CMakeLists.txt *.cmake", Language::lines, false, "-P -C"},
    {"npm yarn pnpm bun npx lerna turbo nx node nodejs", "package.json", Language::package, false},
    {"task go-task", "Taskfile.yml Taskfile.yaml", Language::lines, false, "-t --taskfile"},
    {"foreman honcho overmind hivemind goreman", "Procfile Procfile.dev", Language::lines, false,
     "-f"},
    {"tox", "tox.ini", Language::lines, false, "-c"},
    {"pre-commit", ".pre-commit-config.yaml", Language::lines, false, "-c --config"},
    {"act", "*.yml *.yaml", Language::lines, false, "-W"},
    {"ansible-playbook ansible-pull", "*.yml *.yaml", Language::lines, true},
    {"docker-compose podman-compose",
     "docker-compose.yml docker-compose.yaml compose.yml compose.yaml", Language::lines, false,
     "-f --file"},
    {"docker podman nerdctl", "docker-compose.yml docker-compose.yaml compose.yml compose.yaml",
     Language::lines, false, "-f --file", "compose stack"},
    {"supervisord supervisorctl", "*.conf *.ini", Language::lines, false, "-c"},
    {"terraform tofu", "*.tf", Language::lines, false},
    // version control
    {"git",
     "hooks/* pre-commit post-commit commit-msg prepare-commit-msg pre-push post-checkout "
     "post-merge pre-merge-commit pre-applypatch applypatch-msg post-applypatch "
     "reference-transaction "
     "fsmonitor-watchman push-to-checkout pre-auto-gc post-index-change proc-receive pre-rebase "
     "post-rewrite pre-receive update post-update post-receive",
     Language::shell, false},
    {"git", ".gitconfig .git/config git/config", Language::lines, false,
     "-c include.path GIT_CONFIG_GLOBAL"},
    {"ssh scp sftp rsync git", ".ssh/config", Language::lines, false, "-F"},
    // editors, filters, debuggers, databases
    {"sed gsed", "", Language::script, false, "-f --file"},
    {"awk gawk mawk nawk original-awk", "", Language::script, false, "-f --file"},
    {"gdb lldb cgdb", ".gdbinit .lldbinit", Language::input, false,
     "-x --command -s --source -ix --init-command source"},
    {"vim vi nvim ex view gvim vimdiff", ".vimrc .exrc init.vim", Language::input, false,
     "-S -u -s +source source so"},
    {"emacs", ".emacs init.el *.el", Language::input, false, "-l --load --script -q"},
    {"psql mysql mariadb sqlite3 sqlite duckdb pgcli mycli usql", "", Language::input, true,
     "-f --file --init -init .read source \\i \\ir"},
    {"dc bc lftp ftp m4 mail mailx", "", Language::input, true},
    // languages
    {"python pypy pytest py.test pip tox nox uv poetry pdm hatch rye pipenv flask gunicorn "
     "uvicorn celery django-admin manage.py ipython coverage scons",
     "*.py *.pyw *.pth *.pyi SConstruct", Language::program},
    {"perl prove", "*.pl *.pm *.t *.PL", Language::program},
    {"ruby rake rails bundle rspec irb vagrant guard mruby jruby",
     "*.rb Rakefile Gemfile *.gemspec Vagrantfile *.rake *.ru", Language::program},
    {"node nodejs bun deno npm yarn pnpm npx tsx ts-node jest vitest mocha eslint webpack vite "
     "rollup gulp grunt qjs",
     "*.js *.mjs *.cjs *.ts *.mts *.cts *.jsx *.tsx", Language::program},
    {"php artisan composer phpunit", "*.php *.phar artisan", Language::program},
    {"lua luajit texlua", "*.lua", Language::program},
    {"Rscript R", "*.R *.r .Rprofile", Language::program},
    {"tclsh wish expect", "*.tcl *.exp", Language::lines},
    {"gcc g++ cc c++ clang clang++ tcc", "*.c *.cc *.cpp *.cxx *.h *.hpp *.s *.S",
     Language::program},
    {"go", "*.go", Language::program},
    {"rustc cargo", "*.rs", Language::program},
    {"java javac jshell", "*.java *.jsh", Language::program},
    {"groovy gradle gradlew", "*.groovy *.gradle *.kts", Language::program},
    {"kotlin kotlinc scala scala-cli", "*.kt *.kts *.scala *.sc", Language::program},
    {"swift swiftc", "*.swift", Language::program},
    {"julia", "*.jl", Language::program},
    {"elixir mix iex", "*.ex *.exs", Language::program},
    {"dart dotnet zig nim crystal v", "*.dart *.cs *.csx *.zig *.nim *.cr *.v", Language::program},
    {"ghc runghc runhaskell stack cabal ocaml guile sbcl racket raku octave gnuplot",
     "*.hs *.ml *.scm *.lisp *.rkt *.raku *.m *.gp", Language::program},
    {"meson", "meson.build", Language::program, false},
};

}  // namespace talaria::guard
