import * as z from "zod";
import { McpExposure } from "../tools/tool-traits.ts";
import { plainCopy } from "../util/plain-copy.ts";
import type { McpServerConfig, RegisteredMcpServer } from "./api-mcp.ts";
import type { ExtensionFailure } from "./extension-failure.ts";
import { type Extension, readRegistration } from "./registrations.ts";

const ServerName = z.string().regex(/^[\w-]{1,64}$/, "expected 1 to 64 letters, digits, hyphens or underscores");

const ServerConfig: z.ZodType<McpServerConfig> = z.lazy(() =>
  z
    .looseObject({
      type: z.string().optional(),
      command: z.string().min(1).optional(),
      args: z.array(z.string()).optional(),
      env: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
      cwd: z.string().optional(),
      url: z.string().min(1).optional(),
      headers: z.record(z.string(), z.string()).optional(),
      oauth: z.record(z.string(), z.unknown()).optional(),
      enabled: z.boolean().optional(),
      exposure: McpExposure.optional(),
      toolExposure: z.record(z.string(), McpExposure).optional(),
      description: z.string().optional(),
    })
    .refine(({ command, url }) => (command === undefined) !== (url === undefined), 'expected a "command" or a "url"'),
);

interface RegistrationsOptions {
  report(failure: ExtensionFailure): void;
  /** True if registered servers are started. */
  isUsed(): boolean;
  /** Tells extensions that the servers have changed. */
  tell(servers: RegisteredMcpServer[]): void;
}

/** The MCP servers that extensions have registered. They are removed when their extension ends. */
export class McpRegistrations {
  readonly #options: RegistrationsOptions;
  readonly #servers = new Map<string, { extension: Extension; config: McpServerConfig; forget(): void }>();

  constructor(options: RegistrationsOptions) {
    this.#options = options;
  }

  /** @throws Error that names the wrong argument, or the extension that has registered the name. */
  register(extension: Extension, name: string, config: unknown): void {
    readRegistration(ServerName, name, "The name of an MCP server");
    const read = readRegistration(ServerConfig, config, `MCP server "${name}"`);
    const owner = this.#servers.get(name)?.extension;
    if (owner !== undefined && owner !== extension) {
      throw new Error(`MCP server "${name}" cannot be registered: ${owner.path} has registered it.`);
    }
    const { life } = extension;
    this.unregister(extension, name, { isReplaced: true });
    const forget = life.atEnd(() => void this.#servers.delete(name));
    this.#servers.set(name, { extension, config: plainCopy(read), forget });
    this.#tell(extension);
    life.whenActive(() => this.#requireUse(extension, name));
  }

  /** Removes a server of this extension; ignores those of others. */
  unregister(extension: Extension, name: string, { isReplaced = false } = {}): void {
    const registered = this.#servers.get(name);
    if (registered?.extension !== extension) return;
    registered.forget();
    if (!isReplaced) this.#tell(extension);
  }

  /** All servers, in the order of their registration. */
  list(): RegisteredMcpServer[] {
    return [...this.#servers].map(([name, { extension, config }]) => ({
      name,
      config: structuredClone(config),
      extensionPath: extension.path,
    }));
  }

  /** Reports a change. Servers registered while the extension loads are read when servers start. */
  #tell({ life }: Extension): void {
    if (life.isActive) this.#options.tell(this.list());
  }

  #requireUse({ path }: Extension, name: string): void {
    if (this.#options.isUsed()) return;
    const error = `MCP server "${name}" isn't used, because MCP servers are switched off.`;
    this.#options.report({ extensionPath: path, event: "register_mcp_server", error });
  }
}
