# What nixpkgs' module of this name declares and sets, as far as it meets the example: the values have the priorities of
# the real ones, so that a conflict with the example's shows here.
{ config, lib, pkgs, ... }:
let
  inherit (lib) mkDefault mkForce mkOption;
  inherit (lib.types) enum str;
in
{
  options.proxmox = {
    partitionTableType = mkOption { type = enum [ "efi" "hybrid" "legacy" "legacy+gpt" ]; default = "legacy"; };
    qemuConf.name = mkOption { type = str; default = "nixos"; };
    qemuConf.bootSize = mkOption { type = str; default = "256M"; };
  };

  config = {
    system.build.VMA = pkgs.vma;
    boot.growPartition = true;
    boot.kernelParams = [ "console=ttyS0" ];
    boot.loader.timeout = 0;
    boot.loader.grub = {
      device = mkDefault "/dev/vda";
      efiSupport = mkDefault (config.proxmox.partitionTableType == "hybrid");
      efiInstallAsRemovable = mkDefault (config.proxmox.partitionTableType == "hybrid");
    };
    fileSystems."/" = {
      device = "/dev/disk/by-label/nixos";
      autoResize = true;
      fsType = "ext4";
    };
    fileSystems."/boot" = lib.mkIf (config.proxmox.partitionTableType == "hybrid") {
      device = "/dev/disk/by-label/ESP";
      fsType = "vfat";
    };
    networking.hostName = mkForce "";
    networking.useDHCP = false;
    services.cloud-init.enable = true;
    services.cloud-init.network.enable = true;
    services.qemuGuest.enable = true;
  };
}
