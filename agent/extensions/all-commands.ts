import type { ExtensionScope } from "./discover.ts";
import type { Extension, RegisteredCommand } from "./registrations.ts";

/** A command with the name that it is reached by. */
interface NamedCommand {
  name: string;
  /** The name that the author gave it. */
  plainName: string;
  command: RegisteredCommand;
  extension: Extension;
}

/** A command as it is listed. */
export interface ExtensionCommand {
  name: string;
  description: string | undefined;
  path: string;
  scope: ExtensionScope;
}

/** The commands of all extensions, in load order; those that share a name are numbered. */
function allCommands(extensions: readonly Extension[]): NamedCommand[] {
  const all = extensions.flatMap((extension) =>
    [...extension.commands].map(([plainName, command]) => ({ plainName, command, extension })),
  );
  return all.map((one, index) => {
    const isSame = ({ plainName }: { plainName: string }) => plainName === one.plainName;
    const place = all.slice(0, index + 1).filter(isSame).length;
    return { ...one, name: all.filter(isSame).length > 1 ? `${one.plainName}:${place}` : one.plainName };
  });
}

/**
 * Returns the command that a text names, and the text after the name. The plain name means the first of several
 * commands with that name.
 */
export function commandIn(
  text: string,
  extensions: readonly Extension[],
): { found: NamedCommand; args: string } | undefined {
  if (!text.startsWith("/")) return undefined;
  const [word = ""] = text.slice(1).split(/\s/, 1);
  const commands = allCommands(extensions);
  const found = commands.find(({ name }) => name === word) ?? commands.find(({ plainName }) => plainName === word);
  return found && { found, args: text.slice(word.length + 1).trim() };
}

/** The commands as hosts are shown them. */
export function listCommands(extensions: readonly Extension[]): ExtensionCommand[] {
  return allCommands(extensions).map(({ name, extension: { path, scope }, command: { description } }) => {
    return { name, description, path, scope };
  });
}
