# The options of NixOS that the example sets or reads, with the type and the default that nixpkgs gives them (release
# 25.11; "anything" where the real type is a long one). An option that is missing here does not exist for the tests.
{ lib, pkgs, ... }:
let
  inherit (lib) mkOption;
  inherit (lib.types) anything attrsOf bool enum int lines listOf nonEmptyStr nullOr package str;

  option = type: mkOption { inherit type; };
  with' = type: default: mkOption { inherit type default; };
  off = with' bool false;
  on = with' bool true;
  none = type: with' (listOf type) [ ];
  set = with' (attrsOf anything) { };
in
{
  options = {
    assertions = none anything;
    boot = {
      growPartition = off;
      kernel.sysctl = set;
      kernelParams = none str;
      initrd.availableKernelModules = none str;
      loader.timeout = with' (nullOr int) 5;
      loader.grub = {
        enable = on;
        device = with' str "";
        efiSupport = off;
        efiInstallAsRemovable = off;
        configurationLimit = with' int 100;
      };
      tmp.cleanOnBoot = off;
    };
    documentation.nixos.enable = on;
    environment.etc = with' (attrsOf (attrsOf anything)) { };
    environment.systemPackages = none package;
    fileSystems = with' (attrsOf (attrsOf anything)) { };
    networking = {
      hostName = with' str "nixos";
      domain = with' (nullOr str) null;
      nameservers = none str;
      useDHCP = on;
      useNetworkd = off;
      dhcpcd.denyInterfaces = none str;
      proxy.envVars = set;
      firewall = {
        enable = on;
        allowedTCPPorts = none int;
        allowedUDPPorts = none int;
        extraCommands = with' lines "";
      };
    };
    nix = {
      package = with' package pkgs.nix;
      envVars = set;
      settings = set;
      gc = {
        automatic = off;
        dates = with' str "03:15";
        options = with' str "";
      };
    };
    nixpkgs.hostPlatform = option str;
    programs.ssh.package = with' package pkgs.openssh;
    security.sudo = {
      wheelNeedsPassword = on;
      execWheelOnly = off;
    };
    services = {
      cloud-init = {
        enable = off;
        network.enable = off;
        settings = set;
      };
      journald.extraConfig = with' lines "";
      openssh = {
        enable = off;
        authorizedKeysInHomedir = on;
        settings = set;
      };
      prometheus.exporters.node = {
        enable = off;
        port = with' int 9100;
        enabledCollectors = none str;
        extraFlags = none str;
      };
      qemuGuest.enable = off;
      resolved.enable = off;
      unbound = {
        enable = off;
        settings = set;
      };
    };
    system.build = set;
    system.stateVersion = option nonEmptyStr;
    systemd = {
      network.networks = with' (attrsOf (attrsOf anything)) { };
      network.wait-online.anyInterface = off;
      services = with' (attrsOf (attrsOf anything)) { };
      timers = with' (attrsOf (attrsOf anything)) { };
      tmpfiles.rules = none str;
    };
    time.timeZone = with' (nullOr str) null;
    users.mutableUsers = on;
    users.users = with' (attrsOf (attrsOf anything)) { };
    virtualisation.docker = {
      enable = off;
      liveRestore = on;
      package = with' package pkgs.docker;
    };
  };

  config.system.build.nixos-rebuild = pkgs.nixos-rebuild;
}
