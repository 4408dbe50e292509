import { homedir } from "node:os";
import { join, resolve } from "node:path";

/** Where the agent looks for the user's own models. @param folder that it runs in. @param env that it is given. */
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
