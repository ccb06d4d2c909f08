# Fetches secrets from OpenBao or Vault into files: fetch-secrets, which another guest gets from bootstrap.secretStore of its claim.
#
# What is fetched, and from where, is here and no secret. What the machine logs in with comes beside it, in a vendor-data snippet on the Proxmox
# node: a secret id in secretIDFile, best wrapped, so that it can be used once, with which the machine fetches once; or a certificate and its key,
# with which it can fetch again from time to time.
#
# A service that needs a file must be able to wait for it. A unit that requires fetch-secrets.service is part of the activation: as long as the
# server is away, the activation fails, and the machine stays at the revision before.
{ config, lib, pkgs, ... }:
let
  cfg = config.services.fetch-secrets;

  program = ./fetch-secrets;
  python = "${pkgs.python3}/bin/python3 -I";

  path = lib.types.strMatching "/[^\n]*[^/\n]";
  word = lib.types.strMatching "[!-~]+";
  unit = lib.types.strMatching "[A-Za-z0-9_.@:-]+[.]service";

  certified = cfg.tls != null;

  # K3s reads its token to join, and does not start when a server's is another one later.
  tokens = map toString (builtins.filter (file: file != null) [ (config.services.k3s.tokenFile or null) (config.services.k3s.agentTokenFile or null) ]);
  # A restart at a time of the secret store's choosing would take the servers of a cluster down together.
  forbidden = [ "k3s.service" "k3s-agent.service" "k3s-bootstrap.service" "fetch-secrets.service" "fetch-secrets-refresh.service" ];

  # The parts of a time: hours and minutes.
  times = if cfg.refresh == null then null else builtins.match "(([0-9]+)h)?(([0-9]+)m)?" cfg.refresh;
  number = text: if text == null then 0 else lib.toIntBase10 text;
  seconds = if times == null then 0 else 3600 * number (builtins.elemAt times 1) + 60 * number (builtins.elemAt times 3);

  settings = {
    inherit (cfg) address namespace;
    caCertificate = if cfg.caCertificate == null then "" else cfg.caCertificate;
    files = lib.mapAttrsToList
      (name: file: { path = name; inherit (file) mount secret field mode owner; }
        // lib.optionalAttrs (file.restart != [ ]) { inherit (file) restart; }
        // lib.optionalAttrs (cfg.refresh != null && (file.once || builtins.elem name tokens)) { once = true; })
      cfg.files;
  } // (if certified then {
    inherit (cfg.tls) mount;
    tls = { inherit (cfg.tls) role certificateFile keyFile; };
  } else {
    inherit (cfg) secretIDFile wrapped;
    inherit (cfg.appRole) mount roleID;
  }) // lib.optionalAttrs (cfg.refresh != null) { inherit (cfg) refresh; };

  environment = config.networking.proxy.envVars
    // (if cfg.caCertificate == null then { SSL_CERT_FILE = "/etc/ssl/certs/ca-certificates.crt"; } else { });

  sandbox = {
    Type = "oneshot";
    TimeoutStartSec = "30min";
    UMask = "0077";
    LimitCORE = 0;
    NoNewPrivileges = true;
    CapabilityBoundingSet = "CAP_CHOWN CAP_DAC_OVERRIDE CAP_FOWNER CAP_FSETID";
    RestrictAddressFamilies = "AF_INET AF_INET6 AF_UNIX AF_NETLINK";
    ProtectKernelModules = true;
    ProtectKernelTunables = true;
    ProtectControlGroups = true;
    LockPersonality = true;
    RestrictRealtime = true;
  };
