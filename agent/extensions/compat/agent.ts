import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { isShownType } from "../../images/image-header.ts";
import { APP_NAME } from "../../protocol/envelope.ts";
import { detectFileKind } from "../../tools/file-kind.ts";
import { pathCandidates } from "../../tools/find-shell.ts";
import { withFileLock } from "../../tools/replace-file.ts";
import { formatSize, MAX_BYTES, MAX_LINES } from "../../util/truncate.ts";
import { PI_VERSION } from "../../util/version.ts";
import { EventBus } from "../event-bus.ts";
import { PLAIN_THEME } from "../ui-object.ts";
import { createLocalBashOperations } from "./command-operations.ts";
import { convertToLlm, estimateTokens, serializeConversation } from "./conversation-text.ts";
import { Inert, withInertNames } from "./terminal.ts";
import * as text from "./text-helpers.ts";
import { toolFactories } from "./tools.ts";
import { AGENT_INSIDES, unavailable } from "./unavailable.ts";

const BUILTIN_TOOLS = ["Bash", "Read", "Edit", "Write", "Grep", "Find", "Ls"];

interface ToolEvent {
  toolName?: unknown;
}

interface TokenCounts {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  totalTokens?: number;
}

/** The exports of pi's agent package that extensions can import. */
export function agentModule(agentDir: string): Record<string, unknown> {
  return withInertNames({
    ...unavailable(AGENT_INSIDES),
    ...toolFactories,
    ...text,
    ...resultPredicates(),
    ...withoutTerminal,
    CONFIG_DIR_NAME: `.${APP_NAME}`,
    VERSION: PI_VERSION,
    CURRENT_SESSION_VERSION: 3,
    DEFAULT_MAX_BYTES: MAX_BYTES,
    DEFAULT_MAX_LINES: MAX_LINES,
    DEFAULT_COMPACTION_SETTINGS: { enabled: true, reserveTokens: 16_384, keepRecentTokens: 20_000 },
    getAgentDir: () => agentDir,
    SettingsManager: EmptySettings,
    defineTool: (tool: unknown) => tool,
    isToolCallEventType: (name: string, event: ToolEvent) => event.toolName === name,
    createEventBus,
    createLocalBashOperations,
    getShellConfig,
    withFileMutationQueue: (path: string, work: () => Promise<unknown>) => withFileLock(resolve(path), work),
    formatSize,
    convertToLlm,
    serializeConversation,
    estimateTokens,
    calculateContextTokens: (usage: TokenCounts) =>
      usage.totalTokens || usage.input + usage.output + usage.cacheRead + usage.cacheWrite,
    getLatestCompactionEntry: (entries: readonly { type: string }[]) =>
      entries.findLast(({ type }) => type === "compaction") ?? null,
    detectSupportedImageMimeTypeFromFile: async (path: string) => {
      const kind = await detectFileKind(path);
      return kind.kind === "image" && isShownType(kind.mimeType) ? kind.mimeType : null;
    },
    copyToClipboard: async () => {
      throw new Error("The agent has no clipboard: show the text with ctx.ui.notify or ctx.ui.editor instead.");
    },
  });
}

/** Settings of pi, all unset. */
class EmptySettings extends Inert {
  static create(): EmptySettings {
    return new EmptySettings();
  }

  static inMemory(): EmptySettings {
    return new EmptySettings();
  }
}

/** Functions that only draw, or prepare images for drawing. */
const withoutTerminal = {
  getMarkdownTheme: () => PLAIN_THEME,
  getSelectListTheme: () => PLAIN_THEME,
  getSettingsListTheme: () => PLAIN_THEME,
  initTheme: () => undefined,
  highlightCode: (code: string) => code.split("\n"),
  renderDiff: (diff: string) => diff,
  truncateToVisualLines: () => ({ visualLines: [], skippedCount: 0 }),
  keyHint: () => "",
  keyText: () => "",
  rawKeyHint: () => "",
  convertToPng: async () => null,
  resizeImage: async () => null,
  formatDimensionNote: () => undefined,
};

/** `isBashToolResult` and so on: whether a result is that of a built-in tool. */
function resultPredicates(): Record<string, unknown> {
  const predicate = (name: string) => (event: ToolEvent) => event.toolName === name.toLowerCase();
  return Object.fromEntries(BUILTIN_TOOLS.map((name) => [`is${name}ToolResult`, predicate(name)]));
}

/** An event bus for one extension. Errors of listeners go to stderr. */
function createEventBus() {
  const create = () => new EventBus((channel, error) => console.error(`${channel}: ${error}`));
  let bus = create();
  return {
    emit: (channel: string, data: unknown) => bus.emit(channel, data),
    on: (channel: string, listener: (data: unknown) => unknown) => bus.on(channel, listener),
    clear() {
      bus = create();
    },
  };
}

/** The shell of this machine and what stands before a command. @throws Error when the given one is not there. */
function getShellConfig(shellPath?: string): { shell: string; args: string[] } {
  if (shellPath !== undefined) {
    if (existsSync(shellPath)) return { shell: shellPath, args: ["-c"] };
    throw new Error(`Custom shell path not found: ${shellPath}`);
  }
  const name = process.platform === "win32" ? "bash.exe" : "bash";
  const shells = ["/bin/bash", ...pathCandidates(name, process.env)];
  return { shell: shells.find((path) => existsSync(path)) ?? "sh", args: ["-c"] };
}
