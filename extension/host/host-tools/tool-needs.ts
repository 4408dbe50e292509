/** Conditions that some tools need to be of use. */
export const TOOL_NEEDS = ["git", "tasks", "debugger", "tests", "notebook", "allowedCommands"] as const;
export type ToolNeed = (typeof TOOL_NEEDS)[number];

/** Further finds within this time are reported together with the first, in milliseconds. */
const QUIET_MS = 2_000;

/** The needs that are met in a window. Reports several found in quick succession once; never reports one that is no longer met. */
export class FoundNeeds {
  readonly #found = new Set<ToolNeed>();
  readonly #tell: () => void;
  readonly #quietMs: number;
  #timer: NodeJS.Timeout | undefined;

  /** @param tell is called shortly after something was found, once for several finds. */
  constructor(tell: () => void, quietMs = QUIET_MS) {
    this.#tell = tell;
    this.#quietMs = quietMs;
  }

  has(need: ToolNeed): boolean {
    return this.#found.has(need);
  }

  set(need: ToolNeed, isThere: boolean): void {
    if (!isThere) this.#found.delete(need);
    if (!isThere || this.#found.has(need)) return;
    this.#found.add(need);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#tell, this.#quietMs);
  }

  dispose(): void {
    clearTimeout(this.#timer);
  }
}

/**
 * Collects the needs that were met at any time of a session. Their tools stay to its end, since a change of the tools loses the model's cache of
 * the conversation.
 */
export class SessionNeeds {
  #session = "";
  #needs: ReadonlySet<ToolNeed> = new Set();

  /** Returns the needs met in the session so far. @param isThere returns true when a need is met now. */
  of(session: string, isThere: (need: ToolNeed) => boolean): ReadonlySet<ToolNeed> {
    const before = session === this.#session ? this.#needs : new Set<ToolNeed>();
    this.#session = session;
    this.#needs = new Set(TOOL_NEEDS.filter((need) => before.has(need) || isThere(need)));
    return this.#needs;
  }
}

/** Files at the root of a folder from which the editor or a common extension creates tasks. */
export const TASK_FILES: readonly string[] = [
  "package.json",
  "tsconfig.json",
  "gulpfile.js",
  "Gruntfile.js",
  "Jakefile",
  "Makefile",
  "CMakeLists.txt",
  "Cargo.toml",
  "go.mod",
  "pom.xml",
  "build.gradle",
  "build.gradle.kts",
  "Rakefile",
  "composer.json",
  "deno.json",
];

/** Extensions that provide tests without saying so in their manifest. */
const TEST_EXTENSIONS: ReadonlySet<string> = new Set([
  "ms-python.python",
  "rust-lang.rust-analyzer",
  "ms-dotnettools.csdevkit",
  "ms-vscode.cmake-tools",
  "ms-playwright.playwright",
  "dart-code.dart-code",
]);

/** True when an extension is likely to provide tests for the test view. @param manifest its `package.json`. */
export function bringsTests(id: string, manifest: unknown): boolean {
  if (TEST_EXTENSIONS.has(id.toLowerCase())) return true;
  const categories: unknown = typeof manifest === "object" && manifest !== null && Reflect.get(manifest, "categories");
  return Array.isArray(categories) && categories.includes("Testing");
}
