/** Most lines of text that a tool shows. */
export const MAX_LINES = 2000;
/** Most UTF-8 bytes of text that a tool shows. */
export const MAX_BYTES = 51_200;

/** The limits of a text. */
export interface Limits {
  maxLines: number;
  /** UTF-8 bytes. */
  maxBytes: number;
}

/** The limits of most tools. */
export const DEFAULT_LIMITS: Limits = { maxLines: MAX_LINES, maxBytes: MAX_BYTES };

/** The result of a truncation, in the field names that hosts know. Bytes are UTF-8 bytes. */
export interface Truncation extends Limits {
  truncated: boolean;
  truncatedBy: "lines" | "bytes" | null;
  totalLines: number;
  totalBytes: number;
  outputLines: number;
  outputBytes: number;
  /** Only the end of the last line was kept. */
  lastLinePartial: boolean;
  /** True if nothing was kept because the first line alone is too long. */
  firstLineExceedsLimit: boolean;
}

/** A text within limits, and what was left out. */
export interface Truncated {
  content: string;
  truncation: Truncation;
}

/** Prints a number of bytes without a space, such as `812B`, `50.0KB` or `1.5MB`. */
export function formatSize(bytes: number): string {
  if (bytes < 1024) return `${bytes}B`;
  const kib = bytes / 1024;
  return kib < 1024 ? `${kib.toFixed(1)}KB` : `${(kib / 1024).toFixed(1)}MB`;
}

/** Counts lines; a line feed at the very end closes the last line and does not begin another. */
export function countLines(text: string): number {
  let lines = text === "" || text.endsWith("\n") ? 0 : 1;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lines++;
  return lines;
}

/** Keeps whole lines from the start of a text. */
export function truncateHead(text: string, limits: Limits = DEFAULT_LIMITS): Truncated {
  const whole = keepWhole(text, limits);
  if (whole !== undefined) return whole;
  let end = 0;
  let outputLines = 0;
  let outputBytes = 0;
  let truncatedBy: "lines" | "bytes" = "lines";
  for (let start = 0; start < text.length && outputLines < limits.maxLines; ) {
    const feed = text.indexOf("\n", start);
    const lineEnd = feed === -1 ? text.length : feed;
    const separator = outputLines === 0 ? 0 : 1;
    const bytes = Buffer.byteLength(text.slice(start, lineEnd)) + separator;
    if (outputBytes + bytes > limits.maxBytes) {
      truncatedBy = "bytes";
      break;
    }
    outputBytes += bytes;
    outputLines++;
    end = lineEnd;
    start = lineEnd + 1;
  }
  return {
    content: text.slice(0, end),
    truncation: {
      ...facts(text, limits),
      truncated: true,
      truncatedBy,
      outputLines,
      outputBytes,
      firstLineExceedsLimit: outputLines === 0 && truncatedBy === "bytes",
    },
  };
}

/** Keeps whole lines from the end of a text; when the last line alone is too long, the end of it. */
export function truncateTail(text: string, limits: Limits = DEFAULT_LIMITS): Truncated {
  const whole = keepWhole(text, limits);
  if (whole !== undefined) return whole;
  const bodyEnd = text.endsWith("\n") ? text.length - 1 : text.length;
  let start = bodyEnd;
  let outputLines = 0;
  let outputBytes = 0;
  let truncatedBy: "lines" | "bytes" = "lines";
  for (let lineEnd = bodyEnd; lineEnd >= 0 && outputLines < limits.maxLines; ) {
    const lineStart = lineEnd === 0 ? 0 : text.lastIndexOf("\n", lineEnd - 1) + 1;
    const separator = outputLines === 0 ? 0 : 1;
    const bytes = Buffer.byteLength(text.slice(lineStart, lineEnd)) + separator;
    if (outputBytes + bytes > limits.maxBytes) {
      truncatedBy = "bytes";
      break;
    }
    outputBytes += bytes;
    outputLines++;
    start = lineStart;
    lineEnd = lineStart - 1;
  }
  const lastLinePartial = outputLines === 0 && truncatedBy === "bytes";
  const content = lastLinePartial ? lastBytes(text.slice(0, bodyEnd), limits.maxBytes) : text.slice(start, bodyEnd);
  return {
    content,
    truncation: {
      ...facts(text, limits),
      truncated: true,
      truncatedBy,
      outputLines: lastLinePartial ? 1 : outputLines,
      outputBytes: lastLinePartial ? Buffer.byteLength(content) : outputBytes,
      lastLinePartial,
    },
  };
}

function facts(text: string, limits: Limits): Truncation {
  return {
    truncated: false,
    truncatedBy: null,
    totalLines: countLines(text),
    totalBytes: Buffer.byteLength(text),
    outputLines: 0,
    outputBytes: 0,
    lastLinePartial: false,
    firstLineExceedsLimit: false,
    maxLines: limits.maxLines,
    maxBytes: limits.maxBytes,
  };
}

function keepWhole(text: string, limits: Limits): Truncated | undefined {
  const total = facts(text, limits);
  if (total.totalLines > limits.maxLines || total.totalBytes > limits.maxBytes) return undefined;
  return {
    content: text,
    truncation: { ...total, outputLines: total.totalLines, outputBytes: total.totalBytes },
  };
}

function lastBytes(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text.slice(-maxBytes));
  return bytes.subarray(characterStart(bytes, Math.max(0, bytes.length - maxBytes))).toString();
}

/** The first index from `at` on where a UTF-8 character begins. */
export function characterStart(bytes: Uint8Array, at: number): number {
  let start = at;
  while (start < bytes.length && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
  return start;
}
