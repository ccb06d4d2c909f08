# Prometheus' node exporter. With the systemd collector it also tells whether the machine converges:
# node_systemd_unit_state{name="nix-gitops-apply.service", state="failed"}.
{ config, lib, ... }:
let
  cfg = config.homelab.monitoring;
  node = config.services.prometheus.exporters.node;
in
{
  options.homelab.monitoring.from = lib.mkOption {
    type = lib.types.strMatching "[0-9./]+";
    example = "192.168.4.9/32";
    description = "IPv4 network from which Prometheus asks; the firewall opens the port to no other.";
  };

  config = {
    services.prometheus.exporters.node = {
      enable = true;
      enabledCollectors = [ "systemd" ];
    };
    # Not by firewallFilter: that rule is written for IPv6, too, where an IPv4 source is an error that takes the whole
    # firewall down.
    networking.firewall.extraCommands = ''
      iptables -A nixos-fw -p tcp --dport ${toString node.port} -s ${cfg.from} -j nixos-fw-accept
    '';
  };
}
