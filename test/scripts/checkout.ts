import { cpSync, mkdirSync, mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { delimiter, join, relative, sep } from "node:path";

const ROOT = join(import.meta.dirname, "../..");
/** Made by scripts and tests, so that a clone does not have it. */
const MADE = [".git", ".tiller-start", "coverage", "dist", "node_modules", "tiller.vsix", "test/e2e/screenshots"];
/** The way to the registry; without these, a machine behind a proxy or with a certificate of its own reaches nothing. */
const NETWORK = /^(npm_config_.*|(https?|no)_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR)|NPM_TOKEN)$/i;

/** A machine that is fresh but for its programs: a checkout as a clone makes it, and an empty home. */
export interface FreshMachine {
  readonly checkout: string;
  readonly home: string;
  /** The environment of a newcomer's shell, with folders before the PATH, and the network of this machine. */
  env(more?: NodeJS.ProcessEnv, ...first: string[]): NodeJS.ProcessEnv;
  remove(): Promise<void>;
}

/** Makes a machine whose paths are hard for scripts: they have spaces, umlauts and brackets. */
export function makeFreshMachine(): FreshMachine {
  const folder = mkdtempSync(join(tmpdir(), "tiller-fresh-"));
  const checkout = join(folder, "Jörgs Übungen (neu)", "tiller");
  const home = join(folder, "Jörg Müller");
  mkdirSync(home, { recursive: true });
  cpSync(ROOT, checkout, { recursive: true, filter: (source) => !isMade(source) });
  return {
    checkout,
    home,
    env: (more = {}, ...first) => ({
      ...Object.fromEntries(Object.entries(process.env).filter(([name]) => NETWORK.test(name))),
      PATH: [...first, process.env.PATH].join(delimiter),
      HOME: home,
      CI: "true",
      // Earlier downloads belong to the network, not to the machine.
      npm_config_cache: process.env.npm_config_cache ?? join(homedir(), ".npm"),
      ...more,
    }),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

function isMade(source: string): boolean {
  const path = relative(ROOT, source).split(sep).join("/");
  return MADE.includes(path) || path.endsWith(".log") || path.endsWith(".tgz");
}
