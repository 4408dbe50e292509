import { join } from "node:path";
import * as z from "zod";
import { describeIssues, errorMessage } from "../protocol/errors.ts";
import { readTextSync } from "../util/read-text.ts";
import { realPath, writePrivately } from "./private-file.ts";

const VERSION = 1;

/** A decision of the user about an extension, an MCP server, or the hooks of a project. */
const Consent = z.lazy(() =>
  z.object({
    kind: z.enum(["extension", "mcp", "hooks"]),
    /** The path of an extension or of a file with hooks below the project, or the name of a server. */
    name: z.string(),
    /** Of the definition that the user saw. */
    hash: z.string(),
    /** The command line, address or path that the user saw. */
    runs: z.string(),
    isAllowed: z.boolean(),
    /** Milliseconds since 1970. */
    decidedAt: z.int(),
  }),
);
export type Consent = z.infer<typeof Consent>;

const ConsentContent = z.lazy(() =>
  z.object({ version: z.literal(VERSION), projects: z.record(z.string(), z.array(Consent)) }),
);

/** The decisions about one project, in `AGENT_DIR/consents.json`. Other agents may use the file, so each call reads it anew. */
export class ConsentFile {
  readonly #path: string;
  readonly #project: string;
  readonly #warn: (message: string) => void;
  /** Decisions that could not be written hold as long as this process. */
  #unwritten: Consent[] = [];

  constructor(parts: { agentDir: string; cwd: string; warn(message: string): void }) {
    this.#path = realPath(join(parts.agentDir, "consents.json"));
    this.#project = realPath(parts.cwd);
    this.#warn = parts.warn;
  }

  /** Returns the decisions about the project. A file that cannot be read gives none, after a warning. */
  read(): Consent[] {
    const stored = this.#readAll()?.[this.#project] ?? [];
    return [...stored.filter((one) => !this.#unwritten.some((other) => isSame(one, other))), ...this.#unwritten];
  }

  /** Keeps a decision in place of an earlier one. A file that cannot be read is left as it is. */
  keep(consent: Consent): void {
    this.#unwritten = this.#unwritten.filter((one) => !isSame(one, consent));
    const projects = this.#readAll();
    const others = (projects?.[this.#project] ?? []).filter((one) => !isSame(one, consent));
    const changed = { version: VERSION, projects: { ...projects, [this.#project]: [...others, consent] } };
    const text = `${JSON.stringify(changed, undefined, 2)}\n`;
    if (projects === undefined || !writePrivately(this.#path, text, this.#warn)) this.#unwritten.push(consent);
  }

  /** @returns undefined when the file cannot be read, after a warning. */
  #readAll(): Record<string, Consent[]> | undefined {
    try {
      return ConsentContent.parse(JSON.parse(readTextSync(this.#path))).projects;
    } catch (error) {
      if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR")) return {};
      const problem = error instanceof z.ZodError ? describeIssues(error).join(" ") : errorMessage(error);
      this.#warn(`${this.#path} is skipped: ${problem}`);
      return undefined;
    }
  }
}

function isSame(one: Pick<Consent, "kind" | "name">, other: Pick<Consent, "kind" | "name">): boolean {
  return one.kind === other.kind && one.name === other.name;
}
