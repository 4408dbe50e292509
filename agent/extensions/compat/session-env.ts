import * as z from "zod";
import { ExtensionFunction } from "../registrations.ts";

/** What is needed of the context that a tool is called with. */
const SessionContext = z.object({
  sessionManager: z.object({ getSessionId: ExtensionFunction, getSessionFile: ExtensionFunction }),
  model: z.object({ provider: z.string(), id: z.string() }).optional(),
});

/** The variables by which a command learns of the session that it runs in; none when the tool was called without a context. */
export function sessionEnv(ctx: unknown): Record<string, string> {
  const { data } = SessionContext.safeParse(ctx);
  if (data === undefined) return {};
  const { sessionManager, model } = data;
  const id = sessionManager.getSessionId();
  const file = sessionManager.getSessionFile();
  return {
    ...(typeof id === "string" ? { PI_SESSION_ID: id } : {}),
    ...(typeof file === "string" ? { PI_SESSION_FILE: file } : {}),
    ...(model === undefined ? {} : { PI_PROVIDER: model.provider, PI_MODEL: model.id }),
  };
}