in
{
  options.services.fetch-secrets = {
    enable = lib.mkEnableOption "fetching secrets from OpenBao or Vault into files";

    address = lib.mkOption {
      type = lib.types.strMatching "https://[^/ \n]+/?";
      example = "https://bao.home.arpa:8200";
      description = "The server. Its certificate is always checked.";
    };

    caCertificate = lib.mkOption {
      type = lib.types.nullOr lib.types.str;
      default = null;
      example = lib.literalExpression "builtins.readFile ../ca.pem";
      description = "The certificate of the authority that signed the server's, in PEM. null: one that the machine trusts.";
    };

    namespace = lib.mkOption {
      type = lib.types.str;
      default = "";
      description = "Namespace of the server, if it has namespaces.";
    };

    appRole = {
      mount = lib.mkOption {
        type = word;
        default = "approle";
        description = "Path of the auth method.";
      };
      roleID = lib.mkOption {
        type = lib.types.nullOr word;
        default = null;
        example = "3b1d0ed1-4c2f-6a0b-93d8-3a7e5a0f2c11";
        description = "The role, which is no secret. Set either this or tls.";
      };
    };

    tls = lib.mkOption {
      default = null;
      example = { role = "app02"; };
      description = "A login with a certificate in place of appRole. null: none.";
      type = lib.types.nullOr (lib.types.submodule {
        options = {
          mount = lib.mkOption {
            type = word;
            default = "cert";
            description = "Path of the auth method.";
          };
          role = lib.mkOption {
            type = lib.types.strMatching "[A-Za-z0-9_.-]*";
            default = "";
            description = "Name of the role. Empty: the server tries all of them.";
          };
          certificateFile = lib.mkOption {
            type = path;
            default = "/etc/machine-secrets/tls.crt";
            description = "The certificate, in PEM, which a vendor-data snippet writes. It stays.";
          };
          keyFile = lib.mkOption {
            type = path;
            default = "/etc/machine-secrets/tls.key";
            description = "Its key, in PEM, without a passphrase and without access for others. It stays.";
          };
        };
      });
    };

    refresh = lib.mkOption {
      type = lib.types.nullOr lib.types.str;
      default = null;
      example = "12h";
      description = "How often to fetch again, from 5m to 720h. A file whose content is another one in the store is replaced. Needs tls. null: never.";
    };

    secretIDFile = lib.mkOption {
      type = path;
      default = "/etc/machine-secrets/secret-id";
      description = "The file that a vendor-data snippet writes. It is removed after its use.";
    };

    wrapped = lib.mkOption {
      type = lib.types.bool;
      default = true;
      description = "The file has a wrapping token, which can be used once; false: the secret id itself.";
    };

    files = lib.mkOption {
      default = { };
      example = { "/var/lib/myapp/password" = { secret = "myapp"; field = "password"; }; };
      description = "What to fetch, by the path of the file. A file that is added later is fetched by a refresh; without one it is not, because the machine has no secret id any more.";
      type = lib.types.attrsOf (lib.types.submodule {
        options = {
          mount = lib.mkOption {
            type = word;
            default = "secret";
            description = "Path of the secrets engine, KV of version 1 or 2.";
          };
          secret = lib.mkOption {
            type = lib.types.nonEmptyStr;
            description = "Path of the secret in its engine.";
          };
          field = lib.mkOption {
            type = lib.types.nonEmptyStr;
            description = "Field of the secret.";
          };
          mode = lib.mkOption {
            type = lib.types.strMatching "0[0-7]{3}";
            default = "0600";
            description = "Mode of the file.";
          };
          owner = lib.mkOption {
            type = lib.types.strMatching "[^: \n]+:[^: \n]+";
            default = "root:root";
            description = "User and group of the file.";
          };
          restart = lib.mkOption {
            type = lib.types.listOf unit;
            default = [ ];
            example = [ "myapp.service" ];
            description = "Services that are restarted when a refresh has replaced the file, if they run.";
          };
          once = lib.mkOption {
            type = lib.types.bool;
            default = false;
            description = "A refresh leaves the file alone, as it always does with services.k3s.tokenFile and agentTokenFile.";
          };
        };
      });
    };
  };

  config = lib.mkIf cfg.enable {
    assertions = [
      {
        assertion = cfg.files != { };
        message = "services.fetch-secrets.files needs a file, such as \"/var/lib/myapp/password\" = { secret = \"myapp\"; field = \"password\"; }.";
      }
      {
        assertion = builtins.all (name: builtins.match "/[^\n]*[^/\n]" name != null) (builtins.attrNames cfg.files);
        message = "services.fetch-secrets.files: a path starts with a slash, and does not end with one.";
      }
      {
        assertion = certified != (cfg.appRole.roleID != null);
        message = "services.fetch-secrets needs exactly one of appRole.roleID and tls.";
      }
      {
        assertion = cfg.refresh == null || certified;
        message = "services.fetch-secrets.refresh needs tls: a secret id that was wrapped, or can be used once, is used up after the first fetch.";
      }
      {
        assertion = cfg.refresh == null || (seconds >= 300 && seconds <= 2592000);
        message = "services.fetch-secrets.refresh must be hours and minutes, from 5m to 720h, such as 12h.";
      }
      {
        assertion = cfg.refresh != null || builtins.all (file: file.restart == [ ]) (builtins.attrValues cfg.files);
        message = "services.fetch-secrets.files: restart needs refresh.";
      }
      {
        assertion = builtins.all (file: builtins.length file.restart <= 4 && builtins.all (name: !builtins.elem name forbidden) file.restart) (builtins.attrValues cfg.files);
        message = "services.fetch-secrets.files: restart takes at most 4 services, and neither those of K3s nor what fetches secrets: "
          + "the secret store would choose the time, for all servers of a cluster.";
      }
    ];

    environment.etc."machine-secrets/config.json".text = builtins.toJSON settings;

    # fetch-secrets status
    environment.systemPackages = [ (pkgs.writeShellScriptBin "fetch-secrets" ''exec ${python} ${program} "$@"'') ];

    systemd.services.fetch-secrets = {
      description = "Fetch secrets from OpenBao or Vault into files";
      wants = [ "network-online.target" ];
      after = [ "network-online.target" ];
      # An activation must not end a run, and has none to wait for.
      restartIfChanged = false;
      unitConfig = {
        # Written at the end: a machine that has its files is left alone.
        ConditionPathExists = "!/var/lib/machine-secrets/done";
        # No limit: a server that comes back after a night finds the machine still trying.
        StartLimitIntervalSec = 0;
      };
      inherit environment;
      serviceConfig = sandbox // {
        RemainAfterExit = true;
        ExecStart = "${python} ${program}";
        Restart = "on-failure";
        RestartSec = "60s";
        StandardOutput = "journal+console";
      };
    };

    # Not wanted by a target: an activation waits for what its targets want, and the server may be away.
    systemd.timers.fetch-secrets = {
      description = "Fetch secrets after boot and after an activation";
      wantedBy = [ "timers.target" ];
      timerConfig.OnActiveSec = "5s";
    };

    systemd.services.fetch-secrets-refresh = lib.mkIf (cfg.refresh != null) {
      description = "Fetch secrets from OpenBao or Vault again";
      wants = [ "network-online.target" ];
      after = [ "network-online.target" "fetch-secrets.service" ];
      restartIfChanged = false;
      inherit environment;
      serviceConfig = sandbox // {
        ExecStart = "${python} ${program} refresh";
        StandardOutput = "journal";
      };
    };

    # From the end of the last run, and from each boot, which makes up for the time in which the machine was off.
    systemd.timers.fetch-secrets-refresh = lib.mkIf (cfg.refresh != null) {
      description = "Fetch secrets from OpenBao or Vault again";
      wantedBy = [ "timers.target" ];
      timerConfig = {
        OnBootSec = "2min";
        OnUnitInactiveSec = "${toString seconds}s";
        RandomizedDelaySec = "${toString (if seconds > 36000 then 3600 else seconds / 10)}s";
        AccuracySec = "1s";
      };
    };
  };
}
