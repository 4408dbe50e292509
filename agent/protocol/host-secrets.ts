import * as z from "zod";

/** Agent → host: reads, stores, or deletes a secret of the user. `secret` is set for `store`. */
export const HostSecretRequest = z.lazy(() =>
  z.object({
    type: z.literal("host_secret_request"),
    id: z.string(),
    action: z.enum(["get", "store", "delete"]),
    key: z.string(),
    secret: z.string().optional(),
  }),
);
export type HostSecretRequest = z.infer<typeof HostSecretRequest>;

/** Host → agent: the result of a request. `secret` answers `get` if there is a secret; `error` is for people. */
export const HostSecretResult = z.lazy(() =>
  z.object({
    type: z.literal("host_secret_result"),
    id: z.string(),
    secret: z.string().optional(),
    error: z.string().optional(),
  }),
);
export type HostSecretResult = z.infer<typeof HostSecretResult>;
