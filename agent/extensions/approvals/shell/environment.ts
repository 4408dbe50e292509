/** Variables that change what runs, or where. */
const DECIDING =
  /^(PATH|IFS|ENV|BASH_.*|SHELLOPTS|BASHOPTS|SHELL|PS\d|EXECIGNORE|GLOBIGNORE|HIST.*|POSIXLY_CORRECT|TEXTDOMAIN.*|PROMPT_COMMAND|CDPATH|HOME|PWD|OLDPWD|TMPDIR|TEMP|TMP|LD_.*|DYLD_.*|GLIBC_.*|GCONV_PATH|LOCPATH|NLSPATH|TERMINFO.*|GIT_.*|SSH_.*|SUDO_.*|.*PAGER|.*EDITOR|VISUAL|BROWSER|LESS.*|.*_COMMAND|.*_WRAPPER|NODE_OPTIONS|NODE_PATH|NODE_EXTRA.*|NODE_REPL.*|PYTHON(PATH|HOME|STARTUP|INSPECT|BREAKPOINT|EXECUTABLE|USERBASE|WARNINGS)|PERL5.*|PERLLIB|RUBYOPT|RUBYLIB|GEM_.*|BUNDLE_.*|JAVA_.*|_JAVA_OPTIONS|JDK_.*|CLASSPATH|MAVEN_.*|GRADLE_.*|npm_.*|NPM_.*|YARN_.*|PNPM_.*|PIP_.*|UV_.*|VIRTUAL_ENV|CONDA_.*|CARGO.*|RUSTC.*|RUSTFLAGS|RUSTDOCFLAGS|RUSTUP_.*|GOFLAGS|GOPATH|GOROOT|GOBIN|GOPROXY|GOTOOLCHAIN|CC|CXX|CPP|LD|AR|MAKEFLAGS|MAKEFILES|GNUMAKEFLAGS|CFLAGS|LDFLAGS|XDG_.*|APPDATA|USERPROFILE|DOCKER_.*|KUBECONFIG|.*_PROXY|.*_proxy|GREP_.*|TAR_OPTIONS|RIPGREP_.*|TAPE|RSYNC_.*|EXINIT|VIMINIT|INPUTRC|MANPATH|MANOPT|PI_.*|TILLER_.*|AI_AGENT|.*_OPTS|.*_FLAGS|.*ADDOPTS|PYTEST_.*|LUA_.*|TF_.*|DOTNET_STARTUP_HOOKS|CORECLR_.*|COR_.*|ERL_.*|ELIXIR_.*|PHPRC|PHP_INI_.*|R_PROFILE.*|R_ENVIRON.*|JULIA_.*|OPENSSL_.*|ANSIBLE_.*|WGETRC|CURL_HOME|GTK_.*|QT_.*|AWK(LIB)?PATH|HELM_.*|COMPILER_PATH|GCC_.*|PKG_CONFIG.*|ELECTRON_.*|TS_NODE_.*|BUN_.*|DENO_.*|KUBE_.*|COMPOSE_.*|VAGRANT_.*|MAGIC)$/;
/** Exceptions: these name people and dates. */
const NAMES_OF_PEOPLE = /^GIT_(AUTHOR|COMMITTER)_(NAME|EMAIL|DATE)$|^GIT_TERMINAL_PROMPT$/;
/** Variables that change how much is said, and how. */
const HARMLESS =
  /^(NODE_ENV|CI|DEBUG|FORCE_COLOR|NO_COLOR|CLICOLOR|CLICOLOR_FORCE|TZ|LANG|LANGUAGE|LC_\w+|TERM|COLUMNS|LINES|VERBOSE|LOG_LEVEL|RUST_LOG|RUST_BACKTRACE|PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE|PORT)$/;

/** What setting a variable means: nothing, something for the program that gets it, or another program altogether. */
export type VariableKind = "harmless" | "plain" | "deciding";

/** Says what setting a variable means. @param value undefined when it is not known. */
export function variableKind(name: string, value: string | undefined): VariableKind {
  if (NAMES_OF_PEOPLE.test(name)) return "harmless";
  if (/^(GIT_)?PAGER$/.test(name) && (value === "cat" || value === "")) return "harmless";
  if (DECIDING.test(name)) return "deciding";
  return HARMLESS.test(name) ? "harmless" : "plain";
}
