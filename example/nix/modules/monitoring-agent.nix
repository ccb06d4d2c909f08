# Prometheus' node exporter. It also shows how the runs of nix-gitops-apply end (nix_gitops_outcome and others), from the file
# that each run writes. The state of that unit says little: one that is retried is never failed.
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
      extraFlags = [ "--collector.textfile.directory=/var/lib/prometheus/node-exporter" ];
    };
    # Not by firewallFilter: that rule is written for IPv6, too, where an IPv4 source is an error that takes the whole
    # firewall down.
    networking.firewall.extraCommands = ''
      iptables -A nixos-fw -p tcp --dport ${toString node.port} -s ${cfg.from} -j nixos-fw-accept
    '';
  };
}
