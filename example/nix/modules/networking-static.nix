# A static address, as the claim's network.ip. The machine keeps it when Proxmox and the cluster are away.
{ config, lib, ... }:
let
  cfg = config.homelab.network;
in
{
  options.homelab.network = {
    address = lib.mkOption {
      type = lib.types.strMatching "[0-9a-fA-F.:]+/[0-9]+";
      example = "192.168.4.53/24";
      description = "Address with prefix length.";
    };
    gateway = lib.mkOption {
      type = lib.types.nonEmptyStr;
      description = "Default gateway.";
    };
    dns = lib.mkOption {
      type = lib.types.listOf lib.types.nonEmptyStr;
      default = [ cfg.gateway ];
      defaultText = lib.literalExpression "[ gateway ]";
      description = "Name servers.";
    };
    domain = lib.mkOption {
      type = lib.types.nonEmptyStr;
      default = "home.arpa";
      description = "Domain of the host, searched by its resolver.";
    };
    match = lib.mkOption {
      type = lib.types.attrsOf lib.types.str;
      default = { Name = "en* eth*"; };
      example = { MACAddress = "BC:24:11:00:00:53"; };
      description = "Which interface. With more than one NIC name it by its MAC address: every match gets the address.";
    };
  };

  config = {
    networking = {
      inherit (cfg) domain;
      useNetworkd = true;
      useDHCP = false;
      nameservers = cfg.dns;
    };

    # 05: before the 10-cloud-init-*.network that cloud-init left behind. The first that matches counts.
    systemd.network.networks."05-lan" = {
      matchConfig = cfg.match;
      address = [ cfg.address ];
      gateway = [ cfg.gateway ];
      dns = cfg.dns;
      domains = [ cfg.domain ];
      linkConfig.RequiredForOnline = "routable";
    };
    # Docker's bridges and a second NIC without a cable must not hold up the boot.
    systemd.network.wait-online.anyInterface = true;
  };
}
