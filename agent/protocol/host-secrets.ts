import * as z from "zod";

/** Agent → host: read, store, or delete a secret of the user. `secret` comes with `store`. */
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

/** Host → agent: the request is done. `secret` is the answer to `get` if there is one; `error` is for people. */
export const HostSecretResult = z.lazy(() =>
  z.object({
    type: z.literal("host_secret_result"),
    id: z.string(),
    secret: z.string().optional(),
    error: z.string().optional(),
  }),
);
export type HostSecretResult = z.infer<typeof HostSecretResult>;
