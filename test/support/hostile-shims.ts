const NET = 'printf "%s %q\\n" "$shim_name" "$*" >> "$shim_root/log/net"';
/** Shows every operand that is a file. */
const SHOWS = 'for one in "$@"; do [[ -f $one ]] && cat "$one"; done; true';

/**
 * Programs that a bare machine does not have, each with the one dangerous thing that the real program does with its arguments and with the
 * files of a project. Every one of them records its arguments first. `net` stands for a connection that would be opened.
 */
export const SHIMS: Record<string, string> = {
  "curl wget ssh scp sftp rsync nc ncat socat telnet ping dig nslookup host gh glab docker podman kubectl aws gcloud lynx ftp http":
    NET,
  "pip pip3 gem bundle uv poetry brew terraform": NET,
  "less more bat": `for one in "$@"; do case $one in +!*) sh -c "\${one#+!}";; esac; done; ${SHOWS}`,
  "file column bc hexdump": SHOWS,
  // A word that begins with @ is a file with more words.
  strings: `for one in "$@"; do [[ $one == @* ]] && cat "\${one#@}"; done; ${SHOWS}`,
  // Its letters are not bundled, and a second operand is written.
  xxd: `operands=()
while (( $# )); do case $1 in -[clsgo]) shift ;; -*) ;; *) operands+=("$1") ;; esac; shift; done
if (( \${#operands[@]} > 1 )); then echo > "\${operands[1]}"; else cat "\${operands[@]}"; fi`,
  jq: `while (( $# )); do
  case $1 in
    --rawfile | --slurpfile) cat "$3"; shift 2 ;;
    -f | --from-file) cat "$2"; shift ;;
    -L) cat "$2"/*.jq; shift ;;
    *import*) file=\${1#*\\"}; cat "\${file%%\\"*}.jq" "\${file%%\\"*}.json" ;;
    *) [[ -f $1 ]] && cat "$1" ;;
  esac
  shift
done 2> /dev/null; true`,
  rg: `while (( $# )); do
  case $1 in
    --pre=*) sh -c "\${1#--pre=}" ;;
    --pre) sh -c "$2"; shift ;;
    -f | --file) cat "$2"; shift ;;
    -f*) cat "\${1#-f}" ;;
    --hostname-bin=*) sh -c "\${1#*=}" ;;
    *) [[ -f $1 ]] && cat "$1" ;;
  esac
  shift
done; true`,
  "fd fdfind": `while (( $# )); do case $1 in -x | -X | --exec | --exec-batch) shift; "$@"; exit ;; esac; shift; done`,
  tree: `while (( $# )); do case $1 in -o) echo > "$2" ;; --fromfile) cat "$2" ;; esac; shift; done`,
  yq: `for one in "$@"; do case $one in -i | --inplace) echo > "\${@: -1}" ;; *load*) cat "$(sed 's/.*load_str("\\([^"]*\\)").*/\\1/' <<< "$one")" ;; esac; done; ${SHOWS}`,
  zip: `while (( $# )); do case $1 in -TT) sh -c "$2"; shift ;; *.zip) echo > "$1" ;; esac; shift; done`,
  man: `while (( $# )); do case $1 in -P | -H) sh -c "$2"; shift ;; --pager=*) sh -c "\${1#*=}" ;; -l) cat "$2"; shift ;; *) [[ -f $1 ]] && cat "$1" ;; esac; shift; done; true`,
  "vim vi view ex nano emacs": `while (( $# )); do case $1 in -c | --cmd) case $2 in '!'*) sh -c "\${2#!}" ;; 'w '*) echo > "\${2#w }" ;; esac; shift ;; +!*) sh -c "\${1#+!}" ;; esac; shift; done`,
  watch: `while [[ $1 == -* ]]; do case $1 in -n | --interval) shift ;; esac; shift; done; sh -c "$*"`,
  "sudo doas busybox parallel-run proot firejail": '"$@"',
  parallel: `cmd=$1; shift; [[ $1 == ::: ]] && shift; for one in "$@"; do sh -c "$cmd $one"; done; [[ $# == 0 ]] && while read -r line; do sh -c "$cmd $line"; done; true`,
  ps: `for one in "$@"; do case $one in *e*) tr '\\0' ' ' < "/proc/$PPID/environ" ;; esac; done; true`,
  npm: `case $1 in
  view | v | info | show | outdated | audit | ping | search | s | install | i | ci | add | update | publish | whoami | owner | access | dist-tag | profile | star | team | token | diff | doctor | pack | exec | x | fund-net) ${NET} ;;
  docs | home | repo | bugs | help | fund) program=$(sed -n 's/^browser=//p' .npmrc 2> /dev/null); [[ -n $program ]] && "$program" ;;
  explore) shift 3; "$@" ;;
esac
true`,
  "npx pnpx bunx": `if [[ -x node_modules/.bin/$1 ]]; then "node_modules/.bin/$1"; else ${NET}; fi`,
  "yarn yarnpkg": `for file in .yarnrc .yarnrc.yml; do
  program=$(sed -nE 's/^(yarn-path|yarnPath:?) "?([^"]*)"?$/\\2/p' "$file" 2> /dev/null); [[ -n $program ]] && exec node "$program" "$@"
done
case $1 in info | npm | audit | outdated | add | install) ${NET} ;; esac; true`,
  pnpm: `[[ -f .pnpmfile.cjs ]] && case $1 in --version) ;; *) node .pnpmfile.cjs ;; esac
case $1 in view | info | outdated | audit | add | install) ${NET} ;; esac; true`,
  "mvn mvnw": `[[ -f .mvn/jvm.config ]] && sed -n 's/^-javaagent:/touch /p' .mvn/jvm.config | sh; true`,
  "bazel bazelisk": `[[ -f .bazelversion ]] && ${NET}; [[ -x tools/bazel ]] && tools/bazel "$@"; true`,
  gradle: `[[ -f build.gradle ]] && sed -n 's/.*"\\(touch [^"]*\\)".execute.*/\\1/p' build.gradle settings.gradle 2> /dev/null | sh; true`,
  "jest vitest eslint prettier tsc webpack vite rollup mocha stylelint ava tap playwright cypress biome": `for file in "$shim_name".config.cjs "$shim_name".config.js ".\${shim_name}rc.cjs" ".\${shim_name}rc.js"; do [[ -f $file ]] && node "$file"; done; true`,
  "make gmake ninja": `[[ -f Makefile ]] && sed -n 's/.*$(shell \\([^)]*\\)).*/\\1/p; s/^\\t+\\(.*\\)/\\1/p' Makefile | sh; true`,
  "cargo rustc rustup": `[[ -f .cargo/config.toml ]] && sed -n 's/^rustc-wrapper = "\\(.*\\)"/\\1/p' .cargo/config.toml | sh
[[ -f rust-toolchain.toml ]] && sed -n 's|^path = "\\(.*\\)"|\\1/bin/'"$shim_name"'|p' rust-toolchain.toml | sh; true`,
  go: `[[ -f go.mod ]] && grep -q '^toolchain' go.mod && ${NET}; case $1 in list) [[ $* == *-m* ]] && ${NET} ;; get | install | download) ${NET} ;; esac; true`,
  "python python3": `while (( $# )); do
  case $1 in
    -c) exit ;;
    -m) [[ -f $2.py ]] && sed -n 's/^os.system("\\(.*\\)")/\\1/p' "$2.py" | sh; exit ;;
    *.py) sed -n 's/^os.system("\\(.*\\)")/\\1/p' "$1" | sh; exit ;;
  esac
  shift
done`,
  "ruby php lua deno bun swift dotnet java mix": `case $1 in run | task | test) touch "PWN-$shim_name" ;; *) [[ -f $1 ]] && touch "PWN-$shim_name" ;; esac; true`,
  "tsx ts-node nodemon": "[[ -f $1 ]] && touch PWN-tsx; true",
  "direnv asdf mise nvm fnm volta": `[[ -f .envrc && $shim_name == direnv ]] && sh .envrc; [[ -f .tool-versions ]] && ${NET}; [[ -f .mise.toml ]] && sed -n 's/.*exec(.\\(touch [^)]*\\).).*/\\1/p' .mise.toml | sh; true`,
  "just task": `[[ -f justfile ]] && sed -n 's/.*\`\\(.*\\)\`.*/\\1/p' justfile | sh; true`,
  "terraform-run pre-commit husky lint-staged lerna nx turbo": `[[ -f nx.json ]] && node evil.cjs; true`,
  mytool: "true",
};
