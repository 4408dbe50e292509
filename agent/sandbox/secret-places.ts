/** The folder with the sockets of services. */
export const SERVICES = "/run";
export const TEMPORARY = "/tmp";
export const LONG_TEMPORARY = "/var/tmp";
/** Folders of the system that are made anew for contained commands. */
export const REPLACED_FOLDERS: readonly string[] = [SERVICES, TEMPORARY, LONG_TEMPORARY];

/** Folders of the home folder in which programs keep keys, passwords, and what a person did: a contained command finds them empty. */
export const SECRET_FOLDERS: readonly string[] = [
  ...[
    ".aws",
    ".azure",
    ".docker/run",
    ".docker/desktop",
    ".colima",
    ".lima",
    ".orbstack/run",
    ".gnupg",
    ".kube",
    ".password-store",
    ".ssh",
    ".oci",
    ".bluemix",
    ".fly",
  ],
  // Tokens of command lines.
  ...[
    "gh",
    "hub",
    "glab-cli",
    "gcloud",
    "op",
    "rclone",
    "sops",
    "doctl",
    "heroku",
    "configstore",
    "github-copilot",
  ].map((name) => `.config/${name}`),
  // Passwords, cookies, and mail.
  ...[".local/share/keyrings", ".local/share/kwalletd", ".mozilla", ".thunderbird", ".config/BraveSoftware"],
  ...["chromium", "google-chrome", "google-chrome-beta", "microsoft-edge", "opera", "vivaldi"].map(
    (name) => `.config/${name}`,
  ),
  ...["snap/firefox", "snap/chromium", "snap/thunderbird", ".var/app"],
  ...["Library/Keychains", "Library/Cookies", "Library/Mail", "Library/Safari", "Library/Application Support/Firefox"],
  ...["Library/Application Support/Google/Chrome", "Library/Application Support/BraveSoftware"],
  // Data of editors: their stores of secrets, and programs that they run.
  ...["Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf"].flatMap((name) => [
    `.config/${name}`,
    `Library/Application Support/${name}`,
  ]),
  ...[".vscode-server/data", ".vscode-server-insiders/data", ".cursor-server/data", ".local/share/code-server/User"],
];

/** Files of the home folder that hold keys, passwords, or what a person typed. */
export const SECRET_FILES: readonly string[] = [
  ...[".netrc", ".pgpass", ".my.cnf", ".pypirc", ".git-credentials", ".config/git/credentials", ".vault-token"],
  ...[".docker/config.json", ".gem/credentials", ".cargo/credentials", ".cargo/credentials.toml", ".boto", ".s3cfg"],
  ...[
    ".terraform.d/credentials.tfrc.json",
    ".terraformrc",
    ".config/containers/auth.json",
    ".m2/settings-security.xml",
  ],
  ...["bash", "zsh", "python", "node_repl", "psql", "mysql", "sqlite"].map((name) => `.${name}_history`),
  ...[".local/share/fish/fish_history", ".lesshst", ".viminfo", ".Xauthority", ".ICEauthority"],
  // Sign-ins of other agents.
  ...[
    ".claude/.credentials.json",
    ".claude.json",
    ".codex/auth.json",
    ".gemini/oauth_creds.json",
    ".pi/agent/auth.json",
  ],
];

/** Files of the system that a contained command of an administrator can't read either, and the display and sound of Windows in WSL. */
export const SYSTEM_SECRETS: readonly string[] = [
  ...["/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/mnt/wslg"],
];

/** Folders of the home folder in which tools keep what they downloaded or built, which contained commands can write. */
export const CACHES: readonly string[] = [
  ...[
    "pip",
    "uv",
    "yarn",
    "pnpm",
    "go-build",
    "node-gyp",
    "pre-commit",
    "ruff",
    "mypy",
    "ccache",
    "sccache",
    "bazel",
  ].map((name) => `~/.cache/${name}`),
  ...["deno", "Cypress", "ms-playwright", "puppeteer", "composer", "zig", "black", "pypoetry", "node"].map(
    (name) => `~/.cache/${name}`,
  ),
  ...["~/.npm", "~/.local/share/pnpm/store", "~/.pnpm-store", "~/.yarn/berry", "~/.bun/install/cache"],
  ...["~/.cargo/registry", "~/.cargo/git", "~/go/pkg", "~/.gradle/caches", "~/.m2/repository", "~/.ivy2/cache"],
  ...["~/.nuget/packages", "~/.composer/cache", "~/.conda/pkgs", "~/Library/Caches"],
];

/** Files and folders at the top of a workspace that decide what an editor, an agent, or Git runs: contained commands can't change them. */
export const PROTECTED_NAMES: readonly string[] = [
  ...[".vscode", ".idea", ".zed", ".devcontainer", ".devcontainer.json", ".tiller", ".pi", ".agents", ".claude"],
  ...[
    ".claude.json",
    ".codex",
    ".cursor",
    ".gemini",
    ".mcp.json",
    ".githooks",
    ".husky",
    ".gitmodules",
    ".github/hooks",
  ],
];

/** The parts of a folder of Git's that decide which programs Git runs. */
export const GIT_PROTECTED: readonly string[] = [
  ...["hooks", "config", "config.worktree", "commondir", "gitdir", "info/attributes"],
];
