// Disks, partitions, volumes and file systems.
#include <algorithm>

#include "policy/guard/rules/rule.h"

namespace talaria::guard {
namespace {

bool changes_disk(const Arguments& arguments) {
  return has_operand(arguments) && !arguments.has("-l|--list|--help|--version|-V|-p|--print");
}

std::string_view value_of(const Arguments& arguments, std::string_view name) {
  for (std::size_t i = 1; i < arguments.command.words.size(); ++i) {
    const std::string_view word = arguments.command.word(i);
    if (word.starts_with(name)) return word.substr(name.size());
  }
  return "";
}

// It counts where it reads a disk, or writes outside the working directory and /tmp.
bool copies_disk(const Arguments& arguments) {
  const std::string_view from = value_of(arguments, "if=");
  const std::string_view to = value_of(arguments, "of=");
  if (is_block_device(from) || is_block_device(to)) return true;
  if (to.empty()) return false;
  if (to.contains(kUnknownPiece)) return to.front() == kUnknownPiece;
  static constexpr std::string_view kHarmless[] = {
      "/tmp/", "/var/tmp/", "/dev/null", "/dev/stdout", "/dev/shm/", "/dev/stderr", "/dev/fd/"};
  if (std::ranges::any_of(kHarmless,
                          [&](std::string_view start) { return to.starts_with(start); })) {
    return false;
  }
  return to.starts_with('/') || to.starts_with("..");
}

bool wipes(const Arguments& arguments) {
  return has_operand(arguments) && arguments.has("-a|--all|-o|--offset|-f|--force");
}

bool erases(const Arguments& arguments) {
  return arguments.has(
      "--security-erase*|--security-set-pass|--trim-sector-ranges|--make-bad-sector|"
      "--security-erase-enhanced");
}

bool diskutil_erases(const Arguments& arguments) {
  const std::string verb = lower_case(arguments.verb(0));
  return verb.contains("erase") || verb.contains("partition") || verb.contains("reformat") ||
         verb.contains("delete") || verb.contains("zero") || verb == "apfs";
}

bool parted_changes(const Arguments& arguments) {
  return has_operand(arguments) && !arguments.has("-l|--list") &&
         !arguments.any_operand([](const SeenWord& word) { return word.text == "print"; });
}

bool copies_to_device(const Arguments& arguments) {
  return !arguments.operands().empty() && is_block_device(arguments.operands().back()->text);
}

bool unmounts(const Arguments& arguments) {
  return arguments.has("-a|-l|-f|--all|--lazy|--force") ||
         arguments.any_operand(
             [&](const SeenWord& word) { return arguments.paths.below_system(word.text); });
}

bool mounts_over(const Arguments& arguments) {
  return arguments.any_word([](std::string_view word) { return word.contains("remount"); }) ||
         (arguments.operands().size() > 1 && arguments.last_operand(&PathKinds::below_system));
}

// These look at a disk, or a rule of their own judges what they do to it.
constexpr std::string_view kKnowDisks =
    "ls stat file test [ [[ lsblk blkid blockdev df du findmnt mount umount smartctl hdparm nvme "
    "udevadm fdisk sfdisk gdisk sgdisk cfdisk cgdisk parted wipefs dd gdd dcfldd ddrescue cp mv "
    "cat "
    "pv install tee mkswap swapon swapoff fsck e2fsck tune2fs resize2fs dumpe2fs xfs_repair "
    "xfs_info "
    "debugfs btrfs zfs mdadm pvs vgs lvs pvdisplay lsof fuser iostat iotop badblocks blkdiscard "
    "cryptsetup qemu-img echo printf grep awk readlink realpath xxd hexdump od head strings "
    "sha256sum "
    "md5sum diskutil losetup grub-install parted partprobe sudo env xargs";

// socat -u FILE:/dev/zero FILE:/dev/sda, sed -i 1d /dev/sda
bool names_disk(const Arguments& arguments) {
  if (arguments.command.program == "btrfs") {
    return arguments.begins("device add") && !arguments.operands().empty();
  }
  if (arguments.command.program.empty() || among(arguments.command.program, kKnowDisks))
    return false;
  if (arguments.command.program.starts_with("mkfs") ||
      arguments.command.program.starts_with("fsck")) {
    return false;
  }
  return arguments.any_word([](std::string_view word) {
    if (word.contains(' ')) return false;  // a text, not a path
    const std::size_t at = word.find("/dev/");
    return at != std::string_view::npos && is_block_device(word.substr(at));
  });
}

// mount -t tmpfs none ~
bool mounts_over_home(const Arguments& arguments) {
  return !arguments.operands().empty() && arguments.paths.is_home(*arguments.operands().back());
}

constexpr Rule kDiskRules[] = {
    {.key = "disk given to a program",
     .when = names_disk,
     .yes = {"socat -u FILE:/dev/zero FILE:/dev/sda", "sed -i 1d /dev/sda",
             "pvcreate -ff /dev/sdb"},
     .no = {"lsblk /dev/sda", "jest -t 'never formats /dev/sda'", "socat - FILE:/dev/ttyUSB0",
            "screen /dev/ttyUSB0 115200"},
     .elsewhere = false,
     .set = RuleSet::talaria},
    {.key = "mount over the home directory",
     .programs = "mount",
     .when = mounts_over_home,
     .yes = {"mount -t tmpfs none ~"},
     .no = {"mount", "mount -t tmpfs none /tmp/x"},
     .set = RuleSet::talaria},
    {.key = "format filesystem",
     .programs = "mkfs mkfs.* mke2fs mkswap mkdosfs",
     .when = [](const Arguments& a) { return has_operand(a) && !formats_temporary_file(a); },
     .yes = {"mkfs.ext4 /dev/sdb1", "mkswap /dev/sdb2"},
     .no = {"mkfs_helper --version", "echo mkfs", "mkfs.ext4 -L x /tmp/disk.img"}},
    {.key = "disk copy",
     .programs = "dd gdd dcfldd ddrescue",
     .when = copies_disk,
     .yes = {"dd \\\nif=/dev/sda of=x", "dd if=x of=/dev/sdb", "dd if=a of=/srv/data.img",
             "dd if=a of=\"$OUT\""},
     .no = {"dd of=out bs=1", "dd if=/dev/zero of=./image.bin bs=1M count=1", "dd if=a of=b",
            "dd if=/dev/urandom of=/tmp/x bs=1 count=1"}},
    {.key = "writes a file over a disk",
     .programs = "cp mv cat pv install",
     .when = copies_to_device,
     .yes = {"cp image.iso /dev/sdb"},
     .no = {"cp a b", "cat a"},
     .set = RuleSet::talaria},
    {.key = "writes a file over a disk",
     .programs =
         "qemu-img qemu-nbd ddrescue partclone.* fsarchiver sg_dd partimage ocs-restore-mbr "
         "bmaptool balena etcher usbimager nwipe",
     .when =
         [](const Arguments& a) {
           return a.any_word([](std::string_view word) {
             return is_block_device(word.substr(word.starts_with("of=") ? 3 : 0));
           }) && !a.begins("info|check|compare|map");
         },
     .yes = {"qemu-img convert x.img /dev/sda", "ddrescue a.img /dev/sdb map",
             "bmaptool copy x.img /dev/sdb"},
     .no = {"qemu-img convert a.qcow2 b.raw", "qemu-img info /dev/sda", "ddrescue a.img b.img m"},
     .set = RuleSet::talaria},
    {.key = "partition table changed",
     .programs = "fdisk sfdisk gdisk sgdisk cfdisk cgdisk",
     .when = changes_disk,
     .yes = {"fdisk /dev/sda", "sgdisk --zap-all /dev/sda", "sfdisk /dev/sda < layout"},
     .no = {"fdisk -l", "sgdisk -p /dev/sda"},
     .set = RuleSet::talaria},
    {.key = "partition table changed",
     .programs = "parted",
     .when = parted_changes,
     .yes = {"parted /dev/sda mklabel gpt"},
     .no = {"parted -l", "parted /dev/sda print"},
     .set = RuleSet::talaria},
    {.key = "disk or filesystem signature wiped",
     .programs = "wipefs",
     .when = wipes,
     .yes = {"wipefs -a /dev/sda"},
     .no = {"wipefs /dev/sda"},
     .set = RuleSet::talaria},
    {.key = "disk or filesystem signature wiped",
     .programs = "blkdiscard badblocks nvme sg_format",
     .when =
         [](const Arguments& a) {
           if (a.command.program == "nvme") return among(a.verb(0), "format sanitize delete-ns");
           if (a.command.program == "badblocks") return a.has("-w");
           return has_operand(a);
         },
     .yes = {"blkdiscard /dev/sda", "nvme format /dev/nvme0n1", "badblocks -w /dev/sda"},
     .no = {"nvme list", "badblocks -v /dev/sda"},
     .set = RuleSet::talaria},
    {.key = "disk or filesystem signature wiped",
     .programs = "hdparm",
     .when = erases,
     .yes = {"hdparm --security-erase p /dev/sda"},
     .no = {"hdparm -I /dev/sda"},
     .set = RuleSet::talaria},
    {.key = "encrypted volume formatted or its keys removed",
     .programs = "cryptsetup",
     .verbs = "luksFormat|luksErase|erase|luksKillSlot|luksRemoveKey|reencrypt|format",
     .yes = {"cryptsetup luksFormat /dev/sdb"},
     .no = {"cryptsetup status x", "cryptsetup luksDump /dev/sdb"},
     .set = RuleSet::talaria},
    {.key = "logical volume removed",
     .programs =
         "lvremove vgremove pvremove lvreduce lvresize vgreduce pvmove lvconvert thin_restore",
     .when = has_operand,
     .yes = {"lvremove -f vg/lv", "vgremove vg"},
     .no = {"lvs", "vgdisplay"},
     .set = RuleSet::talaria},
    {.key = "ZFS/Btrfs volume destroyed",
     .programs = "zfs zpool",
     .verbs = "destroy|rollback|labelclear|export|detach|offline",
     .yes = {"zfs destroy -r tank/data", "zpool destroy tank"},
     .no = {"zfs list", "zpool status"},
     .set = RuleSet::talaria},
    {.key = "ZFS/Btrfs volume destroyed",
     .programs = "btrfs",
     .verbs = "subvolume|su|device|replace delete|remove|del",
     .yes = {"btrfs subvolume delete /data/x"},
     .no = {"btrfs subvolume list /"},
     .set = RuleSet::talaria},
    {.key = "RAID array stopped or cleared",
     .programs = "mdadm",
     .flags = "--stop|--zero-superblock|--remove|--fail|-S",
     .yes = {"mdadm --zero-superblock /dev/sdb"},
     .no = {"mdadm --detail /dev/md0"},
     .set = RuleSet::talaria},
    {.key = "filesystem resized, repaired or changed",
     .programs = "resize2fs tune2fs e2fsck fsck fsck.* xfs_repair debugfs xfs_growfs",
     .when = [](const Arguments& a) { return has_operand(a) && !a.has("-n|-l|-N"); },
     .yes = {"fsck -y /dev/sda1", "tune2fs -O ^has_journal /dev/sda1"},
     .no = {"tune2fs -l /dev/sda1", "fsck -n /dev/sda1"},
     .set = RuleSet::talaria},
    {.key = "device taken away from under the system",
     .programs = "dmsetup losetup multipath zramctl drbdadm",
     .when =
         [](const Arguments& a) {
           return a.begins("remove|remove_all|wipe_table|clear|wipe-md|down") ||
                  a.has("-D|-F|-r|--reset|--detach-all");
         },
     .yes = {"dmsetup remove_all", "losetup -D", "multipath -F", "drbdadm wipe-md r0"},
     .no = {"dmsetup ls", "losetup -a", "multipath -ll"},
     .set = RuleSet::talaria},
    {.key = "snapshot or image of a machine removed",
     .programs = "qemu-img snapper vmware-vdiskmanager",
     .when =
         [](const Arguments& a) {
           if (a.command.program == "qemu-img") {
             return (a.verb(0) == "snapshot" && a.has("-d|-a")) ||
                    among(a.verb(0), "commit rebase resize amend");
           }
           return among(a.verb(0), "delete rm remove undochange rollback");
         },
     .yes = {"qemu-img snapshot -d clean dev.qcow2", "snapper delete 1-100",
             "qemu-img resize x 1G"},
     .no = {"qemu-img info x", "snapper list", "qemu-img create x 1G"},
     .set = RuleSet::talaria},
    {.key = "ZFS/Btrfs volume destroyed",
     .programs = "zfs zpool btrfs",
     .verbs = "set|receive|recv|remove|replace|upgrade|clear|split|balance|scrub|rescue|check|"
              "property|unmount|rename|promote|inherit",
     .when = [](const Arguments& a) { return !among(a.verb(1), "status list get"); },
     .yes = {"zfs set mountpoint=/x tank", "zpool replace tank a b",
             "btrfs rescue zero-log /dev/sdb"},
     .no = {"zfs list", "zpool status", "btrfs scrub status /"},
     .set = RuleSet::talaria},
    {.key = "disk erased (diskutil)",
     .programs = "diskutil",
     .when = diskutil_erases,
     .yes = {"diskutil eraseDisk JHFS+ x disk2"},
     .no = {"diskutil list"},
     .set = RuleSet::talaria},
    {.key = "unmount or swap off",
     .programs = "umount",
     .when = unmounts,
     .yes = {"umount -l /mnt/x", "umount -a", "umount /boot"},
     .no = {"umount /mnt/usb"},
     .set = RuleSet::talaria},
    {.key = "unmount or swap off",
     .programs = "swapoff",
     .yes = {"swapoff -a"},
     .no = {"swapon --show"},
     .set = RuleSet::talaria},
    {.key = "mount over the system",
     .programs = "mount",
     .when = mounts_over,
     .yes = {"mount -o remount,rw /", "mount --bind x /etc"},
     .no = {"mount", "mount /dev/sdb1 /mnt/usb"},
     .set = RuleSet::talaria},
};

}  // namespace

std::span<const Rule> disk_rules() { return kDiskRules; }

}  // namespace talaria::guard
