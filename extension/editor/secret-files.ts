import { looksSecret } from "../../agent/util/secret-files.ts";

/** Names of files that may hold keys or passwords, in addition to those that tools ask about before reading. */
const ALSO_SECRET = /\.(?:asc|tfvars)$|^(?:secrets?|credentials?)\.(?:cfg|conf)$/;

/** True when a file may hold secrets, by its path alone. Such files are attached only when somebody pastes them. */
export function isSecretLooking(path: string): boolean {
  const name = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
  return looksSecret(path) || ALSO_SECRET.test(name.toLowerCase());
}
