import * as diff from "diff";
import { parse } from "yaml";
import { splitFrontMatter } from "../../prompt/front-matter.ts";
import { compareTexts } from "../../tools/edit-diff.ts";
import * as truncate from "../../util/truncate.ts";

const MAX_LINE_CHARACTERS = 500;

const LANGUAGES: Record<string, string> = {
  bash: "bash sh zsh",
  c: "c h",
  clojure: "clj",
  cmake: "cmake",
  cpp: "cpp cc cxx hpp",
  csharp: "cs",
  css: "css",
  dockerfile: "dockerfile",
  elixir: "ex exs",
  erlang: "erl",
  fish: "fish",
  go: "go",
  graphql: "graphql",
  haskell: "hs",
  hcl: "hcl tf",
  html: "html htm",
  java: "java",
  javascript: "js jsx mjs cjs",
  json: "json",
  kotlin: "kt",
  less: "less",
  lua: "lua",
  makefile: "makefile",
  markdown: "md markdown",
  ocaml: "ml",
  perl: "perl",
  php: "php",
  powershell: "ps1",
  protobuf: "proto",
  python: "py",
  r: "r",
  ruby: "rb",
  rust: "rs",
  sass: "sass",
  scala: "scala",
  scss: "scss",
  sql: "sql",
  swift: "swift",
  toml: "toml",
  typescript: "ts tsx",
  vim: "vim",
  xml: "xml",
  yaml: "yaml yml",
};

interface TruncationResult extends truncate.Truncation {
  content: string;
}

/** Keeps whole lines from the start of a text; 2000 lines and 50 KiB when nothing is said. */
export function truncateHead(text: string, limits: Partial<truncate.Limits> = {}): TruncationResult {
  const { content, truncation } = truncate.truncateHead(text, { ...truncate.DEFAULT_LIMITS, ...limits });
  return { content, ...truncation };
}

/** Keeps whole lines from the end of a text; of a last line that is too long its end. */
export function truncateTail(text: string, limits: Partial<truncate.Limits> = {}): TruncationResult {
  const { content, truncation } = truncate.truncateTail(text, { ...truncate.DEFAULT_LIMITS, ...limits });
  return { content, ...truncation };
}

/** Cuts one line. @param maxCharacters in UTF-16 units. */
export function truncateLine(line: string, maxCharacters = MAX_LINE_CHARACTERS) {
  if (line.length <= maxCharacters) return { text: line, wasTruncated: false };
  return { text: `${line.slice(0, maxCharacters)}... [truncated]`, wasTruncated: true };
}

/** Takes a Markdown text apart. @throws YAMLParseError when its header is no YAML. */
export function parseFrontmatter(text: string): { frontmatter: unknown; body: string } {
  const { header, body } = splitFrontMatter(text.replace(/\r\n?/g, "\n"));
  return { frontmatter: (header === undefined ? undefined : parse(header)) ?? {}, body };
}

/** A Markdown text without its header. */
export function stripFrontmatter(text: string): string {
  return parseFrontmatter(text).body;
}

/** Returns the changes between two texts, with line numbers. */
export function generateDiffString(before: string, after: string, contextLines?: number) {
  const { diff: text, firstChangedLine } = compareTexts(diff, { path: "", before, after, contextLines });
  return { diff: text, firstChangedLine };
}

/** Returns the changes between two texts of a file as a unified diff. */
export function generateUnifiedPatch(path: string, before: string, after: string, contextLines?: number): string {
  return compareTexts(diff, { path, before, after, contextLines }).patch;
}

/** The language of a file by its ending, or undefined. */
export function getLanguageFromPath(path: string): string | undefined {
  const ending = path.split(".").pop()?.toLowerCase() ?? "";
  return Object.entries(LANGUAGES).find(([, endings]) => endings.split(" ").includes(ending))?.[0];
}
