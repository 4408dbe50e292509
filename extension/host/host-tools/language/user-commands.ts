interface EditorCommand {
  readonly command: string;
  readonly arguments?: readonly unknown[] | undefined;
}

/** Commands of the editor's own TypeScript service that ask the user. */
const ASKING: ReadonlySet<string> = new Set([
  "_typescript.moveToFileRefactoring",
  "_typescript.selectRefactoring",
  "_typescript.learnMoreAboutRefactorings",
]);

/** True when a command, or one that it runs, asks the user, such as for a new name, and so takes the keyboard focus. */
export function isForUser({ command, arguments: args = [] }: EditorCommand): boolean {
  const isEditors = /^(?:editor|workbench)\.action\./.test(command);
  return isEditors || ASKING.has(command) || args.some((argument) => isCommand(argument) && isForUser(argument));
}

function isCommand(value: unknown): value is EditorCommand {
  if (typeof value !== "object" || value === null || !("command" in value)) return false;
  const { command } = value;
  const args: unknown = "arguments" in value ? value.arguments : undefined;
  return typeof command === "string" && (args === undefined || Array.isArray(args));
}
