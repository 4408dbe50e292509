import type { AgentUnderTest, Frame } from "./spawn-agent.ts";

/** The answer of a user who wants everything that the agent offers; undefined leaves the question open. */
export function agreeableAnswer({ method, options = [] }: Frame): string | undefined {
  if (method === "input") return ""; // the default of the field
  if (method !== "select" || !Array.isArray(options) || options.includes("Cancel")) return undefined;
  return String(options.find((option) => option === "Sign In") ?? options[0]);
}

interface User {
  answer?: (question: Frame) => string | undefined;
  /** Opens an address; by default, the browser follows it to its end. */
  open?: (url: string) => unknown;
}

/** Answers the agent's questions from now on, and opens what it wants to be opened. */
export function actAsUser(agent: AgentUnderTest, { answer = agreeableAnswer, open = browse }: User = {}): void {
  let next = agent.frames.length;
  agent.child.stdout.on("data", () => {
    for (; next < agent.frames.length; next++) {
      const frame = agent.frames[next];
      if (frame?.type !== "extension_ui_request") continue;
      if (frame.method === "open_url") void open(String(frame.url));
      const value = answer(frame);
      if (value !== undefined) agent.send({ type: "extension_ui_response", id: frame.id, value });
    }
  });
}

/** Follows an address as a browser does. @returns the page at its end. */
export async function browse(url: string): Promise<string> {
  return (await fetch(url)).text();
}
