# Fetches secrets from OpenBao or Vault into files, once: fetch-secrets, which another guest gets from bootstrap.secretStore of its claim.
#
# What is fetched, and from where, is here and no secret. The secret id comes beside it: in a vendor-data snippet on the Proxmox node that
# writes secretIDFile, best wrapped, so that it can be used once.
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

  settings = {
    inherit (cfg) address namespace secretIDFile wrapped;
    inherit (cfg.appRole) mount roleID;
    caCertificate = if cfg.caCertificate == null then "" else cfg.caCertificate;
    files = lib.mapAttrsToList (name: file: { path = name; inherit (file) mount secret field mode owner; }) cfg.files;
  };
in
{
  options.services.fetch-secrets = {
    enable = lib.mkEnableOption "fetching secrets from OpenBao or Vault into files, once";

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
        type = word;
        example = "3b1d0ed1-4c2f-6a0b-93d8-3a7e5a0f2c11";
        description = "The role, which is no secret.";
      };
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
      description = "What to fetch, by the path of the file. A file that is added later is not fetched: the machine has no secret id any more.";
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
      environment = config.networking.proxy.envVars
        // (if cfg.caCertificate == null then { SSL_CERT_FILE = "/etc/ssl/certs/ca-certificates.crt"; } else { });
      serviceConfig = {
        Type = "oneshot";
        RemainAfterExit = true;
        ExecStart = "${python} ${program}";
        TimeoutStartSec = "30min";
        Restart = "on-failure";
        RestartSec = "60s";
        StandardOutput = "journal+console";
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
    };

    # Not wanted by a target: an activation waits for what its targets want, and the server may be away.
    systemd.timers.fetch-secrets = {
      description = "Fetch secrets after boot and after an activation";
      wantedBy = [ "timers.target" ];
      timerConfig.OnActiveSec = "5s";
    };
  };
}
