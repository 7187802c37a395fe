#include "host/config/setting_table.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

#include "base/text.h"
#include "host/config/command_settings.h"
#include "host/config/policy_settings.h"

namespace talaria::host {
namespace {

using enum SettingType;
using enum Standing;

constexpr std::string_view kDefaultImage = "nikolaik/python-nodejs:python3.11-nodejs20";

constexpr std::array kContainerSettings{
    Setting("TERMINAL_CONTAINER_CPU", "terminal.container_cpu", number, "1", "CPUs of a container"),
    Setting("TERMINAL_CONTAINER_MEMORY", "terminal.container_memory", integer, "5120",
            "memory of a container, MB"),
    Setting("TERMINAL_CONTAINER_DISK", "terminal.container_disk", integer, "51200",
            "disk of a container, MB"),
    Setting("TERMINAL_CONTAINER_PERSISTENT", "terminal.container_persistent", boolean, "true",
            "keep the files of a container"),
};

constexpr std::array kPoolSettings{
    Setting("TERMINAL_POOL_SIZE", "pool.size", integer, "0",
            "containers or instances that wait for new tasks, with their runners up; 0: none",
            {.most = 64}),
};

constexpr std::array kDockerSettings{
    Setting("TERMINAL_DOCKER_IMAGE", "terminal.docker_image", text, kDefaultImage, "the image"),
    Setting("TERMINAL_DOCKER_FORWARD_ENV", "terminal.docker_forward_env", list, "[]",
            "variables to pass on, including secrets"),
    Setting("TERMINAL_DOCKER_VOLUMES", "terminal.docker_volumes", list, "[]",
            "volumes, as for `-v`"),
    Setting("TERMINAL_DOCKER_EXTRA_ARGS", "terminal.docker_extra_args", list, "[]",
            "further arguments of `run`"),
    Setting("TERMINAL_DOCKER_ENV", "terminal.docker_env", object, "{}", "variables to set",
            {.secret = true}),
    Setting("TERMINAL_DOCKER_NETWORK", "terminal.docker_network", boolean, "true",
            "allow network access"),
    Setting("TERMINAL_DOCKER_MOUNT_CWD_TO_WORKSPACE", "terminal.docker_mount_cwd_to_workspace",
            boolean, "false", "mount the caller's directory as `/workspace`"),
    Setting("TERMINAL_DOCKER_RUN_AS_HOST_USER", "terminal.docker_run_as_host_user", boolean,
            "false", "run as the caller's user and group"),
    Setting("TERMINAL_DOCKER_PERSIST_ACROSS_PROCESSES", "terminal.docker_persist_across_processes",
            boolean, "true", "keep the container running and use it again"),
    Setting("TERMINAL_DOCKER_ORPHAN_REAPER", "terminal.docker_orphan_reaper", boolean, "true",
            "remove containers that are no longer used"),
    Setting("HERMES_DOCKER_BINARY", "", path, "", "program of the engine",
            {.default_note = "found on PATH"}),
};

constexpr std::array kSingularitySettings{
    Setting("TERMINAL_SINGULARITY_IMAGE", "terminal.singularity_image", text,
            "docker://nikolaik/python-nodejs:python3.11-nodejs20",
            "the image: a file (`x.sif`), a directory or a reference; a `docker://` reference is "
            "built into a file once"),
    Setting("TERMINAL_SCRATCH_DIR", "terminal.scratch_dir", path, "", "directory for overlays",
            {.default_note = "`/scratch/USER/hermes-agent`, else below the sandbox directory"}),
    Setting("APPTAINER_CACHEDIR", "", path, "", "directory for images",
            {.default_note = "`.apptainer` in the scratch directory"}),
};

constexpr std::array kSshSettings{
    Setting("TERMINAL_SSH_HOST", "terminal.ssh_host", text, "",
            "the host, or its alias in the ssh configuration"),
    Setting("TERMINAL_SSH_USER", "terminal.ssh_user", text, "", "the user at the host"),
    Setting("TERMINAL_SSH_PORT", "terminal.ssh_port", integer, "22",
            "the port; 22: as in the ssh configuration", {.least = 1, .most = 65535}),
    Setting("TERMINAL_SSH_KEY", "terminal.ssh_key", path, "", "file of the private key"),
    Setting("TERMINAL_SSH_CONFIG", "terminal.ssh_config", path, "",
            "configuration file of ssh, as for `-F`",
            {.default_note = "the user's and the system's"}),
};

constexpr std::array kModalSettings{
    Setting("TERMINAL_MODAL_MODE", "terminal.modal_mode", choice, "auto",
            "`direct`: with your own account; `managed`: through the gateway; `auto`: through the "
            "gateway if there is a token for it",
            {.choices = "auto direct managed", .forgiving = true}),
    Setting("TERMINAL_MODAL_SANDBOX_TIMEOUT", "terminal.modal_sandbox_timeout", time, "3600",
            "longest life of a sandbox, seconds; it ends even if commands run in it",
            {.least = 10, .most = 86'400}),
    Setting("MODAL_TOKEN_ID", "", text, "", "token of the account",
            {.default_note = "from the profile, here and below", .secret = true}),
    Setting("MODAL_TOKEN_SECRET", "", text, "", "secret of the token", {.secret = true}),
    Setting("MODAL_SERVER_URL", "", text, "https://api.modal.com", "URL of the service"),
    Setting("MODAL_ENVIRONMENT", "", text, "", "environment of the workspace at Modal"),
    Setting("MODAL_IMAGE_BUILDER_VERSION", "", text, "", "version of Modal's image builder",
            {.default_note = "the default of the environment"}),
    Setting("MODAL_PROFILE", "", text, "", "profile in the file of Modal's own programs",
            {.default_note = "the active one"}),
    Setting("MODAL_CONFIG_PATH", "", path, "", "file with the profiles of Modal's own programs",
            {.default_note = "`~/.modal.toml`"}),
};

constexpr std::array kManagedSettings{
    Setting("TERMINAL_MODAL_IMAGE", "terminal.modal_image", text, kDefaultImage, "the image"),
    Setting("MODAL_GATEWAY_URL", "", text, "", "URL of the gateway",
            {.default_note = "`modal-gateway.` and the domain"}),
    Setting("TERMINAL_MANAGED_MODAL_CONNECT_TIMEOUT_SECONDS",
            "terminal.managed_modal_connect_timeout_seconds", fine_time, "1",
            "time limit to connect to the gateway, to poll or cancel a command",
            {.least = 0.001, .forgiving = true}),
    Setting("TERMINAL_MANAGED_MODAL_POLL_READ_TIMEOUT_SECONDS",
            "terminal.managed_modal_poll_read_timeout_seconds", fine_time, "5",
            "time limit for the answer to a poll", {.least = 0.001, .forgiving = true}),
    Setting("TERMINAL_MANAGED_MODAL_CANCEL_READ_TIMEOUT_SECONDS",
            "terminal.managed_modal_cancel_read_timeout_seconds", fine_time, "5",
            "time limit for the answer to a cancel", {.least = 0.001, .forgiving = true}),
    Setting("TERMINAL_GATEWAY_CA_FILE", "terminal.gateway_ca_file", path, "",
            "certificates (PEM) to trust for the gateway, in addition to the system's"),
    Setting("TOOL_GATEWAY_DOMAIN", "", text, "nousresearch.com", "domain of the gateways"),
    Setting("TOOL_GATEWAY_SCHEME", "", text, "https", "`https` or `http`"),
    Setting("TOOL_GATEWAY_USER_TOKEN", "", text, "", "token for the gateways",
            {.default_note = "the token in `<home>/auth.json`", .secret = true}),
};

constexpr std::array kDaytonaSettings{
    Setting("TERMINAL_DAYTONA_IMAGE", "terminal.daytona_image", text, kDefaultImage, "the image"),
    Setting("DAYTONA_API_KEY", "", text, "", "key of the account", {.secret = true}),
    Setting("DAYTONA_API_URL", "", text, "https://app.daytona.io/api", "URL of the service"),
    Setting("DAYTONA_TARGET", "", text, "", "region for new sandboxes",
            {.default_note = "the default of the account"}),
};

constexpr std::array kToolSettings{
    Setting("HERMES_FORCE_FILE_SYNC", "", flag, "",
            "check before every command whether shared files must be copied, not only every 5 "
            "seconds",
            {.targets = "ssh modal daytona"}),
    // results
    Setting("", "tool_output.max_bytes", integer, "50000",
            "characters of a command's output in a result", {.least = 1, .most = 10'000'000}),
    Setting("", "tool_output.max_lines", integer, "2000",
            "lines that one read of a file may request", {.least = 1, .most = 1'000'000}),
    Setting("", "tool_output.max_line_length", integer, "2000",
            "characters of a line that one read of a file shows", {.least = 1, .most = 1'000'000}),
    Setting("", "tool_output.max_result_chars", integer, "100000",
            "characters of a result; a larger result is stored in a file at the target",
            {.least = 1, .most = 100'000'000}),
    Setting("", "tool_output.result_chars", object, "{}",
            "the same limit for single tools: `{search_files: 20000}`"),
    Setting("", "tool_output.max_turn_chars", integer, "200000",
            "characters of all results of one turn, if the agent reports which calls belong to it",
            {.least = 1, .most = 100'000'000}),
    Setting("", "file_read_max_chars", integer, "100000",
            "characters that one read of a file may return", {.least = 1, .most = 10'000'000}),
    // files and scripts
    Setting("HERMES_WRITE_SAFE_ROOT", "", path, "",
            "write_file and patch change only files below this directory"),
    Setting("HERMES_DISABLE_FILE_STATE_GUARD", "", flag, "",
            "write files without comparing them with what was read"),
    Setting("HERMES_TIMEZONE", "", text, "", "TZ of scripts"),
    Setting("", "code_execution.timeout", time, "300", "time limit of a script, seconds",
            {.least = 1}),
    Setting("", "code_execution.max_tool_calls", integer, "50", "tool calls a script may make",
            {.least = 0}),
    Setting("", "code_execution.python", path, "", "Python for scripts without a venv",
            {.default_note = "python3 of the target"}),
    Setting("", "code_execution.mode", choice, "project",
            "where scripts run, and with which Python", {.choices = "project strict"}),
};

constexpr std::array kWebSettings{
    Setting("", "web.backend", text, "", "provider for search and extraction",
            {.default_note = "the first that is configured"}),
    Setting("", "web.search_backend", text, "", "provider for search"),
    Setting("", "web.extract_backend", text, "", "provider for extraction"),
    Setting("", "web.use_gateway", boolean, "false", "use firecrawl through the gateway",
            {.standing = planned}),
    Setting("FIRECRAWL_API_KEY", "", text, "", "key for firecrawl",
            {.standing = planned, .secret = true}),
    Setting("FIRECRAWL_API_URL", "", text, "", "URL of your own firecrawl", {.standing = planned}),
    Setting("FIRECRAWL_GATEWAY_URL", "", text, "", "URL of the gateway to firecrawl",
            {.standing = planned}),
    Setting("PARALLEL_API_KEY", "", text, "", "key for parallel",
            {.standing = planned, .secret = true}),
    Setting("PARALLEL_SEARCH_MODE", "", choice, "agentic", "search mode of parallel",
            {.standing = planned, .choices = "agentic fast one-shot"}),
    Setting("TAVILY_API_KEY", "", text, "", "key for tavily", {.secret = true}),
    Setting("TAVILY_BASE_URL", "", text, "", "URL of tavily"),
    Setting("EXA_API_KEY", "", text, "", "key for exa", {.standing = planned, .secret = true}),
    Setting("SEARXNG_URL", "", text, "", "URL of a searxng"),
    Setting("BRAVE_SEARCH_API_KEY", "", text, "", "key for brave", {.secret = true}),
    Setting("XAI_API_KEY", "", text, "", "key for xai", {.standing = planned, .secret = true}),
    Setting("", "web.xai.model", text, "", "model of xai", {.standing = planned}),
    Setting("", "web.xai.allowed_domains", list, "[]", "domains that xai searches only",
            {.standing = planned}),
    Setting("", "web.xai.excluded_domains", list, "[]", "domains that xai does not search",
            {.standing = planned}),
    Setting("", "web.xai.timeout", fine_time, "90", "time limit of xai, seconds",
            {.standing = planned, .least = 0.001}),
    Setting("HERMES_ALLOW_PRIVATE_URLS", "security.allow_private_urls", boolean, "false",
            "allow pages of private networks", {.older_key = "browser.allow_private_urls"}),
    Setting("", "security.website_blocklist.enabled", boolean, "false",
            "refuse the domains of the blocklist", {.forgiving = true}),
    Setting("", "security.website_blocklist.domains", list, "[]", "domains of the blocklist",
            {.forgiving = true}),
    Setting("", "security.website_blocklist.shared_files", list, "[]", "files with further domains",
            {.forgiving = true}),
};

constexpr std::array kGatewaySettings{
    Setting("TALARIA_GATEWAY_MAX_CPU", "gateway.max_cpu", number, "0",
            "CPUs that a sandbox of the gateway may request; 0: any"),
    Setting("TALARIA_GATEWAY_MAX_MEMORY", "gateway.max_memory", integer, "0",
            "memory that a sandbox of the gateway may request, MB; 0: any"),
    Setting("TALARIA_GATEWAY_MAX_DISK", "gateway.max_disk", integer, "0",
            "disk that a sandbox of the gateway may request, MB; 0: any"),
    Setting("TALARIA_GATEWAY_IMAGES", "gateway.images", list, "[]",
            "images that a sandbox may use besides the configured one, as `python:3.*`; `*` is any "
            "text",
            {.default_note = "any image"}),
    Setting("TALARIA_GATEWAY_MAX_SANDBOXES", "gateway.max_sandboxes", integer, "0",
            "sandboxes of one user at the same time, for tokens without a limit of their own; 0: "
            "4000, as for all users together"),
    Setting("TALARIA_GATEWAY_MAX_EXECS", "gateway.max_execs", integer, "0",
            "execs of one user that have not ended, for tokens without a limit of their own; 0: "
            "4000, as for all users together"),
    Setting("TALARIA_GATEWAY_RATE", "gateway.rate", integer, "0",
            "requests per minute of a token without a limit of its own; 0: any number"),
};

template <std::size_t count>
constexpr auto for_targets(std::string_view targets, std::array<Setting, count> rows) {
  for (Setting& row : rows) row.details.targets = targets;
  return rows;
}

template <std::size_t... counts>
constexpr auto concatenated(const std::array<Setting, counts>&... parts) {
  std::array<Setting, (counts + ...)> all{};
  auto place = all.begin();
  ((place = std::ranges::copy(parts, place).out), ...);
  return all;
}

// In the order of the documentation.
constexpr auto kSettings = concatenated(
    kCommandSettings, for_targets(kContainers, kContainerSettings),
    for_targets("docker podman singularity", kPoolSettings),
    for_targets("docker podman", kDockerSettings), for_targets("singularity", kSingularitySettings),
    for_targets("ssh", kSshSettings), for_targets("modal", kModalSettings),
    for_targets("modal managed", kManagedSettings), for_targets("daytona", kDaytonaSettings),
    kToolSettings, kWebSettings, kPolicySettings, kGatewaySettings);

}  // namespace

bool Setting::is_variable(std::string_view word) const {
  return !word.empty() && (word == variable || word == details.older_variable);
}

bool Setting::is_key(std::string_view word) const {
  return !word.empty() && (word == key || word == details.older_key);
}

bool Setting::counts_for(std::string_view target) const {
  if (details.targets.empty()) return details.standing == Standing::works;
  std::string_view targets = details.targets;
  while (!targets.empty()) {
    if (next_word(targets) == target) return true;
  }
  return false;
}

std::span<const Setting> all_settings() { return kSettings; }

const Setting& setting(std::string_view name) {
  const auto found = std::ranges::find(kSettings, name, &Setting::name);
  if (found == kSettings.end()) throw std::logic_error("no setting " + std::string(name));
  return *found;
}

const Setting* find_key(std::string_view key) {
  const auto found =
      std::ranges::find_if(kSettings, [&](const Setting& row) { return row.is_key(key); });
  return found == kSettings.end() ? nullptr : &*found;
}

const Setting* find_variable(std::string_view variable) {
  const auto found = std::ranges::find_if(
      kSettings, [&](const Setting& row) { return row.is_variable(variable); });
  return found == kSettings.end() ? nullptr : &*found;
}

}  // namespace talaria::host
