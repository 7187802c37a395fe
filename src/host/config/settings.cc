#include "host/config/settings.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

#include "host/config/command_settings.h"
#include "host/config/policy_settings.h"

namespace talaria {
namespace {

using enum SettingType;
using enum Standing;

constexpr std::string_view kDocker = "docker podman";
constexpr std::string_view kModal = "modal managed";
constexpr std::string_view kSynced = "ssh modal daytona";
constexpr std::string_view kImage = "nikolaik/python-nodejs:python3.11-nodejs20";

constexpr auto kOtherSettings = std::to_array<Setting>({
    // containers of any kind
    {"TERMINAL_CONTAINER_CPU",
     "terminal.container_cpu",
     number,
     "1",
     "CPUs",
     {.standing = works, .targets = kContainers}},
    {"TERMINAL_CONTAINER_MEMORY",
     "terminal.container_memory",
     integer,
     "5120",
     "memory, MB",
     {.standing = works, .targets = kContainers}},
    {"TERMINAL_CONTAINER_DISK",
     "terminal.container_disk",
     integer,
     "51200",
     "disk, MB",
     {.standing = works, .targets = kContainers}},
    {"TERMINAL_CONTAINER_PERSISTENT",
     "terminal.container_persistent",
     boolean,
     "true",
     "keep its files",
     {.standing = works, .targets = kContainers}},

    // docker, podman
    {"TERMINAL_DOCKER_IMAGE",
     "terminal.docker_image",
     text,
     kImage,
     "the image",
     {.standing = works, .targets = kDocker}},
    {"TERMINAL_DOCKER_FORWARD_ENV",
     "terminal.docker_forward_env",
     list,
     "[]",
     "variables to pass on, secrets too",
     {.standing = works, .targets = kDocker}},
    {"TERMINAL_DOCKER_VOLUMES",
     "terminal.docker_volumes",
     list,
     "[]",
     "mounts, as for `-v`",
     {.standing = works, .targets = kDocker}},
    {"TERMINAL_DOCKER_EXTRA_ARGS",
     "terminal.docker_extra_args",
     list,
     "[]",
     "further arguments of `run`",
     {.standing = works, .targets = kDocker}},
    {"TERMINAL_DOCKER_ENV",
     "terminal.docker_env",
     object,
     "{}",
     "variables to set",
     {.standing = works, .targets = kDocker, .secret = true}},
    {"TERMINAL_DOCKER_NETWORK",
     "terminal.docker_network",
     boolean,
     "true",
     "false: no network",
     {.standing = works, .targets = kDocker}},
    {"TERMINAL_DOCKER_MOUNT_CWD_TO_WORKSPACE",
     "terminal.docker_mount_cwd_to_workspace",
     boolean,
     "false",
     "the caller's directory as `/workspace`",
     {.standing = works, .targets = kDocker}},
    {"TERMINAL_DOCKER_RUN_AS_HOST_USER",
     "terminal.docker_run_as_host_user",
     boolean,
     "false",
     "the caller's user and group in the container",
     {.standing = works, .targets = kDocker}},
    {"TERMINAL_DOCKER_PERSIST_ACROSS_PROCESSES",
     "terminal.docker_persist_across_processes",
     boolean,
     "true",
     "use the same container again",
     {.standing = works, .targets = kDocker}},
    {"TERMINAL_DOCKER_ORPHAN_REAPER",
     "terminal.docker_orphan_reaper",
     boolean,
     "true",
     "remove forgotten containers",
     {.standing = works, .targets = kDocker}},
    {"HERMES_DOCKER_BINARY",
     "",
     path,
     "",
     "the engine's program",
     {.standing = works, .targets = kDocker, .default_note = "found on PATH"}},

    // singularity
    {"TERMINAL_SINGULARITY_IMAGE",
     "terminal.singularity_image",
     text,
     "docker://nikolaik/python-nodejs:python3.11-nodejs20",
     "the image: a file (`x.sif`), a directory, or a reference; `docker://` ones are built into a "
     "file once",
     {.standing = works, .targets = "singularity"}},
    {"TERMINAL_SCRATCH_DIR",
     "terminal.scratch_dir",
     path,
     "",
     "where overlays are",
     {.standing = works,
      .targets = "singularity",
      .default_note = "`/scratch/USER/hermes-agent`, else below the sandbox directory"}},
    {"APPTAINER_CACHEDIR",
     "",
     path,
     "",
     "where images are kept",
     {.standing = works,
      .targets = "singularity",
      .default_note = "`.apptainer` in the scratch directory"}},

    // ssh
    {"TERMINAL_SSH_HOST",
     "terminal.ssh_host",
     text,
     "",
     "the host, or its name in the ssh configuration",
     {.standing = works, .targets = "ssh"}},
    {"TERMINAL_SSH_USER",
     "terminal.ssh_user",
     text,
     "",
     "the user there",
     {.standing = works, .targets = "ssh"}},
    {"TERMINAL_SSH_PORT",
     "terminal.ssh_port",
     integer,
     "22",
     "the port; 22: as the ssh configuration says",
     {.standing = works, .targets = "ssh", .least = 1, .most = 65535}},
    {"TERMINAL_SSH_KEY",
     "terminal.ssh_key",
     path,
     "",
     "the private key's file",
     {.standing = works, .targets = "ssh"}},
    {"TERMINAL_SSH_CONFIG",
     "terminal.ssh_config",
     path,
     "",
     "a configuration for ssh, as for its `-F`",
     {.standing = works, .targets = "ssh", .default_note = "the person's and the system's"}},

    // modal, daytona and the gateway
    {"TERMINAL_MODAL_IMAGE",
     "terminal.modal_image",
     text,
     kImage,
     "the image",
     {.targets = kModal}},
    {"TERMINAL_MODAL_MODE",
     "terminal.modal_mode",
     choice,
     "auto",
     "with our own account or through the gateway",
     {.targets = "modal", .choices = "auto direct managed"}},
    {"MODAL_TOKEN_ID", "", text, "", "the account", {.targets = "modal", .secret = true}},
    {"MODAL_TOKEN_SECRET", "", text, "", "its secret", {.targets = "modal", .secret = true}},
    {"MODAL_SERVER_URL", "", text, "https://api.modal.com", "the service", {.targets = "modal"}},
    {"MODAL_GATEWAY_URL",
     "",
     text,
     "",
     "the gateway",
     {.targets = kModal, .default_note = "`modal-gateway.` and the domain"}},
    {"TERMINAL_MANAGED_MODAL_CONNECT_TIMEOUT_SECONDS",
     "terminal.managed_modal_connect_timeout_seconds",
     number,
     "1",
     "connecting to the gateway",
     {.targets = kModal, .least = 0.001}},
    {"TERMINAL_MANAGED_MODAL_POLL_READ_TIMEOUT_SECONDS",
     "terminal.managed_modal_poll_read_timeout_seconds",
     number,
     "5",
     "waiting for its answer",
     {.targets = kModal, .least = 0.001}},
    {"TERMINAL_MANAGED_MODAL_CANCEL_READ_TIMEOUT_SECONDS",
     "terminal.managed_modal_cancel_read_timeout_seconds",
     number,
     "5",
     "waiting for it to cancel",
     {.targets = kModal, .least = 0.001}},
    {"TERMINAL_DAYTONA_IMAGE",
     "terminal.daytona_image",
     text,
     kImage,
     "the image",
     {.targets = "daytona"}},
    {"DAYTONA_API_KEY", "", text, "", "the account", {.targets = "daytona", .secret = true}},
    {"DAYTONA_API_URL",
     "",
     text,
     "https://app.daytona.io/api",
     "the service",
     {.targets = "daytona"}},
    {"TOOL_GATEWAY_DOMAIN", "", text, "nousresearch.com", "the gateways' domain"},
    {"TOOL_GATEWAY_SCHEME", "", choice, "https", "how to reach them", {.choices = "https http"}},
    {"TOOL_GATEWAY_USER_TOKEN", "", text, "", "who we are to them", {.secret = true}},
    {"HERMES_FORCE_FILE_SYNC",
     "",
     flag,
     "",
     "look before every command whether skills, caches and credential files have to be copied, "
     "not only every 5 seconds",
     {.standing = works, .targets = kSynced}},

    // what results show
    {"",
     "tool_output.max_bytes",
     integer,
     "50000",
     "characters of a command's output in a result",
     {.standing = works, .least = 1, .most = 10'000'000}},
    {"",
     "tool_output.max_lines",
     integer,
     "2000",
     "lines one read of a file may ask for",
     {.least = 1}},
    {"", "tool_output.max_line_length", integer, "2000", "characters of a line", {.least = 1}},
    {"",
     "file_read_max_chars",
     integer,
     "100000",
     "characters one read of a file may give",
     {.least = 1}},
    // files and scripts
    {"HERMES_WRITE_SAFE_ROOT", "", path, "", "files are written below it only"},
    {"HERMES_DISABLE_FILE_STATE_GUARD", "", flag, "", "do not compare files with what was read"},
    {"HERMES_TIMEZONE", "", text, "", "TZ of scripts"},
    {"", "code_execution.timeout", integer, "300", "seconds a script may take", {.least = 1}},
    {"", "code_execution.max_tool_calls", integer, "50", "tool calls a script may make"},
    {"",
     "code_execution.mode",
     choice,
     "project",
     "where scripts run, and with which Python",
     {.choices = "project strict"}},

    // the web
    {"",
     "web.backend",
     text,
     "",
     "who searches and extracts",
     {.default_note = "the first that is set up"}},
    {"", "web.search_backend", text, "", "who searches"},
    {"", "web.extract_backend", text, "", "who extracts"},
    {"", "web.use_gateway", boolean, "false", "firecrawl through the gateway"},
    {"FIRECRAWL_API_KEY", "", text, "", "firecrawl's account", {.secret = true}},
    {"FIRECRAWL_API_URL", "", text, "", "a firecrawl of one's own"},
    {"FIRECRAWL_GATEWAY_URL", "", text, "", "the gateway to it"},
    {"PARALLEL_API_KEY", "", text, "", "parallel's account", {.secret = true}},
    {"PARALLEL_SEARCH_MODE",
     "",
     choice,
     "agentic",
     "how it searches",
     {.choices = "agentic fast one-shot"}},
    {"TAVILY_API_KEY", "", text, "", "tavily's account", {.secret = true}},
    {"TAVILY_BASE_URL", "", text, "", "the service"},
    {"EXA_API_KEY", "", text, "", "exa's account", {.secret = true}},
    {"SEARXNG_URL", "", text, "", "a searxng"},
    {"BRAVE_SEARCH_API_KEY", "", text, "", "brave's account", {.secret = true}},
    {"XAI_API_KEY", "", text, "", "xai's account", {.secret = true}},
    {"", "web.xai.model", text, "", "its model"},
    {"", "web.xai.allowed_domains", list, "[]", "search there only"},
    {"", "web.xai.excluded_domains", list, "[]", "do not search there"},
    {"", "web.xai.timeout", number, "90", "seconds it may take", {.least = 0.001}},
    {"HERMES_ALLOW_PRIVATE_URLS",
     "security.allow_private_urls",
     boolean,
     "false",
     "pages of private networks, too",
     {.older_key = "browser.allow_private_urls"}},
    {"", "security.website_blocklist.enabled", boolean, "false", "refuse some domains"},
    {"", "security.website_blocklist.domains", list, "[]", "which"},
    {"", "security.website_blocklist.shared_files", list, "[]", "files with more of them"},
});

// One after the other, in the order of the documentation.
constexpr auto kSettings = [] {
  std::array<Setting, kCommandSettings.size() + kOtherSettings.size() + kPolicySettings.size()>
      all{};
  auto place = std::ranges::copy(kCommandSettings, all.begin()).out;
  place = std::ranges::copy(kOtherSettings, place).out;
  std::ranges::copy(kPolicySettings, place);
  return all;
}();

}  // namespace

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

}  // namespace talaria
