# A Docker host. What runs on it is up to its users; their state lies in /var/lib/docker.
#
# Docker writes its own firewall rules: a published port is open to the LAN, whatever networking.firewall says, unless it
# is published on 127.0.0.1.
{ config, lib, ... }:
let
  docker = config.virtualisation.docker;
in
{
  virtualisation.docker = {
    enable = true;
    # Containers go on while a new revision restarts the daemon.
    liveRestore = lib.mkDefault true;
  };

  # Images alone, and only those that no container uses, running or stopped. `docker system prune`, behind the option
  # autoPrune, removes stopped containers with all they hold.
  systemd.services.docker-image-prune = {
    description = "Remove Docker images that no container has used for a month";
    after = [ "docker.service" ];
    requisite = [ "docker.service" ];
    startAt = "weekly";
    serviceConfig = {
      Type = "oneshot";
      ExecStart = "${docker.package}/bin/docker image prune --all --force --filter until=720h";
    };
  };

  services.nix-gitops.healthChecks = [ "systemctl is-active --quiet docker" ];
}
