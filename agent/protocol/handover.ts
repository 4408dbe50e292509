/** The variable that names the descriptor through which a host hands over variables that other programs must not see in the environment. */
export const SECRETS_FD = "TILLER_SECRETS_FD";

/** Writes variables as the system does: `NAME=value`, each with a zero byte behind it. */
export function encodeVariables(variables: Readonly<Record<string, string>>): string {
  return Object.entries(variables)
    .map(([name, value]) => `${name}=${value}\0`)
    .join("");
}

/** Reads what `encodeVariables` wrote. */
export function decodeVariables(text: string): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const line of text.split("\0")) {
    const equals = line.indexOf("=");
    if (equals > 0) variables[line.slice(0, equals)] = line.slice(equals + 1);
  }
  return variables;
}
