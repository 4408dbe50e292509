import { isIn, type SandboxPolicy } from "./policy.ts";
import { LONG_TEMPORARY, SERVICES, TEMPORARY } from "./secret-places.ts";

interface Setting {
  /** The folder that stands in for `/tmp`. */
  folder: string;
  /** The user's folder for sockets, which is made anew. */
  runtime: string | undefined;
  /** True if nothing but that folder can be written. */
  isReadOnly: boolean;
}

/** Returns the arguments of bubblewrap for a policy: namespaces of its own for everything, the disk read-only, and what the policy says. */
export function bubblewrapArgs(policy: SandboxPolicy, { folder, runtime, isReadOnly }: Setting): string[] {
  const bind = isReadOnly ? "--ro-bind" : "--bind";
  const isInside = (path: string) => policy.writable.some((root) => isIn(path, root));
  const hidden = [
    ...policy.emptied.map((path) => ({ path, args: ["--tmpfs", path] })),
    ...policy.unreadable.map((path) => ({ path, args: ["--ro-bind", "/dev/null", path] })),
  ];
  return [
    ...["--unshare-all", "--unshare-user", "--die-with-parent"],
    ...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"],
    ...["--tmpfs", SERVICES, ...(runtime?.startsWith(`${SERVICES}/`) ? ["--dir", runtime] : [])],
    ...["--tmpfs", LONG_TEMPORARY, "--bind", folder, TEMPORARY, "--bind", folder, folder],
    ...hidden.filter(({ path }) => !isInside(path)).flatMap(({ args }) => args),
    ...policy.writable.flatMap((path) => [bind, path, path]),
    ...policy.pinned.flatMap((path) => [bind, path, path]),
    ...policy.readOnly.flatMap((path) => ["--ro-bind", path, path]),
    ...hidden.filter(({ path }) => isInside(path)).flatMap(({ args }) => args),
    ...["--chdir", "/"],
  ];
}
