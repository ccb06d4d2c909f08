# The machine converges by itself to the flake named in /etc/nix-flake-target: nix-gitops-apply, at boot and on schedule.
#
# Import this in the template and in every host. A host without it loses the unit at its first activation, and with it
# the way to its next revision.
#
# The claim's wishes come in /etc/nix-gitops/env, written once, when the machine is created. What is set here is in Git
# and can be changed later, so it wins; null leaves it to the claim.
{ config, lib, pkgs, ... }:
let
  cfg = config.services.nix-gitops;

  line = lib.types.strMatching "[^\n]*";

  # systemd unescapes these four in double quotes, as a shell does. The shell's '\'' means nothing to it.
  quote = value: "\"${builtins.replaceStrings [ "\\" "\"" "$" "`" ] [ "\\\\" "\\\"" "\\$" "\\`" ] value}\"";

  settings = lib.filterAttrs (_: value: value != null) {
    NIX_GITOPS_MODE = cfg.mode;
    NIX_GITOPS_SCHEDULE = cfg.schedule;
    NIX_GITOPS_REBOOT = cfg.reboot;
    NIX_GITOPS_REPORT = cfg.report;
    NIX_GITOPS_HEALTH_CHECK =
      if cfg.healthChecks == [ ] then null else lib.concatMapStringsSep " && " (check: "( ${check} )") cfg.healthChecks;
  };

  settingsFile = pkgs.writeText "nix-gitops.env"
    (lib.concatStrings (lib.mapAttrsToList (name: value: "${name}=${quote value}\n") settings));

  # The names of guest-report, and nobody else's.
  links = [ "nix-ok*" "nix-boot*" "nix-held*" "nix-bad*" "nix-back*" ];

  scheduled = cfg.schedule != null && cfg.schedule != "";
in
{
  options.services.nix-gitops = {
    enable = lib.mkEnableOption "convergence to the flake named in /etc/nix-flake-target";

    mode = lib.mkOption {
      type = lib.types.nullOr (lib.types.enum [ "first-boot" "continuous" ]);
      default = null;
      description = "first-boot: done for good once the target was applied. continuous: every run looks for a new revision and undoes drift.";
    };

    schedule = lib.mkOption {
      type = lib.types.nullOr line;
      default = null;
      example = "Sat 04:00";
      description = "systemd calendar expression of the runs beside the one at boot; needs mode continuous, which it implies. Empty: none.";
    };

    reboot = lib.mkOption {
      type = lib.types.nullOr (lib.types.enum [ "never" "kernel" "always" ]);
      default = null;
      description = "When converging may reboot: never, for a new kernel, initrd or kernel modules, or for every new system.";
    };

    report = lib.mkOption {
      type = lib.types.nullOr (lib.types.enum [ "Link" "None" ]);
      default = null;
      description = "Link: the name of a network link reports the outcome of each run to the guest agent. None: there is no such link.";
    };

    healthChecks = lib.mkOption {
      type = lib.types.listOf line;
      default = [ ];
      example = [ "curl --fail --silent http://localhost/healthz" ];
      description = "Shell commands that must all succeed after activation. A revision that fails one is rolled back.";
    };
  };

  config = lib.mkIf cfg.enable {
    assertions = [{
      assertion = !(scheduled && cfg.mode == "first-boot");
      message = "services.nix-gitops.schedule needs mode \"continuous\": first-boot happens once.";
    }];

    nix.settings.experimental-features = [ "nix-command" "flakes" ];

    systemd.services.nix-gitops-apply = {
      description = "Converge this machine from its Git flake";
      wants = [ "network-online.target" ];
      # After the boot, and wanted by none of its targets: activation waits for the active targets, which inside the
      # boot would be waiting for this unit.
      after = [ "network-online.target" "multi-user.target" "cloud-final.service" ];
      # An activation must not end the run that activates.
      restartIfChanged = false;
      unitConfig = {
        X-StopOnRemoval = false;
        ConditionPathExists = "/etc/nix-flake-target";
        # Retries never end: a fix pushed hours later must still arrive. What they may do is limited by the script.
        StartLimitIntervalSec = 0;
      };
      serviceConfig = {
        Type = "oneshot";
        # A later file wins over an earlier one.
        EnvironmentFile = [ "-/etc/nix-gitops/env" "-/etc/nix-gitops/credentials" ]
          ++ lib.optional (settings != { }) "${settingsFile}";
        ExecStart = "${pkgs.bash}/bin/bash ${./nix-gitops-apply}";
        TimeoutStartSec = "2h";
        Restart = "on-failure";
        RestartSec = "60s";
        RestartSteps = 6;
        RestartMaxDelaySec = "30min";
        # Wrong parameters do not get better by trying.
        RestartPreventExitStatus = 78;
      };
      environment = config.nix.envVars // config.networking.proxy.envVars // {
        HOME = "/root";
        NIX_GITOPS_REPORTER = "${./guest-report}";
      };
      path = [
        config.nix.package
        config.programs.ssh.package
        config.system.build.nixos-rebuild
        pkgs.bash
        pkgs.gitMinimal
        pkgs.gnutar
        pkgs.gzip
        pkgs.iproute2
        pkgs.kmod
        pkgs.util-linux
        pkgs.xz
      ];
    };

    # The link is nobody's to set up, whoever manages the network here. The first file that matches counts.
    systemd.network.networks."04-guest-report" = {
      matchConfig = { Kind = "dummy"; Name = builtins.concatStringsSep " " links; };
      linkConfig.Unmanaged = true;
    };
    networking.dhcpcd.denyInterfaces = links;

    # What a run reports to node-exporter: modules/monitoring-agent.nix has it read.
    systemd.tmpfiles.rules = [ "d /var/lib/prometheus/node-exporter 0755 root root -" ];

    # In first-boot mode this costs a look at the record, in continuous mode one question to the remote.
    systemd.timers.nix-gitops-boot = {
      description = "Converge this machine from its Git flake after boot";
      wantedBy = [ "timers.target" ];
      timerConfig = {
        OnActiveSec = "15s";
        Unit = "nix-gitops-apply.service";
      };
    };

    systemd.timers.nix-gitops-apply = lib.mkIf scheduled {
      description = "Converge this machine from its Git flake on schedule";
      wantedBy = [ "timers.target" ];
      timerConfig = {
        OnCalendar = cfg.schedule;
        # Machines of one schedule must not restart their services, or reboot, in the same minute.
        RandomizedDelaySec = "15min";
        FixedRandomDelay = true;
        Persistent = true;
      };
    };
  };
}
