/** Code, in which nothing counts as a mention. */
const CODE = /```[\s\S]*?(?:```|$)|`[^`\n]*`/g;
/** A mention as hosts write it: plain, or in quotes if it contains characters that would end a plain one. */
const MENTION =
  /(?<![^\s([{<"'“”‘’«»,;!?、。，；：！？（「『【])@(?:"((?:[^"\\\r\n]|\\.){1,2200})"|([^\s"`@<>|*?\p{Cc}]{1,2200}))/gu;
const SENTENCE_END = /[.,;:!?'…)\]}」』】”’»、。，；：！？]+$/u;
const URI_FORM = /^[a-zA-Z][\w+.-]*:./;

/** A resource, identified by server and URI. */
export interface ResourcePlace {
  server: string;
  uri: string;
}

/**
 * Finds `@server:uri` in a text, except in code; each resource once.
 * @param isListed returns true if a server lists a URI. Punctuation at the end of any other URI belongs to the sentence.
 */
export function mentionedResources(
  text: string,
  servers: readonly string[],
  isListed: (place: ResourcePlace) => boolean,
): ResourcePlace[] {
  const longestFirst = [...servers].sort((a, b) => b.length - a.length);
  const found = new Map<string, ResourcePlace>();
  for (const [, quoted, plain = ""] of text.replace(CODE, (code) => " ".repeat(code.length)).matchAll(MENTION)) {
    const body = quoted?.replace(/\\(.)/g, "$1") ?? plain;
    const server = longestFirst.find((name) => body.startsWith(`${name}:`));
    if (server === undefined) continue;
    const whole = { server, uri: body.slice(server.length + 1) };
    const isWhole = quoted !== undefined || isListed(whole);
    const place = isWhole ? whole : { server, uri: whole.uri.replace(SENTENCE_END, "") };
    if (URI_FORM.test(place.uri)) found.set(`${server}\n${place.uri}`, place);
  }
  return [...found.values()];
}
