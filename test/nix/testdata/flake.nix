# The outputs of the example flake, with nixpkgs replaced, as Nix would compute them.
{ flake, extraModules ? [ ] }:
let
  nixpkgs = import ./nixpkgs;
  withExtra = nixpkgs // {
    lib = nixpkgs.lib // { nixosSystem = args: nixpkgs.lib.nixosSystem (args // { modules = args.modules ++ extraModules; }); };
  };
  self = (import (flake + "/flake.nix")).outputs { inherit self; nixpkgs = withExtra; };
in
self
