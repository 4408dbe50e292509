/** Variables that the editor sets for its own processes and keeps out of terminals. */
const OF_THE_EDITOR = /^(?:ELECTRON_|VSCODE_(?!PORTABLE$))/i;

interface EnvSources {
  /** The environment of the editor's own process. */
  readonly inherited: Readonly<Record<string, string | undefined>>;
  /** The user's setting `terminal.integrated.env.…`: null removes a variable. */
  readonly setting: Readonly<Record<string, string | null>>;
  /** The values of `${workspaceFolder}` and `${userHome}` in the setting. */
  readonly folder: string;
  readonly home: string;
  readonly editorVersion: string;
  readonly platform: NodeJS.Platform;
}

/** Returns the environment of a terminal, as far as extensions can know it. */
export function terminalEnv(sources: EnvSources): Record<string, string> {
  const { inherited, setting, editorVersion, platform } = sources;
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(inherited)) {
    if (value !== undefined && !OF_THE_EDITOR.test(name)) env[name] = value;
  }
  /** Names of variables are case-insensitive on Windows. */
  const nameOf = (name: string) => {
    if (platform !== "win32") return name;
    return Object.keys(env).find((known) => known.toUpperCase() === name.toUpperCase()) ?? name;
  };
  const own = {
    TERM_PROGRAM: "vscode",
    TERM_PROGRAM_VERSION: editorVersion,
    ...(platform !== "win32" && { TERM: "xterm-256color", COLORTERM: "truecolor" }),
  };
  Object.assign(env, own);
  const before = { ...env };
  for (const [name, value] of Object.entries(setting)) {
    if (value === null) delete env[nameOf(name)];
    else env[nameOf(name)] = withVariables(value, sources, (variable) => before[nameOf(variable)] ?? "");
  }
  return env;
}

function withVariables(
  value: string,
  { folder, home }: Pick<EnvSources, "folder" | "home">,
  read: (name: string) => string,
): string {
  return value.replace(/\$\{(workspaceFolder|userHome|env:([^}]+))\}/g, (_all, what: string, name?: string) => {
    if (name !== undefined) return read(name);
    return what === "userHome" ? home : folder;
  });
}
