# Stands for the flake input nixpkgs: lib.nixosSystem evaluates modules with the options beside this file.
let
  lib = import ./lib.nix;

  # A package is its name; what is written is written.
  package = name: { type = "derivation"; inherit name; outPath = "/nix/store/00000000000000000000000000000000-${name}"; };
  pkgs = builtins.listToAttrs (map (name: { inherit name; value = package name; }) [
    "bash" "curl" "dnsutils" "docker" "git" "gitMinimal" "gnutar" "gzip" "iproute2" "kmod" "nix" "nixos-rebuild" "openssh" "python3" "util-linux" "vma" "xz"
  ]) // {
    writeShellScriptBin = name: text: { type = "derivation"; inherit name text; outPath = builtins.toFile name text; };
    writeText = name: text: { type = "derivation"; inherit name; outPath = builtins.toFile name text; };
  };
in
{
  lib = lib // {
    nixosSystem = { modules }: lib.evalModules {
      modules = [ ./options.nix ] ++ modules;
      specialArgs = { inherit pkgs; modulesPath = toString ./modules; };
    } // { inherit modules; };
  };
}
