import * as z from "zod";
import { UiResponse } from "../protocol/dialogs.ts";
import { CONTROL_FRAME_TYPES } from "../protocol/envelope.ts";
import { HostToolResult } from "../protocol/host-tools.ts";
import type { ControlSink } from "./server.ts";
import type { DialogHub } from "./wire/dialogs.ts";
import type { HostModelBridge } from "./wire/host-models.ts";
import type { HostSecretBridge } from "./wire/host-secrets.ts";
import type { HostToolBridge } from "./wire/host-tools.ts";

/** Read more loosely than it is written: an update in an odd shape is shown as far as it can be read. */
const LooseUpdate = z.lazy(() => z.object({ id: z.string(), partialResult: z.unknown() }));

const TYPES: ReadonlySet<string> = new Set(CONTROL_FRAME_TYPES);

interface ControlParts {
  readonly dialogs: DialogHub;
  readonly hostTools: HostToolBridge;
  readonly hostModels: HostModelBridge;
  readonly hostSecrets: HostSecretBridge;
  warn(text: string): void;
}

/**
 * Receives answers to dialogs, output of the host's tools and models, and the host's secrets. Writes no responses, and ignores frames without a
 * match.
 */
export function controlSink({ dialogs, hostTools, hostModels, hostSecrets, warn }: ControlParts): ControlSink {
  return {
    handles: (type) => TYPES.has(type),
    receive(type, frame) {
      if (type === "extension_ui_response") {
        const response = UiResponse.safeParse(frame);
        if (response.success) dialogs.answer(response.data);
      } else if (type === "host_tool_update") {
        const update = LooseUpdate.safeParse(frame);
        if (update.success) hostTools.update(update.data.id, update.data.partialResult);
      } else if (type === "host_model_update") {
        hostModels.update(frame);
      } else if (type === "host_model_result") {
        hostModels.result(frame);
      } else if (type === "host_secret_result") {
        hostSecrets.result(frame);
      } else {
        const result = HostToolResult.safeParse(frame);
        if (result.success) hostTools.result(result.data);
        else settleUnreadable(frame, hostTools, warn);
      }
    },
  };
}

/** A result with wrong types in its other fields still settles its call; a result without an id can't. */
function settleUnreadable(frame: object, hostTools: HostToolBridge, warn: (text: string) => void): void {
  const read = z.object({ id: z.string(), result: z.unknown() }).safeParse(frame);
  if (read.success) hostTools.result({ type: "host_tool_result", ...read.data });
  else warn("A host_tool_result without a string id was ignored.");
}
