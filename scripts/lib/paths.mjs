import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The checkout. */
export const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** The packaged extension. */
export const VSIX = join(ROOT, "tiller.vsix");
/** The files that `npm start` keeps between runs: the sample workspace and the editor's profile. */
export const START_FOLDER = join(ROOT, ".tiller-start");
/** Editors that this machine keeps for all checkouts. */
export const EDITOR_CACHE = process.env.TILLER_EDITOR_CACHE ?? join(homedir(), ".cache", "vscode-e2e");
/** Wine, a Node for Windows and a Windows, for the tests on it. */
export const WINDOWS_CACHE = process.env.TILLER_WINDOWS_CACHE ?? join(homedir(), ".cache", "tiller-windows");
/** An SSH server for the tests of agents on other machines. */
export const SSHD_CACHE = join(homedir(), ".cache", "tiller-sshd");
/** The Nodes that become part of programs. */
export const NODE_CACHE = process.env.TILLER_NODE_CACHE ?? join(homedir(), ".cache", "tiller-nodes");
