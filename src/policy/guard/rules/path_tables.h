// Names by which rules recognise kinds of files: data for rules/paths.cc and secret_paths.cc.
#pragma once

#include <string_view>

namespace talaria::guard {

// Directories that a build, a test run or a package manager makes again.
inline constexpr std::string_view kProductDirectories =
    "build dist out target node_modules bower_components jspm_packages __pycache__ __pypackages__ "
    ".pytest_cache .mypy_cache .ruff_cache .tox .nox .cache .eggs .hypothesis .pytype .venv venv "
    ".virtualenv .ipynb_checkpoints htmlcov coverage .nyc_output lcov-report test-results "
    "test-output test-reports playwright-report allure-results allure-report cypress/videos "
    ".next .nuxt .output .turbo .parcel-cache .svelte-kit .angular .vite .astro .docusaurus "
    ".expo .wrangler .vercel storybook-static .rpt2_cache .sass-cache .gradle .kotlin .dart_tool "
    "DerivedData Pods .build .swiftpm .stack-work dist-newstyle elm-stuff _build .elixir_ls deps "
    "zig-cache .zig-cache zig-out obj CMakeFiles Testing _deps .ccls-cache .clangd .terraform "
    ".terragrunt-cache cdk.out .aws-sam .serverless .pulumi _site .jekyll-cache .hugo_build.lock "
    "public/build tmp temp .tmp .temp vendor wheelhouse .pnpm-store .npm .yarn .bundle .metals "
    ".bloop .scannerwork blib _output bazel-bin bazel-out bazel-testlogs sdist .pio .esphome "
    "managed_components .west _minted .Rproj.user __snapshots__ .dvc/cache .godot .import Library "
    "Intermediate Binaries ebin log/test";

// Of `*.x`: what programs write and write again.
inline constexpr std::string_view kProductEndings =
    "o obj a so dylib lo la d gch pch dSYM pyc pyo pyd egg whl egg-info dist-info class jar war "
    "ear "
    "elc beam hi dyn_o dyn_hi cmi cmo cmx cmxa rlib rmeta pdb ilk exp exe dll lib wasm gcda gcno "
    "gcov profraw profdata prof lcov info tsbuildinfo eslintcache map min.js min.css bundle.js log "
    "logs out err tmp temp bak backup orig rej swp swo swn old cache pid lock core stackdump trace "
    "perf heap dmp pcap aux bbl blg toc lof lot fls fdb_latexmk synctex.gz nav snm vrb bcf run.xml "
    "idx ind ilg dvi DS_Store test tar tar.gz tgz tar.xz tar.zst zip gz xz zst deb rpm apk ipa aab "
    "vsix gem nupkg crate iso img bin elf hex uf2 coverage junit.xml patch diff";

// Single files of that kind.
inline constexpr std::string_view kProductFiles =
    "package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb Cargo.lock "
    "poetry.lock uv.lock pdm.lock Pipfile.lock Gemfile.lock composer.lock mix.lock go.sum "
    "flake.lock pubspec.lock Podfile.lock Package.resolved .terraform.lock.hcl .coverage "
    "coverage.xml coverage.json coverage.out cover.out lcov.info junit.xml report.xml a.out core "
    "nohup.out .DS_Store Thumbs.db desktop.ini CMakeCache.txt compile_commands.json "
    "cmake_install.cmake install_manifest.txt npm-debug.log yarn-error.log tags .eslintcache "
    ".stylelintcache .tsbuildinfo dump.rdb perf.data gmon.out callgrind.out";

// Directories of a home that hold a person's own things.
inline constexpr std::string_view kPersonalDirectories =
    "Documents Desktop Downloads Pictures Photos Music Videos Movies Mail Maildir mail Public "
    "Templates Dropbox OneDrive Nextcloud ownCloud iCloud Library Backups backups backup Backup "
    "Calibre VMs vms snap bin notes Notes org thesis";

// Below a home: what contains projects, and is none itself.
inline constexpr std::string_view kProjectFolders =
    "projects project Projects work Work code Code dev Dev devel develop Developer development src "
    "source sources repos repo repositories git github gitlab checkouts workspace workspaces "
    "coding sites Sites";

// Below /tmp: what other programs keep there while they run.
inline constexpr std::string_view kForeignTemporary =
    ".X .ICE .font .XIM .Test ssh- systemd tmux snap pulse dbus runtime- vscode gpg- krb5cc "
    ".s.PGSQL mysql. screen uscreens hsperf sshd";

// Files of a home that hold keys, passwords or tokens. A directory stands for all that is in it.
inline constexpr std::string_view kSecretHomeFiles =
    ".bash_history .zsh_history .psql_history .mysql_history .python_history .node_repl_history "
    ".rediscli_history .sqlite_history .local/share/fish/fish_history "
    ".netrc .pgpass .my.cnf .mylogin.cnf .npmrc .pypirc .yarnrc.yml .git-credentials .aws .azure "
    ".gnupg .kube .docker/config.json .config/gh .config/glab-cli .config/gcloud .config/hub "
    ".config/doctl .config/hcloud .config/op .config/rclone .config/sops .config/pip "
    ".config/heroku "
    ".config/configstore .config/containers/auth.json .config/google-chrome .config/chromium "
    ".config/BraveSoftware .config/Bitwarden .config/Slack .config/Signal "
    ".config/Code/User/globalStorage "
    ".password-store .local/share/keyrings .local/share/kwalletd .keychain .mozilla .thunderbird "
    ".electrum .bitcoin .ethereum .monero .solana .config/solana .cargo/credentials "
    ".cargo/credentials.toml .gem/credentials .terraform.d/credentials.tfrc.json .terraformrc "
    ".vault-token .boto .s3cfg .passwd-s3fs .oci .ibmcloud .bluemix .fly .databrickscfg .snowsql "
    ".dbt/profiles.yml .kaggle .huggingface/token .cache/huggingface/token .openai .anthropic "
    ".config/anthropic .claude/.credentials.json .codex/auth.json .hermes/.env .hermes/auth.json "
    ".gemini .config/github-copilot .age .config/age "
    ".config/tea .m2/settings.xml .gradle/gradle.properties .nuget .composer/auth.json .htpasswd "
    ".smbcredentials .wine/keys Library/Keychains Library/Cookies .msmtprc .fetchmailrc .muttrc "
    ".mailrc .rhosts .ICEauthority .Xauthority .config/filezilla .config/remmina .putty "
    ".local/share/Steam/config .minecraft/launcher_accounts.json .ssh/id_rsa .ssh/id_ed25519 "
    ".authinfo .authinfo.gpg .android/adbkey .config/stripe .supabase .config/ngrok .ngrok2 "
    ".sentryclirc .snowflake .aliyun .config/scw .config/linode-cli .ovh.conf .jfrog .argocd "
    ".config/argocd .circleci .twilio-cli .clasprc.json .mbsyncrc .offlineimaprc .config/msmtp "
    ".config/weechat/sec.conf .weechat/sec.conf .cursor/mcp.json .claude.json "
    ".config/helm/registry";

// Files of a home that run, or say what runs, when the person logs in or uses a program. A
// directory stands for all that is in it.
inline constexpr std::string_view kStartFiles =
    ".bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv "
    ".zprofile "
    ".zlogin .zlogout .kshrc .cshrc .tcshrc .login .inputrc .xinitrc .xprofile .xsession "
    ".xsessionrc .pam_environment .gitconfig .vimrc .gvimrc .vim .emacs .emacs.d .tmux.conf "
    ".screenrc .gdbinit .lldbinit .psqlrc .sqliterc .irbrc .pryrc .Rprofile .curlrc .wgetrc .ssh "
    ".gnupg .config/autostart .config/systemd .config/fish .config/environment.d .config/git "
    ".config/nvim .config/plasma-workspace .local/bin .local/lib .local/share/systemd "
    ".local/share/applications .cargo/bin .cargo/config.toml bin Library/LaunchAgents";

// One of each kind, for patterns.
inline constexpr std::string_view kSomeSecrets =
    "~/.ssh/id_rsa ~/.ssh/id_ed25519 ~/.aws/credentials ~/.netrc ~/.pgpass ~/.git-credentials "
    "~/.kube/config ~/.docker/config.json ~/.npmrc ~/.pypirc ~/.vault-token ~/.config/gh/hosts.yml "
    "~/.gnupg/secring.gpg /etc/shadow /etc/gshadow ~/.hermes/.env ~/.cargo/credentials.toml "
    "~/.local/share/keyrings/login.keyring ~/app/.env";

// What programs of the person keep about people: chats, mail, browsers, contacts.
inline constexpr std::string_view kApplicationData[] = {
    "~/Library/Messages",
    "~/Library/Mail",
    "~/Library/Safari",
    "~/Library/Calendars",
    "~/Library/Group Containers",
    "~/Library/Containers/com.apple.",
    "~/Library/Application Support/AddressBook",
    "~/Library/Application Support/CallHistory",
    "~/Library/Application Support/Google/Chrome",
    "~/Library/Application Support/Chromium",
    "~/Library/Application Support/BraveSoftware",
    "~/Library/Application Support/Microsoft Edge",
    "~/Library/Application Support/Arc",
    "~/Library/Application Support/Firefox",
    "~/Library/Application Support/Signal",
    "~/Library/Application Support/Slack",
    "~/Library/Application Support/discord",
    "~/Library/Application Support/Telegram",
    "~/Library/Application Support/WhatsApp",
    "~/Library/Application Support/1Password",
    "~/Library/Application Support/MobileSync",
    "~/Library/Application Support/com.apple.TCC",
    "~/Library/Application Support/Knowledge",
    "~/Library/Accounts",
    "~/Library/HomeKit",
    "~/Library/Thunderbird",
    "~/.config/discord",
    "~/.config/Element",
    "~/.config/skypeforlinux",
    "~/.config/teams",
    "~/.config/Microsoft",
    "~/.config/vivaldi",
    "~/.config/microsoft-edge",
    "~/.config/opera",
    "~/.config/1Password",
    "~/.config/joplin-desktop",
    "~/.config/evolution",
    "~/.config/WhatsApp",
    "~/.config/whatsapp",
    "~/.config/Mattermost",
    "~/.config/Rocket.Chat",
    "~/.config/Wire",
    "~/.config/hexchat",
    "~/.local/share/TelegramDesktop",
    "~/.local/share/evolution",
    "~/.local/share/geary",
    "~/.local/share/kmail",
    "~/.local/share/akonadi",
    "~/.local/share/gajim",
    "~/.local/share/dino",
    "~/.local/share/signal-cli",
    "~/.purple",
    "~/.weechat/logs",
    "~/snap/firefox",
    "~/snap/chromium",
    "~/snap/thunderbird",
    "~/snap/signal-desktop",
    "~/snap/telegram-desktop",
    "~/.var/app/org.mozilla",
    "~/.var/app/org.signal",
    "~/.var/app/org.telegram",
    "~/.var/app/com.discordapp",
    "~/.var/app/com.slack",
    "~/.var/app/com.google.Chrome",
    "/AppData/Local/Google/Chrome",
    "/AppData/Local/Microsoft/Edge",
    "/AppData/Local/Microsoft/Outlook",
    "/AppData/Local/Packages",
    "/AppData/Roaming/Mozilla",
    "/AppData/Roaming/Thunderbird",
    "/AppData/Roaming/Signal",
    "/AppData/Roaming/Slack",
    "/AppData/Roaming/discord",
    "/AppData/Roaming/Telegram Desktop",
};

// And by their own name, wherever they are. "*x": whatever ends so.
inline constexpr std::string_view kSecretNames =
    "id_rsa id_ed25519 id_ecdsa id_dsa id_ed25519_sk id_ecdsa_sk .netrc .pgpass .git-credentials "
    ".htpasswd shadow gshadow master.passwd credentials.json service-account.json "
    "service_account.json serviceaccount.json client_secret.json secrets.yml secrets.yaml "
    "secrets.json secrets.toml secrets.env credentials.yml.enc master.key vault_pass .vault_pass "
    "vault-password wallet.dat keystore.jks cookies.sqlite logins.json key4.db auth.json "
    "kubeconfig "
    "terraform.tfstate .terraformrc authtoken token.json tokens.json secring.gpg private.key "
    "*.kdbx *.kdb *.pem *.p12 *.pfx *.jks *.keystore *.ppk *.key *.asc *.agekey *.age *.ovpn "
    "*_rsa *_ed25519 *-key.json *_wallet";

// What a person does not send away, though it may be looked at.
inline constexpr std::string_view kPrivateHomeFiles =
    ".bash_history .zsh_history .python_history .node_repl_history .psql_history .mysql_history "
    ".sqlite_history .lesshst .viminfo .local/share/fish .ssh .config .local/share .mozilla "
    ".bashrc "
    ".zshrc .profile .gitconfig .env";

}  // namespace talaria::guard
