import type { Extension, RegisteredCommand } from "./registrations.ts";

/** A command with the name that it is reached by. */
export interface NamedCommand {
  name: string;
  /** The name that the author gave it. */
  plainName: string;
  command: RegisteredCommand;
  extension: Extension;
}

/** The commands of all extensions, in load order; those that share a name are numbered. */
export function allCommands(extensions: readonly Extension[]): NamedCommand[] {
  const all = extensions.flatMap((extension) =>
    [...extension.commands].map(([plainName, command]) => ({ plainName, command, extension })),
  );
  return all.map((one, index) => {
    const isSame = ({ plainName }: { plainName: string }) => plainName === one.plainName;
    const place = all.slice(0, index + 1).filter(isSame).length;
    return { ...one, name: all.filter(isSame).length > 1 ? `${one.plainName}:${place}` : one.plainName };
  });
}
