/**
 * Returns what is wrong with the base address of a server, as the end of a sentence that begins with the name of the address.
 * @returns undefined when nothing is.
 */
export function addressProblem(address: string): string | undefined {
  const text = address.trim();
  if (!/^https?:\/\//i.test(text)) return "must begin with http:// or https://";
  if (/\s/.test(text) || !URL.canParse(text))
    return "must be the address of a server, such as https://models.example.com/v1";
  const { username, password } = new URL(text);
  if (username !== "" || password !== "")
    return 'can\'t contain a user name or password; set a header for them in models.json, such as "headers": { "Authorization": "Basic …" }';
  if (/[?#]/.test(text)) return 'must end before the "?" or "#" because Tiller appends the path of each request';
  return undefined;
}

/** Returns the address of a path below a server's address, however many slashes that ends in. */
export function addressBelow(server: string, path: string): string {
  return `${server.trim().replace(/\/+$/, "")}${path}`;
}
