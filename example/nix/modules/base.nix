# What every host has: an administrator with SSH keys, a hardened sshd, a bounded journal, the guest agent.
{ config, lib, pkgs, ... }:
let
  admin = config.homelab.admin;
in
{
  options.homelab.admin = {
    name = lib.mkOption {
      type = lib.types.nonEmptyStr;
      default = "ops";
      description = "The administrator; the same name as bootstrap.adminUser of the claims.";
    };
    authorizedKeys = lib.mkOption {
      type = lib.types.listOf lib.types.nonEmptyStr;
      default = [ ];
      description = "SSH public keys of the administrator.";
    };
  };

  config = {
    assertions = [{
      assertion = admin.authorizedKeys != [ ];
      message = "homelab.admin.authorizedKeys is empty: nobody could log in to ${config.networking.hostName}.";
    }];

    users.users.${admin.name} = {
      isNormalUser = true;
      extraGroups = [ "wheel" ];
      openssh.authorizedKeys.keys = admin.authorizedKeys;
    };
    # The user that cloud-init made stays: whoever writes a wrong key here can still come in with the claim's.
    users.mutableUsers = lib.mkDefault true;

    # Keys only: the account has no password that sudo could ask for.
    security.sudo = {
      wheelNeedsPassword = false;
      execWheelOnly = true;
    };

    services.openssh = {
      enable = true;
      authorizedKeysInHomedir = lib.mkDefault true;
      settings = {
        PasswordAuthentication = false;
        KbdInteractiveAuthentication = false;
        PermitRootLogin = "no";
        X11Forwarding = false;
      };
    };

    services.qemuGuest.enable = true;

    services.journald.extraConfig = ''
      SystemMaxUse=1G
      MaxRetentionSec=3month
    '';

    networking.firewall.enable = true;
    boot.tmp.cleanOnBoot = true;
    boot.kernel.sysctl = {
      "kernel.dmesg_restrict" = 1;
      "kernel.kptr_restrict" = 2;
      "net.ipv4.conf.all.accept_redirects" = 0;
      "net.ipv4.conf.all.send_redirects" = 0;
      "net.ipv6.conf.all.accept_redirects" = 0;
    };

    nix.settings.allowed-users = [ "root" "@wheel" ];
    # Thirty days of generations to go back to; the one that runs is never collected.
    nix.gc = {
      automatic = true;
      dates = "weekly";
      options = "--delete-older-than 30d";
    };
    nix.settings.auto-optimise-store = true;

    time.timeZone = lib.mkDefault "UTC";
    documentation.nixos.enable = false;
    environment.systemPackages = [ pkgs.curl pkgs.git ];
  };
}
