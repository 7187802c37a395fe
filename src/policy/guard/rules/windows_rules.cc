// Programs of Windows, which WSL and Git Bash can start, and settings of macOS.
#include <algorithm>
#include <cctype>
#include <string>

#include "policy/guard/rules/rule.h"

namespace talaria::guard {
namespace {

// /F, //F of Git Bash, -F: without the mark and what follows a colon, in lower case
std::string plain_switch(std::string_view word) {
  while (!word.empty() && (word.front() == '/' || word.front() == '-')) word.remove_prefix(1);
  return lower_case(word.substr(0, word.find_first_of(":=")));
}

// A program, and the words of which one makes it change something. "": it always does.
struct Tool {
  std::string_view programs;
  std::string_view words;
};
constexpr Tool kTools[] = {
    {"sc.exe sc", "stop start delete config create failure pause control sdset"},
    {"reg reg.exe", "add delete import load unload restore copy save"},
    {"regedit regedit.exe regedt32 regedt32.exe", "s i"},
    {"schtasks schtasks.exe", "create delete change run end"},
    {"at.exe", "delete yes every next"},
    {"netsh netsh.exe", "set add delete reset import key"},
    {"wsl wsl.exe",
     "unregister shutdown terminate t uninstall set-default s mount unmount import "
     "import-in-place manage update set-version set-default-version"},
    {"wslconfig wslconfig.exe", "u unregister s setdefault t terminate"},
    {"diskpart diskpart.exe", ""},
    {"bcdedit bcdedit.exe",
     "set delete deletevalue import default timeout create copy bootsequence displayorder debug"},
    {"bootrec bootrec.exe bootsect bootsect.exe bcdboot bcdboot.exe", ""},
    {"reagentc reagentc.exe", "disable enable setreimage"},
    {"vssadmin vssadmin.exe", "delete resize revert"},
    {"wbadmin wbadmin.exe", "delete start disable enable"},
    {"wmic wmic.exe", "delete call create set"},
    {"wevtutil wevtutil.exe", "cl clear-log sl set-log um im"},
    {"fsutil fsutil.exe", "deletejournal setzerodata set setdirty delete createnew"},
    {"cipher cipher.exe", "w e d"},
    {"manage-bde manage-bde.exe", "off on lock unlock protectors changepin forcerecovery"},
    {"icacls icacls.exe cacls cacls.exe xcacls",
     "grant deny remove reset setowner inheritance restore g p r e"},
    {"takeown takeown.exe", "f"},
    {"attrib.exe", "s"},
    {"powercfg powercfg.exe",
     "h hibernate change x setactive s delete d import restoredefaultschemes"},
    {"setx setx.exe", ""},
    {"dism dism.exe",
     "remove-package disable-feature enable-feature add-package apply-image add-driver "
     "remove-driver cleanup-image restorehealth"},
    {"pnputil pnputil.exe", "delete-driver add-driver d a remove-device disable-device"},
    {"msiexec msiexec.exe", "i x package uninstall a update"},
    {"winget winget.exe choco choco.exe", "install uninstall upgrade update remove import add"},
    {"scoop", "uninstall reset cleanup"},
    {"secedit secedit.exe", "configure import"},
    {"auditpol auditpol.exe", "set clear remove restore"},
    {"gpupdate.exe", "force"},
    {"certutil certutil.exe", "urlcache addstore delstore importpfx verifyctl"},
    {"bitsadmin bitsadmin.exe", "transfer addfile create setnotifycmdline resume"},
    {"mshta mshta.exe rundll32 rundll32.exe regsvr32 regsvr32.exe installutil.exe", ""},
    {"psexec psexec.exe psexec64.exe runas runas.exe", ""},
    {"logoff logoff.exe tsdiscon tsdiscon.exe rwinsta rwinsta.exe", ""},
    {"sdelete sdelete.exe sdelete64.exe", ""},
    {"cmdkey cmdkey.exe", "add delete generic"},
    {"robocopy robocopy.exe", "mir purge move mov"},
    {"usbipd usbipd.exe", "attach bind detach unbind"},
    {"dsadd dsmod dsrm dsadd.exe dsmod.exe dsrm.exe", ""},
    {"iisreset iisreset.exe appcmd appcmd.exe", ""},
    {"mountvol mountvol.exe", "d r n e"},
    {"w32tm.exe tzutil.exe", "s config resync unregister"},
};
constexpr std::string_view kToolPrograms =
    "sc.exe sc reg reg.exe regedit regedit.exe regedt32 regedt32.exe schtasks schtasks.exe at.exe "
    "netsh netsh.exe wsl wsl.exe wslconfig wslconfig.exe diskpart diskpart.exe bcdedit "
    "bcdedit.exe bootrec bootrec.exe bootsect bootsect.exe bcdboot bcdboot.exe reagentc "
    "reagentc.exe vssadmin vssadmin.exe wbadmin wbadmin.exe wmic wmic.exe wevtutil wevtutil.exe "
    "fsutil fsutil.exe cipher cipher.exe manage-bde manage-bde.exe icacls icacls.exe cacls "
    "cacls.exe xcacls takeown takeown.exe attrib.exe powercfg powercfg.exe setx setx.exe dism "
    "dism.exe pnputil pnputil.exe msiexec msiexec.exe winget winget.exe choco choco.exe scoop "
    "secedit secedit.exe auditpol auditpol.exe gpupdate.exe certutil certutil.exe bitsadmin "
    "bitsadmin.exe mshta mshta.exe rundll32 rundll32.exe regsvr32 regsvr32.exe installutil.exe "
    "psexec psexec.exe psexec64.exe runas runas.exe logoff logoff.exe tsdiscon tsdiscon.exe "
    "rwinsta rwinsta.exe sdelete sdelete.exe sdelete64.exe cmdkey cmdkey.exe robocopy "
    "robocopy.exe usbipd usbipd.exe dsadd dsmod dsrm dsadd.exe dsmod.exe dsrm.exe iisreset "
    "iisreset.exe appcmd appcmd.exe mountvol mountvol.exe w32tm.exe tzutil.exe";

bool asks_for_help(const Arguments& arguments) {
  return arguments.any_word([](std::string_view word) {
    return among(word, "/? //? -? --help --version --status --list -l -v");
  });
}

bool changes_windows(const Arguments& arguments) {
  if (asks_for_help(arguments)) return false;
  for (const Tool& tool : kTools) {
    if (!among(arguments.command.program, tool.programs)) continue;
    if (tool.words.empty()) return true;
    // what wsl starts is judged by itself
    const bool wsl = arguments.command.program.starts_with("wsl");
    if (arguments.any_word([&](std::string_view word) {
          return (!wsl || word.starts_with('-')) && among(plain_switch(word), tool.words);
        })) {
      return true;
    }
  }
  return false;
}

// taskkill /PID 12 ends one process, as `kill 12` does
bool kills_by_name(const Arguments& arguments) {
  if (asks_for_help(arguments)) return false;
  if (arguments.command.program.starts_with("tskill")) {
    return arguments.verb(0).find_first_not_of("0123456789") != std::string_view::npos;
  }
  return arguments.any_word(
      [](std::string_view word) { return among(plain_switch(word), "im fi s"); });
}

// net stop x, net user x y /add; `net user` alone looks
bool net_changes(const Arguments& arguments) {
  const std::string verb = lower_case(arguments.verb(0));
  const std::size_t count = arguments.operands().size();
  if (among(verb, "stop start pause continue send")) return count > 1;
  if (!among(verb, "user users localgroup group share accounts session use computer config file")) {
    return false;
  }
  if (verb == "use" && count > 1) return true;
  return (verb == "user" && count > 2) || arguments.any_word([](std::string_view word) {
    return word.starts_with('/') && !among(plain_switch(word), "domain ? help");
  });
}

bool is_drive(std::string_view word) {
  return word.size() == 2 && word[1] == ':' &&
         std::isalpha(static_cast<unsigned char>(word[0])) != 0;
}

bool formats_drive(const Arguments& arguments) {
  return arguments.any_operand([](const SeenWord& word) { return is_drive(word.text); });
}

bool switches_off(const Arguments& arguments) {
  return arguments.any_word(
      [](std::string_view word) { return among(plain_switch(word), "s r p g h hybrid fw"); });
}

// powershell Remove-Item x: a first word that is no file is a command
bool runs_powershell(const Arguments& arguments) {
  if (arguments.has("-File|-file|-f|-Version|-version|-Help|--version|--help")) return false;
  if (arguments.command.input.text) return true;
  const std::string first = lower_case(arguments.verb(0));
  return !first.empty() && !first.ends_with(".ps1");
}

bool runs_cmd(const Arguments& arguments) {
  return arguments.any_word([](std::string_view word) { return among(word, "//c //C //k //K"); });
}

// --- macOS

struct MacTool {
  std::string_view programs;
  std::string_view words;  // "x*": what begins so
};
constexpr MacTool kMacTools[] = {
    {"defaults", "write import rename"},
    {"dscl", "-create -append -passwd -change -merge -delete create append passwd change merge"},
    {"sysadminctl",
     "-addUser -deleteUser -resetPasswordFor -newPassword -secureTokenOn -secureTokenOff "
     "-adminUser -guestAccount -screenLock"},
    {"dseditgroup", "-a -d create delete edit"},
    {"pmset", "-a -b -c -u sleepnow displaysleepnow schedule repeat restoredefaults disablesleep"},
    {"systemsetup", "-set*"},
    {"tmutil",
     "delete disable enable deletelocalsnapshots removedestination restore setdestination "
     "thinlocalsnapshots addexclusion deleteinprogress inheritbackup"},
    {"mdutil", "-E -i -d -X"},
    {"profiles", "remove install -R -I -D renew"},
    {"fdesetup", "disable enable add remove changerecovery removerecovery authrestart"},
    {"csrutil", "disable clear enable authenticated-root"},
    {"spctl", "--add --remove --disable --master-disable --global-disable --enable"},
    {"nvram", "-d -c -f"},
    {"tccutil", "reset"},
    {"kextload kextunload", "*"},
    {"kmutil", "load unload install clear-staging"},
    {"bless", "--mount --folder --setBoot --device"},
    {"asr", "restore --erase imagescan"},
    {"security",
     "add-trusted-cert remove-trusted-cert delete-certificate delete-generic-password "
     "delete-internet-password delete-keychain delete-identity set-keychain-settings "
     "set-keychain-password authorizationdb unlock-keychain import create-keychain "
     "default-keychain list-keychains add-generic-password add-internet-password "
     "set-key-partition-list dump-keychain dump-trust-settings find-identity "
     "trust-settings-import"},
    {"PlistBuddy plutil", "-replace -insert -remove"},
    {"xattr", "com.apple.quarantine"},
    {"shortcuts", "run sign"},
    {"mas", "install uninstall upgrade purchase"},
    {"DevToolsSecurity", "-enable -disable"},
    {"scutil", "--set"},
    {"networksetup", "-set* -remove* -create* -add* -delete* -switch*"},
    {"chflags", "uchg schg nouchg noschg hidden nohidden"},
};
constexpr std::string_view kMacPrograms =
    "defaults dscl sysadminctl dseditgroup pmset systemsetup tmutil mdutil profiles fdesetup "
    "csrutil spctl nvram tccutil kextload kextunload kmutil bless asr security PlistBuddy plutil "
    "xattr shortcuts mas DevToolsSecurity scutil networksetup chflags";

bool in_project(const Arguments& arguments) {
  return !arguments.any_operand([&](const SeenWord& word) {
    const std::string path = arguments.resolved(word).text;
    return path.find_first_of("/~") == 0 && arguments.paths.is_foreign(path);
  });
}

bool changes_mac(const Arguments& arguments) {
  const std::string& program = arguments.command.program;
  if (among(program, "plutil xattr chflags PlistBuddy") && in_project(arguments)) return false;
  if (program == "pmset" && arguments.has("-g")) return false;
  if (program == "security" &&
      among(arguments.verb(0), "find-identity list-keychains default-keychain") &&
      !arguments.has("-s")) {
    return false;
  }
  for (const MacTool& tool : kMacTools) {
    if (!among(program, tool.programs)) continue;
    if (arguments.any_word([&](std::string_view word) {
          if (among(word, tool.words)) return true;
          for (std::string_view rest = tool.words; !rest.empty();) {
            const std::string_view one = next_word(rest);
            if (one.ends_with('*') && word.starts_with(one.substr(0, one.size() - 1))) return true;
          }
          return program == "nvram" && word.contains('=');
        })) {
      return true;
    }
  }
  return false;
}

constexpr auto kWindowsRules = only_ours(std::to_array<Rule>({
    {.key = "disk erased (Windows)",
     .rule_class = RuleClass::hardline,
     .programs = "format format.com format.exe",
     .when = formats_drive,
     .yes = {"format.com d: /q /y"},
     .no = {"format src", "format.com /?"}},
    {.key = "disk erased (Windows)",
     .rule_class = RuleClass::hardline,
     .programs = "diskpart diskpart.exe",
     .when =
         [](const Arguments& a) {
           const auto& text = a.command.input.text;
           return text &&
                  (lower_case(*text).contains("clean") || lower_case(*text).contains("format "));
         },
     .yes = {"printf 'select disk 1\\nclean\\n' | diskpart.exe"},
     .no = {"echo 'list disk' | diskpart.exe"}},
    {.key = "system shutdown/reboot",
     .rule_class = RuleClass::hardline,
     .programs = "shutdown.exe",
     .when = switches_off,
     .yes = {"shutdown.exe /s /t 0", "shutdown.exe -r"},
     .no = {"shutdown.exe /a", "shutdown.exe /?"}},
    {.key = "change of Windows",
     .programs = kToolPrograms,
     .when = changes_windows,
     .why = "changes services, accounts, settings or files of Windows",
     .yes = {"schtasks /create /tn U /tr 'C:\\u.bat' /sc onlogon",
             "reg add 'HKCU\\Software\\X' /v S /d x /f", "wsl --unregister Ubuntu-22.04",
             "netsh advfirewall set allprofiles state off", "icacls.exe C:/x /grant Everyone:F",
             "reg.exe //delete HKCU/X"},
     .no = {"reg query 'HKCU\\Software\\X'", "wsl --list", "schtasks /query", "netsh wlan show all",
            "sc.exe query x", "wsl ls"}},
    {.key = "change of Windows",
     .programs = "net net.exe net1 net1.exe",
     .when = net_changes,
     .why = "changes services, accounts or shares of Windows",
     .yes = {"net user tester P@ss /add", "net localgroup administrators tester /add",
             "net.exe stop wuauserv", "net use Z: '\\\\h\\s'"},
     .no = {"net user", "net start", "net view", "net ads info"}},
    {.key = "kill processes by a broad name",
     .programs = "taskkill taskkill.exe tskill tskill.exe",
     .when = kills_by_name,
     .yes = {"taskkill /F /IM node.exe", "taskkill.exe //F //IM node.exe", "tskill chrome"},
     .no = {"taskkill /PID 1234 /F", "taskkill /?", "tskill 1234"}},
    {.key = "program in a language that is not read",
     .programs = "powershell pwsh powershell.exe pwsh.exe",
     .when = runs_powershell,
     .yes = {"powershell Remove-Item x", "pwsh -NoProfile Stop-Process -Name x",
             "powershell.exe Set-ExecutionPolicy Unrestricted"},
     .no = {"pwsh build.ps1", "pwsh --version"},
     .elsewhere = false},
    {.key = "program in a language that is not read",
     .programs = "cmd cmd.exe",
     .when = runs_cmd,
     .yes = {"cmd.exe //c 'del x'"},
     .no = {"cmd.exe //?"},
     .elsewhere = false},
    {.key = "program in a language that is not read",
     .programs = "osascript",
     .when = [](const Arguments& a) { return a.command.input.text != nullptr; },
     .yes = {"osascript <<'E'\ntell app \"System Events\" to keystroke \"x\"\nE"},
     .no = {"osascript x.scpt"},
     .elsewhere = false},
    {.key = "macOS settings changed",
     .programs = kMacPrograms,
     .when = changes_mac,
     .yes = {"defaults write com.apple.finder AppleShowAllFiles YES",
             "dscl . -passwd /Users/alice x", "systemsetup -setremotelogin on", "pmset -a sleep 0",
             "tccutil reset All", "mdutil -i off /"},
     .no = {"defaults read com.apple.dock", "pmset -g", "tmutil listbackups", "csrutil status",
            "plutil -replace a -string b app/Info.plist", "security find-identity -v"}},
}));

}  // namespace

std::span<const Rule> windows_rules() { return kWindowsRules; }

}  // namespace talaria::guard
