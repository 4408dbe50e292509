/** True when a variable's name says that its value should not be shown. */
export function isSecretName(name: string): boolean {
  return /pass(?:word|wd|phrase)?|secret|token|api_?key|credential|private_?key/i.test(name);
}
