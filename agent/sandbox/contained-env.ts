import { isSecretName, secretFinder } from "../util/secrets.ts";

/** Variables that lead to services outside, which commands could make do things. */
const SERVICES =
  /^(SSH_(AUTH_SOCK|AGENT_PID|CONNECTION|CLIENT|TTY|ASKPASS)|DBUS_\w+|DISPLAY|WAYLAND_\w+|XAUTHORITY|ICEAUTHORITY|SESSION_MANAGER|DOCKER_\w+|CONTAINER_HOST|GPG_AGENT_INFO|GNOME_KEYRING_\w+|VSCODE_\w+|WSL_INTEROP|TMUX\w*|STY|KUBECONFIG|GIT_ASKPASS|NODE_CHANNEL_\w+|BROWSER)$/;
/** Names that secrets have, beside those of fields. */
const SECRETS = /(^|_)(KEY|APIKEY|TOKEN|SECRET|PASS|PASSWD|PASSWORD|PASSPHRASE|CREDENTIALS?|COOKIE)(_|$)/i;
const PROXIES = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "FTP_PROXY", "NO_PROXY"];
/** Settings of Git come in pairs, of which none may be missing. */
const GIT_SETTING = /^GIT_CONFIG_(COUNT|KEY_\d+|VALUE_\d+)$/;
const LOCAL = "localhost,127.0.0.1,::1";

/**
 * Returns the environment of a contained command: without what looks like a secret and without the ways to services outside.
 * @param proxy the address of the proxy inside; undefined if there is no network.
 */
export function containedEnv(env: NodeJS.ProcessEnv, proxy: string | undefined): NodeJS.ProcessEnv {
  const isKept = ([name, value = ""]: [string, string | undefined]) => isHarmless(name, value);
  const kept = withWholeGitSettings(Object.fromEntries(Object.entries(env).filter(isKept)), env);
  return { ...kept, TMPDIR: "/tmp", TILLER_SANDBOX: "1", ...(proxy === undefined ? {} : throughProxy(proxy)) };
}

/** The last value of each variable, and whether it is kept: looking for secrets takes longer than starting a program. */
const judged = new Map<string, { value: string; isKept: boolean }>();

function isHarmless(name: string, value: string): boolean {
  const before = judged.get(name);
  if (before?.value === value) return before.isKept;
  const isKept =
    !SERVICES.test(name) &&
    !PROXIES.includes(name.toUpperCase()) &&
    (GIT_SETTING.test(name) || (!SECRETS.test(name) && !isSecretName(name))) &&
    secretFinder([])(value).length === 0;
  judged.set(name, { value, isKept });
  return isKept;
}

/** Leaves out Git's settings if one of them was left out: without it, Git refuses to run. */
function withWholeGitSettings(kept: NodeJS.ProcessEnv, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const isWhole = Object.keys(env).every((name) => !GIT_SETTING.test(name) || Object.hasOwn(kept, name));
  return isWhole ? kept : Object.fromEntries(Object.entries(kept).filter(([name]) => !GIT_SETTING.test(name)));
}

function throughProxy(address: string): Record<string, string> {
  const url = `http://${address}`;
  return {
    ...{ HTTP_PROXY: url, HTTPS_PROXY: url, ALL_PROXY: url, NO_PROXY: LOCAL },
    ...{ http_proxy: url, https_proxy: url, all_proxy: url, no_proxy: LOCAL },
    NODE_USE_ENV_PROXY: "1",
  };
}
