# The virtual hardware: file systems and boot loader, shared by the template and every host.
#
# They must be the same. A host whose boot loader or root does not fit the disk it was cloned from activates well, and
# does not come up after its next reboot.
{ config, lib, modulesPath, ... }:
{
  imports = [ (modulesPath + "/profiles/qemu-guest.nix") ];

  options.homelab.bootDisk = lib.mkOption {
    type = lib.types.nonEmptyStr;
    default = "/dev/vda";
    description = "The disk that GRUB is written to: /dev/vda on virtio0, as in the template's VMA, /dev/sda on scsi0.";
  };

  config = {
    nixpkgs.hostPlatform = lib.mkDefault "x86_64-linux";

    fileSystems."/" = {
      device = "/dev/disk/by-label/nixos";
      fsType = "ext4";
      autoResize = true;
    };
    fileSystems."/boot" = {
      device = "/dev/disk/by-label/ESP";
      fsType = "vfat";
    };

    # For firmware.type bios and uefi alike: GRUB in the disk's boot sector and, as the removable medium's loader, in the
    # ESP. Nothing is kept in EFI variables, which a clone does not have.
    boot.loader.grub = {
      enable = true;
      device = config.homelab.bootDisk;
      efiSupport = true;
      efiInstallAsRemovable = true;
      # Kernels lie on the ESP, which is small.
      configurationLimit = 8;
    };
    # Time to choose an older generation on the console.
    boot.loader.timeout = lib.mkDefault 5;

    boot.growPartition = true;
    boot.kernelParams = [ "console=tty0" "console=ttyS0" ];
  };
}
