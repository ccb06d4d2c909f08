# A validating, caching resolver for the LAN, with the LAN's own names.
{ config, lib, pkgs, ... }:
let
  cfg = config.homelab.dns;
  domain = config.networking.domain;
  self = "${config.networking.hostName}.${domain}";
  dig = "${pkgs.dnsutils}/bin/dig +short +time=2 +tries=1 @127.0.0.1";
in
{
  options.homelab.dns = {
    listen = lib.mkOption {
      type = lib.types.listOf lib.types.nonEmptyStr;
      description = "Addresses to answer on, beside the machine's own 127.0.0.1.";
    };
    allow = lib.mkOption {
      type = lib.types.listOf lib.types.nonEmptyStr;
      example = [ "192.168.4.0/24" ];
      description = "Networks that may ask.";
    };
    records = lib.mkOption {
      type = lib.types.attrsOf lib.types.nonEmptyStr;
      default = { };
      example = { nas = "192.168.4.10"; };
      description = "IPv4 addresses of hosts in networking.domain.";
    };
  };

  config = {
    # Its stub listener and this server would both want port 53.
    services.resolved.enable = false;

    services.unbound = {
      enable = true;
      settings.server = {
        interface = [ "127.0.0.1" ] ++ cfg.listen;
        # The address may come up after the server.
        ip-freebind = true;
        access-control = [ "127.0.0.0/8 allow" ] ++ map (network: "${network} allow") cfg.allow;
        hide-identity = true;
        hide-version = true;
        prefetch = true;
        local-zone = [ ''"${domain}." transparent'' ];
        local-data = lib.mapAttrsToList (name: address: ''"${name}.${domain}. IN A ${address}"'') cfg.records;
      };
    };

    networking.firewall = {
      allowedTCPPorts = [ 53 ];
      allowedUDPPorts = [ 53 ];
    };

    # The LAN resolves its names here: a revision that breaks that must not stay. Names of the world are asked for when
    # the machine looks whether it still reaches its remote.
    services.nix-gitops.healthChecks = [
      "systemctl is-active --quiet unbound"
    ] ++ lib.optional (cfg.records ? ${config.networking.hostName})
      "test \"$(${dig} ${self} A)\" = ${cfg.records.${config.networking.hostName}}";
  };
}
