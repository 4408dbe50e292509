/** Variables that change what runs, or where: those of shells, of what loads programs, and of programs that start others. */
const DECIDING = new RegExp(
  `^(${[
    // Shells.
    "PATH|IFS|ENV|BASH.*|SHELL.*|PS\\d|EXECIGNORE|GLOBIGNORE|FIGNORE|HIST.*|POSIXLY_CORRECT|TEXTDOMAIN.*|PROMPT_.*|CDPATH|HOME|PWD|OLDPWD",
    "TMPDIR|TEMP|TMP|COMP_.*|COMPREPLY|COPROC|DIRSTACK|EMACS|INSIDE_EMACS|EPOCH.*|EUID|UID|PPID|FCEDIT|FUNC.*|GROUPS|HOST.*|IGNOREEOF|INPUTRC",
    "LINENO|MACHTYPE|MAIL.*|MAPFILE|OPT.*|OSTYPE|PIPESTATUS|RANDOM|SRANDOM|READLINE_.*|REPLY|SECONDS|SHLVL|TIMEFORMAT|TMOUT|_|auto_resume|histchars",
    // Variables that load programs, and texts for them.
    "LD_.*|DYLD_.*|GLIBC_.*|GCONV_PATH|LOCPATH|NLSPATH|TERMINFO.*|TERMCAP|MALLOC_.*|HOSTALIASES|RES_OPTIONS|RESOLV_.*",
    // Programs.
    "GIT_.*|SSH_.*|SUDO_.*|.*PAGER|.*EDITOR|VISUAL|BROWSER|LESS.*|.*_COMMAND|.*_WRAPPER|NODE_(?!ENV$).*|PYTHON(?!UNBUFFERED$|DONTWRITEBYTECODE$).*|PERL.*",
    "RUBY.*|GEM_.*|BUNDLE_.*|JAVA_.*|_JAVA_OPTIONS|JDK_.*|CLASSPATH|MAVEN_.*|GRADLE_.*|npm_.*|NPM_.*|YARN_.*|PNPM_.*|COREPACK_.*|PIP_.*|UV_.*",
    "VIRTUAL_ENV|CONDA_.*|CARGO.*|RUSTC.*|RUSTFLAGS|RUSTDOCFLAGS|RUSTUP_.*|GO(?!LD).*|CC|CXX|CPP|LD|AR|MAKE.*|GNUMAKE.*|CFLAGS|LDFLAGS|XDG_.*",
    "APPDATA|USERPROFILE|DOCKER_.*|KUBE.*|.*_PROXY|.*_proxy|GREP_.*|TAR_OPTIONS|RIPGREP_.*|TAPE|RSYNC_.*|EXINIT|VIMINIT|MAN.*|PI_.*|TILLER_.*",
    "AI_AGENT|.*_OPTS|.*_FLAGS|.*ADDOPTS|.*_OPTIONS|PYTEST_.*|LUA_.*|TF_.*|DOTNET_.*|CORECLR_.*|COR_.*|ERL_.*|ELIXIR_.*|PHPRC|PHP_.*|R_.*|JULIA_.*",
    "OPENSSL_.*|SSL_.*|ANSIBLE_.*|WGETRC|CURL_.*|GTK_.*|QT_.*|AWK.*|POSIX.*|HELM_.*|COMPILER_PATH|GCC_.*|PKG_CONFIG.*|ELECTRON_.*|TS_NODE_.*|BUN_.*",
    "DENO_.*|COMPOSE_.*|VAGRANT_.*|MAGIC|JQ_.*|LS_COLORS|TIME|TIME_STYLE|BLOCKSIZE|ANTHROPIC_.*|OPENAI_.*",
  ].join("|")})$`,
);
/** Exceptions: these name people and dates. */
const NAMES_OF_PEOPLE = /^GIT_(AUTHOR|COMMITTER)_(NAME|EMAIL|DATE)$|^GIT_TERMINAL_PROMPT$/;
/** Variables that change how much is said, and how. */
const HARMLESS =
  /^(NODE_ENV|CI|DEBUG|FORCE_COLOR|NO_COLOR|CLICOLOR|CLICOLOR_FORCE|TZ|LANG|LANGUAGE|LC_\w+|TERM|COLUMNS|LINES|VERBOSE|LOG_LEVEL|RUST_LOG|RUST_BACKTRACE|PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE|PORT)$/;
/** Values are not for a model to see. */
const SECRET = /KEY|TOKEN|SECRET|PASS|CREDENTIAL|AUTH(?!OR)|COOKIE|SESSION|DSN|_URL$|_URI$/i;

/** Effect of setting a variable: none, one on the program that gets it, or another program altogether. */
export type VariableKind = "harmless" | "plain" | "deciding";

/** Returns what setting a variable means. @param value undefined when it is not known. */
export function variableKind(name: string, value: string | undefined): VariableKind {
  if (NAMES_OF_PEOPLE.test(name)) return "harmless";
  if (/^(GIT_)?PAGER$/.test(name) && (value === "cat" || value === "")) return "harmless";
  if (HARMLESS.test(name)) return "harmless";
  return DECIDING.test(name) ? "deciding" : "plain";
}

/** True when the name of a variable of the environment says that its value is not for a model to see. */
export function isSecretVariable(name: string): boolean {
  return /[A-Z]/.test(name) && SECRET.test(name);
}
