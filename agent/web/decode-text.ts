const META_CHARSET = /<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]+)/i;
/** A page names its character set near its beginning. */
const META_BYTES = 2048;

/** Decodes a text of the web. @param charset what the server says; otherwise the page itself, or UTF-8. */
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
