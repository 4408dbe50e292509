import type { CreateElicitationRequest, ElicitationPropertySchema } from "@agentclientprotocol/sdk";
import { CreateElicitationResponse } from "@agentclientprotocol/sdk";
import type { DialogRequest } from "../../protocol/dialogs.ts";

const ANSWER = "answer";

/** Returns a question of the agent as a form with one field. */
export function formOf(sessionId: string, request: DialogRequest): CreateElicitationRequest {
  return {
    mode: "form",
    sessionId,
    message: request.method === "confirm" ? `${request.title}\n${request.message}` : request.title,
    requestedSchema: { type: "object", properties: { [ANSWER]: fieldOf(request) }, required: [ANSWER] },
  };
}

/** Returns the answer of a form; undefined if there is none. */
export function readForm(response: CreateElicitationResponse): string | boolean | undefined {
  if (!CreateElicitationResponse.isAccept(response)) return undefined;
  const answer = response.content?.[ANSWER];
  return typeof answer === "string" || typeof answer === "boolean" ? answer : undefined;
}

function fieldOf(request: DialogRequest): ElicitationPropertySchema {
  switch (request.method) {
    case "select":
      return {
        type: "string",
        title: request.title,
        oneOf: request.options.map((option) => ({ const: option, title: option })),
      };
    case "confirm":
      return { type: "boolean", title: request.title, default: false };
    case "input":
      return { type: "string", title: request.title, description: request.placeholder };
    case "editor":
      return { type: "string", title: request.title, default: request.prefill };
  }
}
