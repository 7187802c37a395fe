// Tools that are made for attacking hosts: guessing passwords, exploits, scans of whole networks,
// floods.
#include <algorithm>

#include "policy/guard/rules/rule.h"
#include "policy/guard/rules/sending.h"
#include "policy/guard/run/option_commands.h"

namespace talaria::guard {
namespace {

bool does_something(const Arguments& arguments) {
  const SeenCommand& command = arguments.command;
  return command.words.size() > 1 && command.words.back().text != "-h" &&  // else it is a host
         !arguments.has("--help|--version|--update|-update") &&
         !among(arguments.verb(0), "help version update");
}

// 10.0.0.0/16, 192.168.1.1-254, 192.168.1.*
bool is_range(std::string_view target) {
  if (target.starts_with("127.")) return false;
  const std::size_t slash = target.find('/');
  if (slash != std::string_view::npos) return !target.contains("://") && !target.ends_with("/32");
  if (target.contains('*')) return true;
  const std::size_t dash = target.find('-');
  return dash != std::string_view::npos && target.find_first_not_of("0123456789.-,") == target.npos;
}

// Kinds of scripts that do more than look, and scripts that are named after what they do.
bool attacks_by_script(std::string_view scripts) {
  static constexpr std::string_view kKinds[] = {"vuln",      "exploit", "brute", "dos",
                                                "intrusive", "malware", "all",   "fuzzer"};
  return std::ranges::any_of(kKinds, [&](std::string_view kind) { return scripts.contains(kind); });
}

bool scans_others(const Arguments& arguments) {
  if (!does_something(arguments)) return false;
  if (arguments.has("-iL*|-iR*")) return true;
  const auto scripts = option_values(arguments.command, '\0', "script");
  const bool attacks = std::ranges::any_of(
      scripts, [](const SeenWord& word) { return attacks_by_script(word.text); });
  return arguments.any_operand([&](const SeenWord& word) {
    return is_range(word.text) || (attacks && !is_this_machine(word.text));
  });
}

bool aims_at_others(const Arguments& arguments) {
  const bool wide = arguments.any_operand([](const SeenWord& word) { return is_range(word.text); });
  return does_something(arguments) && (wide || !talks_to_this_machine(arguments));
}

// A load test of a machine that others use.
bool loads_others(const Arguments& arguments) {
  return arguments.any_operand([](const SeenWord& word) {
    const bool tries = word.text.contains("stag") || word.text.contains("test") ||
                       word.text.contains("dev") || word.text.contains("preview");
    return word.text.contains("://") && word.known() && !tries && !is_local_host(word.text);
  });
}

// The image of such a tool, or a script of it.
bool runs_tool(const Arguments& arguments) {
  const bool container = arguments.begins("run");
  const auto is_tool = [&](std::string_view name) {
    name = base_name(name.substr(0, name.find(container ? ':' : '.')));
    return among(name,
                 "metasploit-framework metasploit kali-rolling sqlmap nikto wpscan hydra nuclei "
                 "dirsearch slowloris patator commix wfuzz rsf xsser secretsdump psexec ntlmrelayx "
                 "Responder crackmapexec theHarvester");
  };
  if (!container) return is_tool(arguments.verb(0)) && !talks_to_this_machine(arguments);
  bool scanner = false;
  return arguments.any_operand([&](const SeenWord& word) {
    scanner = scanner || word.text.ends_with("/nmap");
    return is_tool(word.text) || (scanner && is_range(word.text) && word.text.contains('.'));
  });
}

bool floods(const Arguments& arguments) {
  return arguments.any_operand([](const SeenWord& word) { return !is_this_machine(word.text); });
}

constexpr auto kAttackRules = only_ours(std::to_array<Rule>({
    {.key = "passwords guessed",
     .programs = "hydra xhydra pw-inspector medusa ncrack patator crowbar brutespray kerbrute john "
                 "hashcat aircrack-ng aireplay-ng airodump-ng wifite reaver bully cowpatty "
                 "hcxdumptool thc-pptp-bruter sshguess",
     .when = does_something,
     .yes = {"hydra -l root -P list.txt ssh://10.0.0.1", "john hashes.txt",
             "hashcat -m 1000 h.txt words.txt"},
     .no = {"hydra --help", "echo hydra"}},
    {.key = "attack on other machines",
     .programs =
         "msfconsole msfvenom msfcli msfrpcd msfdb armitage sliver-client sliver-server "
         "havoc empire powershell-empire setoolkit routersploit rsf rsf.py beef-xss crackmapexec "
         "cme netexec nxc evil-winrm Responder.py mitm6 "
         "dnsspoof macof enum4linux enum4linux-ng smbmap bloodhound-python secretsdump.py "
         "psexec.py wmiexec.py smbexec.py ntlmrelayx.py impacket-* GetUserSPNs.py linpeas "
         "linpeas.sh winpeas LinEnum.sh linenum.sh linux-exploit-suggester.sh pspy64 pspy "
         "certipy rubeus weevely",
     .when = does_something,
     .why = "is made for breaking into systems",
     .yes = {"msfconsole -q -r run.rc", "crackmapexec smb 10.0.0.0/24 -u a -p b",
             "impacket-secretsdump a@b"},
     .no = {"msfconsole --version", "nxc --help"}},
    {.key = "attack on other machines",
     .programs = "sqlmap nikto wpscan joomscan droopescan commix xsser gobuster dirb dirbuster "
                 "dirsearch ffuf wfuzz feroxbuster nuclei openvas gvm-cli skipfish w3af arachni "
                 "dalfox tplmap amass sublist3r theHarvester recon-ng",
     .when = aims_at_others,
     .why = "looks for ways to break into a site",
     .yes = {"sqlmap -u http://x.example --dump", "nikto -h x.example",
             "ffuf -u https://x.example/FUZZ -w words.txt"},
     .no = {"sqlmap -u http://localhost:8000/?id=1", "nuclei -update", "nikto --help",
            "ffuf -u http://127.0.0.1:3000/FUZZ -w words.txt"}},
    {.key = "attack on other machines",
     .programs = "python python3 perl ruby docker podman nerdctl",
     .when = runs_tool,
     .why = "is made for breaking into systems",
     .yes = {"python3 sqlmap.py -u http://x.example",
             "docker run -it metasploitframework/metasploit",
             "docker run --rm instrumentisto/nmap -A 10.0.0.0/24"},
     .no = {"python3 app.py", "docker run nginx", "python3 sqlmap.py -u http://localhost:8000"}},
    {.key = "scan of other machines",
     .programs = "nmap",
     .when = scans_others,
     .yes = {"nmap -sS -p- --script vuln 10.0.0.0/16", "nmap 192.168.1.1-254", "nmap -iL hosts",
             "nmap --script=http-brute x.example", "nmap -sn 10.0.0.0/24"},
     .no = {"nmap localhost", "nmap -p 1-1000 127.0.0.1", "nmap --script vuln localhost",
            "nmap -p 443 x.example", "nmap --version"}},
    {.key = "scan of other machines",
     .programs = "masscan zmap zgrab zgrab2 rustscan unicornscan naabu netdiscover",
     .when = aims_at_others,
     .yes = {"masscan 0.0.0.0/0 -p80 --rate 100000", "zmap -p 443 -o out.csv",
             "rustscan -a 10.0.0.0/24"},
     .no = {"masscan --version", "rustscan -a localhost"}},
    {.key = "flood of requests",
     .programs = "hping3 hping nping",
     .flags = "--flood|--faster|--fast|--rate*",
     .when = floods,
     .yes = {"hping3 -S --flood -p 80 x.example"},
     .no = {"hping3 -S -c 3 -p 80 x.example", "hping3 --flood localhost"}},
    {.key = "flood of requests",
     .programs = "ping ping6",
     .flags = "-f",
     .when = floods,
     .yes = {"ping -f x.example"},
     .no = {"ping -c 3 x.example", "ping -f 127.0.0.1"}},
    {.key = "flood of requests",
     .programs = "slowloris slowloris.py slowhttptest goldeneye goldeneye.py hulk.py t50 mdk3 mdk4 "
                 "torshammer loic xerxes synflood thc-ssl-dos",
     .when = aims_at_others,
     .yes = {"slowloris x.example", "slowhttptest -c 1000 -u http://x.example"},
     .no = {"slowhttptest -u http://localhost:8080"}},
    {.key = "flood of requests",
     .programs = "ab wrk wrk2 hey siege bombardier oha autocannon h2load",
     .when = loads_others,
     .why = "puts load on a machine that others use",
     .yes = {"ab -n 100000 -c 500 https://shop.example.com/", "wrk -c400 https://x.example.com"},
     .no = {"ab -n 1000 http://localhost:8000/", "wrk http://127.0.0.1:8080",
            "hey https://staging.x.example.com"}},
}));

}  // namespace

std::span<const Rule> attack_rules() { return kAttackRules; }

}  // namespace talaria::guard
