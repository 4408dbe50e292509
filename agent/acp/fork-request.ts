import * as z from "zod";

const Setting = z.object({ name: z.string(), value: z.string() });
const Server = z.union([
  z.object({ type: z.enum(["http", "sse"]), name: z.string(), url: z.string(), headers: z.array(Setting) }),
  z.object({ name: z.string(), command: z.string(), args: z.array(z.string()), env: z.array(Setting) }),
]);

/** Forking is not part of the stable protocol, so the SDK has no method and no schema for it here. */
export const FORK = "session/fork";

/** The fields of a request to fork a session. */
export const ForkRequest = z.object({
  sessionId: z.string(),
  cwd: z.string(),
  additionalDirectories: z.array(z.string()).nullish().transform(given),
  mcpServers: z.array(Server).nullish().transform(given),
});

function given<T>(value: T | null | undefined): T | undefined {
  return value ?? undefined;
}
