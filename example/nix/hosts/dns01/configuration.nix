# dns01: the LAN's name server.
{
  imports = [
    ../../modules/networking-static.nix
    ../../modules/dns-unbound.nix
    ../../modules/monitoring-agent.nix
  ];

  networking.hostName = "dns01";
  homelab.network = {
    address = "192.168.4.53/24";
    gateway = "192.168.4.1";
  };
  homelab.dns = {
    listen = [ "192.168.4.53" ];
    allow = [ "192.168.4.0/24" ];
    records = {
      dns01 = "192.168.4.53";
      docker01 = "192.168.4.54";
    };
  };
  homelab.monitoring.from = "192.168.4.9/32";

  system.stateVersion = "25.11";
}
