import { homedir } from "node:os";
import { isAbsolute } from "node:path";

/**
 * Makes sure that `os.homedir()` works from here on and names one folder, wherever the agent is started: with an empty or relative `HOME` it
 * would be the working folder, which may be anybody's. The system knows the home of most users; then such a `HOME` is dropped.
 * @returns false when there is none.
 */
export function settleHome(env: Record<string, string | undefined>, find: () => string = homedir): boolean {
  if (env.HOME !== undefined && !isAbsolute(env.HOME)) delete env.HOME;
  try {
    return isAbsolute(find());
  } catch {
    return false; // a user that the system does not know, as containers have them
  }
}
