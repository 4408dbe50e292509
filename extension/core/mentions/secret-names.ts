/** True when the name of a variable suggests that its value is secret. */
export function isSecretName(name: string): boolean {
  return /pass(?:word|wd|phrase)?|secret|token|api_?key|credential|private_?key/i.test(name);
}
