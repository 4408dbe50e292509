/** What has to be there for a tool to be of use. */
export const TOOL_NEEDS = ["git", "tasks", "debugger", "tests", "notebook", "allowedCommands"] as const;
export type ToolNeed = (typeof TOOL_NEEDS)[number];

/** More may be found within this time, so it passes before anybody is told, in milliseconds. */
const QUIET_MS = 2_000;

/** What there is in a window now. What is found shortly after one another is told of as one; what is gone is not told of. */
export class FoundNeeds {
  readonly #found = new Set<ToolNeed>();
  readonly #tell: () => void;
  readonly #quietMs: number;
  #timer: NodeJS.Timeout | undefined;

  /** @param tell is called a quiet moment after something was found. */
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
 * What was there at any time of a session: its tools stay to its end, since a model remembers nothing of a conversation once the tools before it
 * are others.
 */
export class SessionNeeds {
  #session = "";
  #needs: ReadonlySet<ToolNeed> = new Set();

  /** @param isThere whether something is there now. */
  of(session: string, isThere: (need: ToolNeed) => boolean): ReadonlySet<ToolNeed> {
    const before = session === this.#session ? this.#needs : new Set<ToolNeed>();
    this.#session = session;
    this.#needs = new Set(TOOL_NEEDS.filter((need) => before.has(need) || isThere(need)));
    return this.#needs;
  }
}

/** Files at the root of a folder from which the editor, or a common extension of it, makes tasks. */
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

/** Extensions that bring tests and do not say so in their manifest. */
const TEST_EXTENSIONS: ReadonlySet<string> = new Set([
  "ms-python.python",
  "rust-lang.rust-analyzer",
  "ms-dotnettools.csdevkit",
  "ms-vscode.cmake-tools",
  "ms-playwright.playwright",
  "dart-code.dart-code",
]);

/** Whether an extension is likely to bring tests for the test view. @param manifest its `package.json`. */
export function bringsTests(id: string, manifest: unknown): boolean {
  if (TEST_EXTENSIONS.has(id.toLowerCase())) return true;
  const categories: unknown = typeof manifest === "object" && manifest !== null && Reflect.get(manifest, "categories");
  return Array.isArray(categories) && categories.includes("Testing");
}
