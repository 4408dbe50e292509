const META_CHARSET = /<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]+)/i;
/** The length of a page's beginning that is searched for its character set. */
const META_BYTES = 2048;

/** Decodes text from the web. @param charset the server's; default is the page's own, or UTF-8. */
export function decodeText(bytes: Buffer, charset: string | undefined): string {
  const name = charset ?? META_CHARSET.exec(bytes.toString("latin1", 0, META_BYTES))?.[1] ?? "utf-8";
  return decoderOf(name).decode(bytes);
}

function decoderOf(name: string) {
  try {
    return new TextDecoder(name);
  } catch {
    return new TextDecoder(); // a name that nobody knows
  }
}
