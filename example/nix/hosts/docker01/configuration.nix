# docker01: containers.
{
  imports = [
    ../../modules/networking-static.nix
    ../../modules/docker-host.nix
    ../../modules/monitoring-agent.nix
  ];

  networking.hostName = "docker01";
  homelab.network = {
    address = "192.168.4.54/24";
    gateway = "192.168.4.1";
    dns = [ "192.168.4.53" ];
  };
  homelab.monitoring.from = "192.168.4.9/32";

  system.stateVersion = "25.11";
}
