import { basename, dirname } from "node:path";
import { isIn, type SandboxPolicy } from "./policy.ts";

/** The rights that programs need to run at all. Left out are services of the system, the environment of other processes, and hard links, which would be another name of a secret. */
const BASE = `(version 1)
(deny default)
(allow process-exec process-fork)
(allow signal process-info* (target same-sandbox))
(allow sysctl-read)
(deny sysctl-read (sysctl-name-prefix "kern.procargs"))
(allow mach-host*)
(allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo"))
(allow ipc-posix-sem)
(allow pseudo-tty)
(allow file-read*)
(allow file-write-data file-ioctl (literal "/dev/null") (literal "/dev/zero") (literal "/dev/dtracehelper") (literal "/dev/ptmx"))
(allow file-write-data file-ioctl (regex #"^/dev/(tty|fd/)"))`;

interface Setting {
  /** The folder for temporary files. */
  folder: string;
  /** True if nothing but that folder can be written. */
  isReadOnly: boolean;
  /** The only port that can be connected to, of this machine; undefined for no network. */
  proxyPort: number | undefined;
}

/** Returns the profile of Seatbelt, macOS's sandbox, for a policy whose paths have no links. Of the rules about a path, the last counts. */
export function seatbeltProfile(policy: SandboxPolicy, { folder, isReadOnly, proxyPort }: Setting): string {
  const writable = isReadOnly ? [folder] : [...policy.writable, folder];
  const hidden = [...policy.emptied, ...policy.unreadable];
  return [
    BASE,
    ...rule("allow file-write*", "subpath", writable),
    ...rule("deny file-write*", "subpath", policy.readOnly),
    ...policy.absent.map(
      (path) => `(deny file-write* (require-all (subpath ${quoted(dirname(path))}) ${named(path)}))`,
    ),
    ...rule("deny file-write-unlink", "literal", [
      ...policy.writable,
      ...policy.pinned,
      ...foldersAbove([...hidden, ...policy.readOnly, ...policy.absent], writable),
    ]),
    ...rule("deny file-read* file-write*", "subpath", hidden),
    ...(proxyPort === undefined ? [] : [`(allow network-outbound (remote ip "localhost:${proxyPort}"))`]),
    "",
  ].join("\n");
}

function rule(decision: string, kind: "subpath" | "literal", paths: readonly string[]): string[] {
  if (paths.length === 0) return [];
  return [`(${decision}\n${[...new Set(paths)].map((path) => `  (${kind} ${quoted(path)})`).join("\n")})`];
}

/** Returns the folders, in those that can be written, that would take a path along if they were renamed. */
function foldersAbove(paths: readonly string[], writable: readonly string[]): string[] {
  const found = new Set<string>();
  for (const path of paths) {
    const top = writable.find((root) => isIn(path, root));
    if (top === undefined || path === top) continue;
    for (let folder = dirname(path); folder !== top; folder = dirname(folder)) found.add(folder);
  }
  return [...found];
}

/** Names what is called like a path, in capital letters or not: most disks of Macs make no difference. */
function named(path: string): string {
  const characters = [...basename(path)].map((one) => {
    if (/[a-z]/i.test(one)) return `[${one.toLowerCase()}${one.toUpperCase()}]`;
    return /[\w-]/.test(one) ? one : `[${one}]`;
  });
  return `(regex #"/${characters.join("")}(/|$)")`;
}

/** Returns a path as a text of the profile's language. */
function quoted(path: string): string {
  return `"${path.replace(/["\\]/g, "\\$&").replaceAll("\n", "\\n").replaceAll("\r", "\\r")}"`;
}
