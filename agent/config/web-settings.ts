import * as z from "zod";
import { addressProblem } from "../util/server-address.ts";

const Address = z.string().refine((address) => addressProblem(address) === undefined, {
  error: ({ input }) => addressProblem(String(input)) ?? "isn't an address",
});
/** A key as in `models.json`: the name of a variable, `$NAME`, `!command`, or the key itself. */
const Key = z.string().min(1);

/** The search service that the user selected. */
const SearchService = z.lazy(() =>
  z.discriminatedUnion("service", [
    z.object({ service: z.literal("searxng"), url: Address, key: z.undefined().optional() }),
    z.object({ service: z.literal("brave"), key: Key, url: Address.optional() }),
    z.object({ service: z.literal("tavily"), key: Key, url: Address.optional() }),
  ]),
);
export type SearchService = z.infer<typeof SearchService>;

/** Names the tool that the model's provider has. */
const PROVIDER = "provider";

/** Returns the shape of the setting `web` of a file. */
export function webFile() {
  const ofProvider = z.literal(PROVIDER);
  return z
    .object({
      fetch: z.union([z.boolean(), ofProvider]),
      privateHosts: z.array(z.string()),
      search: z.union([ofProvider, SearchService]),
    })
    .partial();
}

/** The web tools. */
export interface WebSettings {
  /** True if the model may read web pages. */
  fetch: boolean | typeof PROVIDER;
  /** Hosts that the model may read although they are on this machine or in a private network. */
  privateHosts: readonly string[];
  search: SearchService | typeof PROVIDER | undefined;
}

/** The default: no web tools. */
export function readWebSettings(file: z.infer<ReturnType<typeof webFile>> = {}): WebSettings {
  return { fetch: file.fetch ?? false, privateHosts: file.privateHosts ?? [], search: file.search };
}
