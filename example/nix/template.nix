# The Proxmox template that the machines are cloned from: it boots, takes its name, network, users and target from
# cloud-init, and converges. It is no host: nothing of it has to be right for any role.
#
# Build: nix build .#template
{ lib, modulesPath, pkgs, ... }:
{
  imports = [
    (modulesPath + "/virtualisation/proxmox-image.nix")
    ./modules/hardware-proxmox.nix
    ./modules/converge.nix
  ];

  proxmox = {
    # Boots with SeaBIOS and with OVMF.
    partitionTableType = "hybrid";
    qemuConf = {
      name = "nixos";
      bootSize = "512M";
    };
  };

  # A name in the configuration would make /etc/hostname a link into the store, which cloud-init cannot change.
  networking.hostName = lib.mkForce "";
  networking.useDHCP = false;
  networking.useNetworkd = true;
  systemd.network.wait-online.anyInterface = true;

  services.cloud-init = {
    enable = true;
    network.enable = true;
    settings = {
      datasource_list = [ "NoCloud" "None" ];
      preserve_hostname = false;
      # sshd makes the host keys. cloud-init would replace them under the running sshd, and with them the identity that
      # secrets are encrypted for.
      ssh_deletekeys = false;
    };
  };

  # For the user that the claim names. Without this sshd would not look at the keys cloud-init writes into its home.
  services.openssh = {
    enable = true;
    authorizedKeysInHomedir = true;
    settings = {
      PasswordAuthentication = false;
      KbdInteractiveAuthentication = false;
      PermitRootLogin = "prohibit-password";
    };
  };
  users.mutableUsers = true;
  security.sudo.wheelNeedsPassword = false;

  services.qemuGuest.enable = true;
  services.nix-gitops.enable = true;
  environment.systemPackages = [ pkgs.git ];

  system.stateVersion = "25.11";
}
