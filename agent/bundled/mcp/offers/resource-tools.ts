import type { ExtensionAPI, ToolDefinition, ToolResult } from "../../../extensions/author.ts";
import { MAX_BYTES } from "../../../util/truncate.ts";
import type { OfferingServer } from "./offer-book.ts";
import type { ResourceReader } from "./resource-reader.ts";

const LIST = "list_mcp_resources";
const READ = "read_mcp_resource";

/** The two tools for resources, offered to the model while any server has resources. */
export class ResourceTools {
  readonly #api: ExtensionAPI;
  readonly #definitions: readonly ToolDefinition[];
  #isOffered = false;

  constructor(api: ExtensionAPI, servers: () => readonly OfferingServer[], reader: ResourceReader) {
    this.#api = api;
    const isOffered = () => this.#isOffered;
    this.#definitions = [listTool(servers), readTool(reader)].map((tool) => ({ ...tool, isOffered }));
  }

  /** Offers the tools to the model, or withdraws them. */
  offer(isWanted: boolean): void {
    if (isWanted === this.#isOffered) return;
    this.#isOffered = isWanted;
    if (isWanted) for (const tool of this.#definitions) this.#api.registerTool(tool);
    else this.#api.setActiveTools(this.#api.getActiveTools().filter((name) => name !== LIST && name !== READ));
  }
}

function listTool(servers: () => readonly OfferingServer[]): ToolDefinition {
  return {
    name: LIST,
    label: "List MCP resources",
    description: `Lists resources of MCP servers (files, records, documents, and the like), each with its server and URI. Read one with ${READ}. A URI with {variables} is a template: fill them in.`,
    parameters: {
      type: "object",
      properties: {
        server: { type: "string", description: "Only resources of this server" },
        query: { type: "string", description: "Only resources whose URI or name contains this text" },
      },
    },
    readOnly: true, // it shows what servers have listed before
    execute(_id, { server, query }) {
      const wanted = typeof query === "string" ? query.toLowerCase() : "";
      const lines = servers()
        .filter(({ name }) => server === undefined || name === server)
        .flatMap(({ name, offers: { resources, templates } }) =>
          [...resources, ...templates].map((offer) => JSON.stringify({ server: name, ...offer })),
        )
        .filter((line) => line.toLowerCase().includes(wanted));
      return textResult(withinLimit(lines) || "No resources.");
    },
  };
}

function withinLimit(lines: readonly string[]): string {
  let room = MAX_BYTES;
  const count = lines.findIndex((line) => {
    room -= Buffer.byteLength(line) + 1;
    return room < 0;
  });
  if (count === -1) return lines.join("\n");
  return [...lines.slice(0, count), `(${lines.length - count} more; narrow the list with "query")`].join("\n");
}

function readTool(reader: ResourceReader): ToolDefinition {
  return {
    name: READ,
    label: "Read MCP resource",
    description: `Reads a resource of an MCP server: its text and images. ${LIST} lists what there is.`,
    parameters: {
      type: "object",
      properties: {
        server: { type: "string", description: "The name of the server" },
        uri: { type: "string", description: "The URI of the resource" },
      },
      required: ["server", "uri"],
    },
    async execute(_id, args, signal) {
      const place = { server: String(args.server), uri: String(args.uri) };
      const { text, cut, images, mimeType } = await reader.read(place, signal);
      const words = [text, ...(cut === undefined ? [] : [`[${cut}]`])].filter((line) => line !== "").join("\n");
      const content = [...(words === "" ? [] : [{ type: "text" as const, text: words }]), ...images];
      const details = { ...place, ...(mimeType === undefined ? {} : { mimeType }) };
      return { ...(content.length === 0 ? textResult("(empty)") : { content }), details };
    },
  };
}

function textResult(text: string): ToolResult {
  return { content: [{ type: "text", text }] };
}
