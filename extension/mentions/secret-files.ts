/** Names of files that usually hold keys or passwords; examples of such files do not. */
const SECRET_NAMES = [
  /^\.env(?:\..+)?$/,
  /^.+\.env$/,
  /\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk|asc|gpg)$/,
  /^id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?$/,
  /^\.(?:npmrc|netrc|pgpass|pypirc|git-credentials|htpasswd|dockercfg|vault-token)$/,
  /^_netrc$/,
  /^(?:secrets?|credentials?)(?:\.(?:json|ya?ml|toml|ini|cfg|conf|txt|xml|properties))?$/,
  /^(?:client_secret|service[-_]account).*\.json$/,
  /^(?:kubeconfig|terraform\.tfstate|.+\.tfvars)$/,
];
const EXAMPLE = /\.(?:example|sample|template|dist|defaults?)$/;
/** Folders whose files all count. */
const SECRET_FOLDERS = /(?:^|\/)\.(?:ssh|aws|gnupg|kube|azure)\//;

/** Whether a file usually holds secrets, by its path alone. Such files are attached only when somebody pastes them. */
export function isSecretLooking(path: string): boolean {
  const whole = path.replaceAll("\\", "/").toLowerCase();
  const name = whole.slice(whole.lastIndexOf("/") + 1);
  if (EXAMPLE.test(name)) return false;
  return SECRET_FOLDERS.test(whole) || SECRET_NAMES.some((pattern) => pattern.test(name));
}

/** Whether the value of a variable should not be shown, by its name. */
export function isSecretName(name: string): boolean {
  return /pass(?:word|wd|phrase)?|secret|token|api_?key|credential|private_?key/i.test(name);
}
