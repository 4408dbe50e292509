import { promisify } from "node:util";
import { deflateRaw, deflateRawSync } from "node:zlib";

const deflate = promisify(deflateRaw);

/** To hand less to another thread costs more than to pack it, in bytes. */
const MIN_THREAD_BYTES = 16 * 1024;

/** Packs a content, at little cost rather than as small as may be. */
export async function packBytes(bytes: Uint8Array): Promise<Buffer> {
  return bytes.length < MIN_THREAD_BYTES ? deflateRawSync(bytes, { level: 1 }) : deflate(bytes, { level: 1 });
}
