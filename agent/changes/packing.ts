import { promisify } from "node:util";
import { deflateRaw, deflateRawSync } from "node:zlib";

const deflate = promisify(deflateRaw);

/** Minimum size for compression in another thread, in bytes: below, the handover costs more. */
const MIN_THREAD_BYTES = 16 * 1024;

/** Compresses a content, for speed rather than size. */
export async function packBytes(bytes: Uint8Array): Promise<Buffer> {
  return bytes.length < MIN_THREAD_BYTES ? deflateRawSync(bytes, { level: 1 }) : deflate(bytes, { level: 1 });
}
