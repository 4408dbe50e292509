import type { Model, ThinkingLevel } from "../protocol/model.ts";

/** The events of models and of requests to them. */
export interface ModelEvents {
  /** Sent before a request of a run. The result, or its `payload`, replaces the request. */
  before_provider_request: { type: "before_provider_request"; payload: object };
  /** Comes before a request of a run is sent, too. What handlers put into `headers` is sent, too; null leaves out what would be sent otherwise. */
  before_provider_headers: { type: "before_provider_headers"; headers: Record<string, string | null> };
  /** Comes when the answer begins, also when the request was refused. Names of headers are in lower case. */
  after_provider_response: {
    type: "after_provider_response";
    status: number;
    headers: Readonly<Record<string, string>>;
  };
  /** Comes with each event of an answer as the service sent it. */
  provider_stream_event: { type: "provider_stream_event"; provider: string; api: string; model: string; data: unknown };
  /** Comes after another model was chosen. */
  model_select: {
    type: "model_select";
    model: Model;
    previousModel: Model | undefined;
    /** By name, as the next one, or because another session was left with it. */
    source: "set" | "cycle" | "restore";
  };
  /** Comes after the level moved, also when a change of model moved it. */
  thinking_level_select: { type: "thinking_level_select"; level: ThinkingLevel; previousLevel: ThinkingLevel };
}
