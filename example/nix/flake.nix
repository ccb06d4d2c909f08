{
  description = "The machines of a homelab: each converges by itself to nixosConfigurations.<its host name>";

  # The release is chosen here and the revision in flake.lock, and nowhere else.
  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-25.11";

  outputs = { self, nixpkgs }:
    let
      # In every host, so that none can forget it: without converge it stays at this revision for good, without hardware
      # it does not come up again.
      common = [
        self.nixosModules.base
        self.nixosModules.converge
        self.nixosModules.hardware-proxmox
        {
          services.nix-gitops.enable = true;
          # Yours, as in bootstrap.sshAuthorizedKeys of your claims. Without one no host can be built: nobody could log in.
          homelab.admin.authorizedKeys = [ ];
        }
      ];

      host = name: nixpkgs.lib.nixosSystem { modules = common ++ [ ./hosts/${name}/configuration.nix ]; };
    in
    {
      nixosModules = {
        base = ./modules/base.nix;
        converge = ./modules/converge.nix;
        dns-unbound = ./modules/dns-unbound.nix;
        docker-host = ./modules/docker-host.nix;
        fetch-secrets = ./modules/fetch-secrets.nix;
        hardware-proxmox = ./modules/hardware-proxmox.nix;
        monitoring-agent = ./modules/monitoring-agent.nix;
        networking-static = ./modules/networking-static.nix;
      };

      nixosConfigurations = {
        dns01 = host "dns01";
        docker01 = host "docker01";
        template = nixpkgs.lib.nixosSystem { modules = [ ./template.nix ]; };
      };

      # A disk image in Proxmox' backup format, for qmrestore.
      packages.x86_64-linux.template = self.nixosConfigurations.template.config.system.build.VMA;
    };
}
