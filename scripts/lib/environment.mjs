import { delimiter, dirname } from "node:path";

/** npm variables that children get, with reasons. npm exports the settings of its command line and its files under the same names. */
const KEPT_NPM_SETTINGS = [
  // Where packages come from: a mirror or a private registry, also for packages in the lock file.
  ...["registry", "replace_registry_host"],
  // The way there: proxies, certificates, and the patience that a slow network needs.
  ...["proxy", "https_proxy", "noproxy", "cafile", "ca", "cert", "key", "strict_ssl"],
  ...["fetch_retries", "fetch_retry_factor", "fetch_retry_mintimeout", "fetch_retry_maxtimeout", "fetch_timeout"],
  // The download cache, and whether to look there first: without a network it is the only source.
  ...["cache", "prefer_offline", "offline"],
  // The files with scoped registries and credentials, which npm does not export. Another Node on the PATH would look elsewhere.
  ...["userconfig", "globalconfig"],
].map((name) => `npm_config_${name}`);

/** A registry of a scope, or credentials of a host: npm exports neither, so these were set by hand. */
const SET_BY_HAND = /^npm_config_(@|\/\/)/i;

/** npm also describes itself in these. `NODE_ENV` makes npm leave packages out. */
const FROM_NPM = ["INIT_CWD", "NODE", "COLOR", "NODE_ENV"];

/**
 * Returns the environment without what npm adds for the scripts that it runs, and without npm settings that leave packages or install scripts
 * out or put them elsewhere. npm's user agent goes, too: install scripts would take the Node that it names for their own.
 */
export function userEnvironment() {
  const kept = Object.entries(process.env).filter(([name]) => !isFromNpm(name));
  return { ...Object.fromEntries(kept), PATH: userPath() };
}

/** Returns the same for programs that these scripts run, with this Node first on the PATH. */
export function childEnvironment(more = {}) {
  return {
    ...userEnvironment(),
    npm_config_loglevel: "error",
    PATH: dirname(process.execPath) + delimiter + userPath(),
    ...more,
  };
}

/** Returns the user's PATH: npm puts the programs of packages, and then its node-gyp, in front of it. */
export function userPath() {
  const folders = (process.env.PATH ?? "").split(delimiter);
  return folders.slice(folders.findLastIndex((folder) => /[\\/]node-gyp-bin$/.test(folder)) + 1).join(delimiter);
}

/** True for a variable that npm set. npm reads settings in either case but writes its own variables in lower case: `NPM_TOKEN` is the user's. */
function isFromNpm(name) {
  if (/^npm_config_/i.test(name)) return !KEPT_NPM_SETTINGS.includes(name.toLowerCase()) && !SET_BY_HAND.test(name);
  return name.startsWith("npm_") || FROM_NPM.includes(name);
}
