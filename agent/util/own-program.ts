/** The option with which the program that has its own Node runs code. */
export const RUN_CODE = "--run-code";

/** True if this process is a program that has its Node inside. */
export function hasOwnNode(): boolean {
  return process.getBuiltinModule("node:sea")?.isSea() === true;
}

/** Returns the program and the arguments that run CommonJS code as this process runs. */
export function programFor(code: string): string[] {
  return [process.execPath, hasOwnNode() ? RUN_CODE : "-e", code];
}
