# The part of nixpkgs' lib that the example uses, and of its module system: options with types and defaults, imports,
# mkIf, mkMerge and priorities. As strict as the real one where that finds mistakes: an option that does not exist, a
# value of the wrong type, two values for one option and an option without a value are errors.
let
  inherit (builtins)
    all any attrNames concatLists concatMap concatStringsSep elem elemAt filter foldl' genList hasAttr head isAttrs isBool
    isFunction isInt isList isString length listToAttrs map mapAttrs match removeAttrs tail toString typeOf;

  isType = type: value: isAttrs value && value._type or null == type;
  isDerivation = value: isAttrs value && value.type or null == "derivation";
  isPlain = value: isAttrs value && !(isDerivation value) && !(value ? _type);
  show = path: concatStringsSep "." path;
  unique = foldl' (seen: value: if elem value seen then seen else seen ++ [ value ]) [ ];

  # A type checks single values, and merges the definitions of one option.
  equal = path: values:
    if length (unique values) == 1 then head values
    else throw "the option `${show path}' has conflicting definitions: ${builtins.toJSON values}";
  scalar = name: check: { inherit name check; merge = equal; };
  list = type: {
    name = "list of ${type.name}";
    check = value: isList value && all type.check value;
    merge = path: values: concatLists values;
  };
  attrs = type: {
    name = "attribute set of ${type.name}";
    check = isPlain;
    # A name whose every definition is under a condition that does not hold is not there.
    merge = path: values:
      let definitions = name: concatMap (v: if hasAttr name v then discharge v.${name} else [ ]) values; in
      listToAttrs (map
        (name: { inherit name; value = resolve (path ++ [ name ]) type (definitions name); })
        (filter (name: definitions name != [ ]) (unique (concatMap attrNames values))));
  };
  anything = {
    name = "anything";
    check = value: true;
    merge = path: values:
      if all isPlain values then (attrs anything).merge path values
      else if all isList values then concatLists values
      else equal path values;
  };

  # Definitions of one option: conditions decided, the strongest priority kept, types checked, values merged.
  discharge = value:
    if isType "if" value then (if value.condition then discharge value.content else [ ])
    else if isType "merge" value then concatMap discharge value.contents
    else if isType "override" value then map (d: d // { inherit (value) priority; }) (discharge value.content)
    else [{ priority = 100; inherit value; }];
  resolve = path: type: definitions:
    let
      strongest = foldl' (p: d: if d.priority < p then d.priority else p) 10000 definitions;
      values = map (d: d.value) (filter (d: d.priority == strongest) definitions);
    in
    foldl'
      (result: value:
        if type.check value then result
        else throw "the option `${show path}' is not of type ${type.name}: ${if isString value || isInt value || isBool value then builtins.toJSON value else typeOf value}")
      (type.merge path values)
      values;

  # A condition around a set of options is one around each.
  pushDown = value:
    if isType "if" value then map (v: mapAttrs (_: lib.mkIf value.condition) v) (pushDown value.content)
    else if isType "merge" value then concatMap pushDown value.contents
    else [ value ];

  configOf = path: declared: defined:
    if declared ? _type then
      let definitions = concatMap discharge defined; in
      if definitions != [ ] then resolve path declared.type definitions
      else if declared ? default then declared.default
      else throw "the option `${show path}' is used but not defined"
    else
      let
        sets = concatMap pushDown defined;
        unknown = filter (name: !(hasAttr name declared)) (unique (concatMap attrNames sets));
      in
      if unknown != [ ] then throw "the option `${show (path ++ [ (head unknown) ])}' does not exist"
      else mapAttrs (name: d: configOf (path ++ [ name ]) d (concatMap (s: if hasAttr name s then [ s.${name} ] else [ ]) sets)) declared;

  mergeOptions = path: a: b: mapAttrs
    (name: _:
      if !(hasAttr name a) then b.${name}
      else if !(hasAttr name b) then a.${name}
      else if a.${name} ? _type || b.${name} ? _type then throw "the option `${show (path ++ [ name ])}' is declared twice"
      else mergeOptions (path ++ [ name ]) a.${name} b.${name})
    (a // b);

  lib = {
    mkOption = option: option // { _type = "option"; };
    mkEnableOption = what: lib.mkOption { type = lib.types.bool; default = false; description = "Whether to enable ${what}."; };
    mkIf = condition: content: { _type = "if"; inherit condition content; };
    mkMerge = contents: { _type = "merge"; inherit contents; };
    mkOverride = priority: content: { _type = "override"; inherit priority content; };
    mkForce = lib.mkOverride 50;
    mkDefault = lib.mkOverride 1000;
    literalExpression = text: { _type = "literalExpression"; inherit text; };

    types = {
      inherit anything;
      bool = scalar "boolean" isBool;
      int = scalar "integer" isInt;
      str = scalar "string" (v: isString v || isDerivation v);
      nonEmptyStr = scalar "non-empty string" (v: isString v && match "[ \t\n]*" v == null);
      lines = { name = "lines"; check = isString; merge = path: values: concatStringsSep "\n" values; };
      package = scalar "package" isDerivation;
      enum = values: scalar "one of ${builtins.toJSON values}" (v: elem v values);
      strMatching = pattern: scalar "string matching ${pattern}" (v: isString v && match pattern v != null);
      nullOr = type: {
        name = "null or ${type.name}";
        check = v: v == null || type.check v;
        merge = path: values: if all (v: v == null) values then null else type.merge path (filter (v: v != null) values);
      };
      submodule = { options }: { name = "submodule"; check = isPlain; merge = path: values: configOf path options values; };
      listOf = list;
      attrsOf = attrs;
    };

    optionalAttrs = condition: set: if condition then set else { };
    toIntBase10 = text: builtins.fromJSON (elemAt (match "0*(0|[1-9][0-9]*)" text) 0);
    optional = condition: value: if condition then [ value ] else [ ];
    filterAttrs = keep: set: removeAttrs set (filter (name: !(keep name set.${name})) (attrNames set));
    mapAttrsToList = f: set: map (name: f name set.${name}) (attrNames set);
    concatStrings = concatStringsSep "";
    concatMapStringsSep = separator: f: values: concatStringsSep separator (map f values);

    evalModules = { modules, specialArgs ? { } }:
      let
        load = module:
          let
            value = if isFunction module then module (specialArgs // { inherit lib config; }) else if isAttrs module then module else load (import module);
            stray = filter (name: !(elem name [ "imports" "options" "config" ])) (attrNames value);
          in
          if !(value ? options || value ? config) then { imports = value.imports or [ ]; options = { }; config = removeAttrs value [ "imports" ]; }
          else if stray != [ ] then throw "a module with options or config has `${head stray}' beside them"
          else { imports = [ ]; options = { }; config = { }; } // value;
        # A file that is imported twice counts once.
        collect = seen: modules: foldl'
          (state: module:
            let key = if isString module || typeOf module == "path" then toString module else null; in
            if key != null && elem key state.seen then state
            else
              let
                loaded = load module;
                below = collect (state.seen ++ lib.optional (key != null) key) loaded.imports;
              in
              { inherit (below) seen; all = state.all ++ below.all ++ [ loaded ]; })
          { inherit seen; all = [ ]; }
          modules;
        loaded = (collect [ ] modules).all;
        options = foldl' (mergeOptions [ ]) { } (map (m: m.options) loaded);
        config = configOf [ ] options (map (m: m.config) loaded);
      in
      { inherit config options; };
  };
in
lib
