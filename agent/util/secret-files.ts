/** Endings of examples, which are made to be read. */
const EXAMPLE = /[._-](example|sample|template|tmpl|dist|pub)$/;
/** Folders in which programs keep keys. */
const SECRET_FOLDERS: ReadonlySet<string> = new Set([
  ".aws",
  ".azure",
  ".gnupg",
  ".kube",
  ".password-store",
  ".ssh",
  "gcloud",
]);
const SECRET_NAMES: readonly RegExp[] = [
  /^\.env(rc)?([._-].*)?$/,
  /\.env$/,
  /^id_(rsa|dsa|ecdsa|ed25519)([._-].*)?$/,
  /\.(pem|key|p12|pfx|p8|ppk|jks|keystore|kdbx?|gpg|ovpn|tfstate)$/,
  /^[._](netrc|pgpass|npmrc|pypirc|my\.cnf|git-credentials|htpasswd|dockercfg|boto|s3cfg|vault[-_](token|pass\w*))$/,
  /^(.*[._-])?(credentials?|secrets?)(\.(json|ya?ml|toml|ini|xml|properties|txt|csv))?$/,
  /(service[-_]?account|client[-_]?secret).*\.json$/,
  /^(auth\.json|kubeconfig)$/,
];

/**
 * True when the names in a path say that a file holds keys or passwords, such as `.env`, `id_rsa` or `.aws/config`. Examples such as
 * `.env.example` and public keys do not. Nothing is read.
 */
export function looksSecret(path: string): boolean {
  const names = path.toLowerCase().split(/[\\/]/).map(plainName);
  const name = names.pop() ?? "";
  if (names.some((folder) => SECRET_FOLDERS.has(folder))) return true;
  if (name === "config.json" && names.at(-1) === ".docker") return true;
  return !EXAMPLE.test(name) && SECRET_NAMES.some((secret) => secret.test(name));
}

/** A name as systems take it that leave out characters at its end, and those that cannot be seen. */
export function plainName(name: string): string {
  return name.replace(/\p{Default_Ignorable_Code_Point}/gu, "").replace(/(:.*|[. ]+)$/s, "");
}
