import { homedir } from "node:os";
import { join, resolve } from "node:path";

/** Returns the path of the user's models file. @param folder the folder of the agent. @param env its environment. */
export function modelsPath(
  folder: string,
  env: Readonly<Record<string, string | undefined>>,
  home = homedir(),
): string {
  const chosen = env.PI_CODING_AGENT_DIR;
  const own = chosen
    ? resolve(
        folder,
        chosen.replace(/^~(?=$|[/\\])/, () => home),
      )
    : join(home, ".tiller", "agent");
  return join(own, "models.json");
}
