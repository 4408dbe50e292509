import { formatBytes, t } from "../../../webview/l10n.ts";
import type { ContextBlock, ContextMeta } from "../../../webview/protocol/context.ts";
import { byteLength, lineCount } from "./cut-text.ts";

/** The texts of a chip for a block. */
export interface BlockWords {
  /** A short label, such as `a.ts:10-20`. */
  readonly label: string;
  /** The size, such as `12 lines, 1.2 kB`, or the reason why the content is missing. */
  readonly detail: string;
  /** The full origin, and the parts that were cut. */
  readonly note: string;
}

/** Returns the texts of a chip. */
export function blockWords(block: ContextBlock): BlockWords {
  const { meta } = block;
  return { label: blockLabel(meta), detail: sizeOf(block), note: noteOf(meta) };
}

function blockLabel(meta: ContextMeta): string {
  switch (meta.kind) {
    case "file": {
      const isWhole = meta.startLine === 1 && (meta.endLine >= meta.totalLines || meta.cut !== undefined);
      return isWhole ? lastPart(meta.path) : `${lastPart(meta.path)}:${lineText(meta)}`;
    }
    case "selection":
      return `${lastPart(meta.path)}:${lineText(meta)}`;
    case "problems":
      return meta.count === 1 ? t("1 problem") : t("{0} problems", meta.count);
    case "git":
      return t("Git changes");
    case "terminal":
      return t("Terminal: {0}", oneLine(meta.name));
    case "task":
      return t("Task: {0}", oneLine(meta.name));
    case "debug":
      return t("Debugger: {0}", oneLine(meta.name));
    default:
      return oneLine(meta.name);
  }
}

function sizeOf({ meta, content }: ContextBlock): string {
  if (meta.kind === "missing") return t("missing");
  if (content === "") return t("empty");
  const lines = lineCount(content);
  const size = formatBytes(byteLength(content));
  const words = lines === 1 ? t("1 line, {0}", size) : t("{0} lines, {1}", lines, size);
  return "cut" in meta && meta.cut !== undefined ? t("{0}, truncated", words) : words;
}

function noteOf(meta: ContextMeta): string {
  if (meta.kind === "missing") return meta.reason;
  const path = "path" in meta ? `${meta.path}:${lineText(meta)}` : "";
  const place = meta.kind === "resource" ? `${meta.server}: ${meta.uri}` : path;
  return [place, meta.cut ?? ""].filter((part) => part !== "").join("\n");
}

function lineText({ startLine, endLine }: { startLine: number; endLine: number }): string {
  return startLine === endLine ? `${startLine}` : `${startLine}-${endLine}`;
}

function lastPart(path: string): string {
  return oneLine(path.slice(path.lastIndexOf("/", path.length - 2) + 1));
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
