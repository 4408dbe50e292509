import type { AgentUnderTest } from "./spawn-agent.ts";

interface SecretHost {
  /** The secrets, by key. Agents of the same user share them. */
  secrets: Map<string, string>;
  /** Returns the error in place of an answer. */
  fails?: (action: string) => string | undefined;
}

/** Keeps secrets for the agent, as a host does, from now on. */
export async function keepSecrets(agent: AgentUnderTest, { secrets, fails }: SecretHost): Promise<void> {
  let next = agent.frames.length;
  const answer = ({ id, action, key, secret }: Record<string, unknown>) => {
    const error = fails?.(String(action));
    if (error !== undefined) return agent.send({ type: "host_secret_result", id, error });
    if (action === "store") secrets.set(String(key), String(secret));
    if (action === "delete") secrets.delete(String(key));
    const found = action === "get" ? { secret: secrets.get(String(key)) } : {};
    agent.send({ type: "host_secret_result", id, ...found });
  };
  agent.child.stdout.on("data", () => {
    for (; next < agent.frames.length; next++) {
      const frame = agent.frames[next];
      if (frame?.type === "host_secret_request") answer(frame);
    }
  });
  await agent.call("set_host_secrets");
}
