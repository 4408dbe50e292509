import { delimiter, dirname } from "node:path";

/** Variables of npm that children may see, and why. npm exports those of its command line and its files' settings under the same names. */
const KEPT_NPM_SETTINGS = [
  // Where packages come from: a mirror or a registry of one's own, also for what the lock file names.
  ...["registry", "replace_registry_host"],
  // The way there: proxies, certificates, and the patience that a slow network needs.
  ...["proxy", "https_proxy", "noproxy", "cafile", "ca", "cert", "key", "strict_ssl"],
  ...["fetch_retries", "fetch_retry_factor", "fetch_retry_mintimeout", "fetch_retry_maxtimeout", "fetch_timeout"],
  // What was downloaded before, and whether to look there first: the only source where there is no network.
  ...["cache", "prefer_offline", "offline"],
  // The files with scoped registries and credentials, which npm does not export. Another Node on the PATH would look elsewhere.
  ...["userconfig", "globalconfig"],
].map((name) => `npm_config_${name}`);

/** A registry of a scope, or credentials of a host: npm exports neither, so these were set by hand. */
const SET_BY_HAND = /^npm_config_(@|\/\/)/i;

/** npm also says here what called it. `NODE_ENV` makes it leave packages out. */
const FROM_NPM = ["INIT_CWD", "NODE", "COLOR", "NODE_ENV"];

/**
 * The environment without what npm adds for the scripts that it runs: not even its user agent, from which install scripts read
 * which Node there is. Settings that leave packages or install scripts out, or put them elsewhere, go too.
 */
export function userEnvironment() {
  const kept = Object.entries(process.env).filter(([name]) => !isFromNpm(name));
  return { ...Object.fromEntries(kept), PATH: userPath() };
}

/** The same for programs of these scripts, which get this Node first on the PATH. */
export function childEnvironment(more = {}) {
  return {
    ...userEnvironment(),
    npm_config_loglevel: "error",
    PATH: dirname(process.execPath) + delimiter + userPath(),
    ...more,
  };
}

/** npm puts the packages' own programs before the PATH, and its node-gyp after them. */
export function userPath() {
  const folders = (process.env.PATH ?? "").split(delimiter);
  return folders.slice(folders.findLastIndex((folder) => /[\\/]node-gyp-bin$/.test(folder)) + 1).join(delimiter);
}

/** npm reads its settings in either case, but writes its own variables small: `NPM_TOKEN` is the user's. */
function isFromNpm(name) {
  if (/^npm_config_/i.test(name)) return !KEPT_NPM_SETTINGS.includes(name.toLowerCase()) && !SET_BY_HAND.test(name);
  return name.startsWith("npm_") || FROM_NPM.includes(name);
}
