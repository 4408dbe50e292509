type Env = Readonly<Record<string, string | undefined>>;

/**
 * Environment variables that an agent and its commands need: paths, locales, proxies, certificates, tool chains, and the agent's own. All others
 * are left out, such as secrets that other programs left in the editor's environment.
 */
const ALLOWED_NAMES = new Set(
  `PATH HOME USER LOGNAME SHELL LANG LANGUAGE TERM TZ TMPDIR TEMP TMP DISPLAY WAYLAND_DISPLAY DBUS_SESSION_BUS_ADDRESS SSH_AUTH_SOCK
  SSH_AGENT_PID HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR EDITOR PAGER
  ANTHROPIC_API_KEY ANTHROPIC_AUTH_TOKEN ANTHROPIC_BASE_URL PI_CODING_AGENT_DIR PI_CODING_AGENT_SESSION_DIR PI_OFFLINE PI_RPC_EMIT_TITLE
  GOPATH GOROOT NVM_DIR NVM_BIN PYENV_ROOT VIRTUAL_ENV CONDA_PREFIX CONDA_EXE DOCKER_HOST KUBECONFIG
  SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC PATHEXT USERPROFILE USERNAME APPDATA LOCALAPPDATA PROGRAMDATA PROGRAMFILES PROGRAMFILES(X86)
  PROGRAMW6432 COMMONPROGRAMFILES HOMEDRIVE HOMEPATH NUMBER_OF_PROCESSORS PROCESSOR_ARCHITECTURE OS`.split(/\s+/),
);
const ALLOWED_PATTERN = /^(LC_.+|XDG_.+|TILLER_.+|[A-Z0-9]+_HOME)$/;

/** Returns the part of `parent` that an agent may see. Names are compared without case, as on Windows. */
export function allowedEnv(parent: Env): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(parent)) {
    const upper = name.toUpperCase();
    if (value !== undefined && (ALLOWED_NAMES.has(upper) || ALLOWED_PATTERN.test(upper))) env[name] = value;
  }
  return env;
}
