// The client that the MCP conformance suite starts, with the address of its server as the last argument: the built agent with that server, a
// scripted model that calls each of its tools once, and a user who signs in.
import * as z from "zod";
import { McpBench } from "./mcp-fixtures.ts";
import { reply } from "./scripted-replies.ts";
import { actAsUser } from "./signing-user.ts";
import { asRecord } from "./spawn-agent.ts";

/** The address at which the suite expects a document about the client. */
const CLIENT_DOCUMENT = "https://conformance-test.local/client-metadata.json";

const Context = z.object({
  client_id: z.string().optional(),
  client_secret: z.string().optional(),
  private_key_pem: z.string().optional(),
  signing_algorithm: z.string().optional(),
  idp_client_id: z.string().optional(),
  idp_id_token: z.string().optional(),
  idp_token_endpoint: z.string().optional(),
});

/** Returns the entry that a user would write for the server of a scenario. */
function entry(url: string, scenario: string) {
  const context = Context.parse(JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? "{}"));
  const { idp_client_id: clientId, idp_id_token: idToken, idp_token_endpoint: tokenEndpoint } = context;
  const oauth = {
    clientId: context.client_id,
    clientSecret: context.client_secret,
    privateKey: context.private_key_pem,
    algorithm: context.signing_algorithm,
    grant: scenario.startsWith("auth/client-credentials") ? "client_credentials" : undefined,
    identityProvider: clientId && { clientId, idToken, tokenEndpoint },
    clientMetadataUrl: scenario === "auth/basic-cimd" ? CLIENT_DOCUMENT : undefined,
  };
  return { type: "http", url, oauth };
}

const bench = await McpBench.open();
try {
  const server = entry(String(process.argv.at(-1)), process.env.MCP_CONFORMANCE_SCENARIO ?? "");
  const agent = bench.start({ servers: { suite: server }, settings: { mcp: { waitMs: 25_000 } } });
  actAsUser(agent);
  bench.model.enqueue(reply("hello"));
  await agent.run("hi");
  const { dumpTools } = await agent.call("get_state");
  const names = (Array.isArray(dumpTools) ? dumpTools : []).map((tool) => String(asRecord(tool).name));
  for (const name of names.filter((one) => one.startsWith("mcp__"))) await bench.callTool(agent, name, { a: 2, b: 3 });
  await agent.end();
  console.error(agent.stderr);
} finally {
  await bench.close();
}
