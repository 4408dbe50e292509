import * as z from "zod";
import type { RequestHooks } from "../providers/provider.ts";
import type { ExtensionRunner } from "./runner.ts";

const Body = z.looseObject({});
const Wrapped = z.strictObject({ payload: Body });

/** Creates the hooks by which extensions see and change requests of a run; undefined if no extension uses them. */
export function createRequestHooks(runner: ExtensionRunner, signal: AbortSignal): RequestHooks | undefined {
  const seesRequests = runner.handles("before_provider_request");
  const seesHeaders = runner.handles("before_provider_headers");
  const seesStream = runner.handles("provider_stream_event");
  if (!seesRequests && !seesHeaders && !seesStream && !runner.handles("after_provider_response")) return undefined;
  return {
    async payload(body) {
      const event = { type: "before_provider_request" as const, payload: body };
      const take = (result: unknown) => {
        const changed = Wrapped.safeParse(result).data?.payload ?? Body.safeParse(result).data;
        if (changed !== undefined) event.payload = changed; // the next handler sees what this one made of it
        return false;
      };
      await runner.ask(event, take, { signal });
      signal.throwIfAborted();
      return event.payload;
    },
    async headers(headers) {
      await runner.notify({ type: "before_provider_headers", headers }, signal);
      signal.throwIfAborted();
      return Object.fromEntries(
        Object.entries(headers).filter(([, value]) => value === null || typeof value === "string"),
      );
    },
    async response(status, headers) {
      await runner.notify({ type: "after_provider_response", status, headers }, signal);
    },
    ...(seesStream && {
      async streamEvent(data, { provider, api, id }) {
        await runner.notify({ type: "provider_stream_event", provider, api, model: id, data }, signal);
      },
    }),
  };
}
