import * as z from "zod";

/**
 * The signatures of one block of a response. Streamed parts of the same kind form one block, but each signature must go back with the part that
 * carried it.
 */
export interface Signatures {
  /** Signed parts of the block, with their start and end in its text in UTF-16 units. */
  signed: readonly SignedPart[];
  /** The signatures of empty text parts after the block. */
  behind: readonly string[];
}

type SignedPart = readonly [from: number, to: number, signature: string];

const NONE: Signatures = { signed: [], behind: [] };

const place = z.int().nonnegative();
const Stored = z.object({
  signed: z.array(z.tuple([place, place, z.string()])),
  behind: z.array(z.string()),
});

/** Returns the signatures in the form that messages store; a single one for the whole block is stored as it is. @param length of the block's text. */
export function storeSignatures({ signed, behind }: Signatures, length: number): string | undefined {
  const [first] = signed;
  if (first === undefined && behind.length === 0) return undefined;
  const isWhole = signed.length === 1 && behind.length === 0 && first?.[0] === 0 && first[1] === length;
  return isWhole ? first[2] : JSON.stringify({ signed, behind });
}

/** Parses the result of `storeSignatures`. Signatures are base64, which has no braces. */
export function readSignatures(stored: string | undefined, length: number): Signatures {
  if (stored === undefined || stored === "") return NONE;
  if (!stored.startsWith("{")) return { signed: [[0, length, stored]], behind: [] };
  try {
    return Stored.safeParse(JSON.parse(stored)).data ?? NONE;
  } catch {
    return NONE;
  }
}

/** Splits a text into its original parts, as far as signatures show them. */
export function partsOf(text: string, { signed }: Signatures): { text: string; signature: string | undefined }[] {
  const parts: { text: string; signature: string | undefined }[] = [];
  let done = 0;
  const addPlain = (to: number) => {
    if (to > done) parts.push({ text: text.slice(done, to), signature: undefined });
  };
  for (const [from, to, signature] of signed) {
    addPlain(from);
    parts.push({ text: text.slice(from, to), signature });
    done = Math.max(done, to);
  }
  addPlain(text.length);
  return parts;
}
