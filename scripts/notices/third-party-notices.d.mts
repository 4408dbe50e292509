/** The part of esbuild's metafile that the notices need. */
interface Metafile {
  outputs: Record<string, { inputs: Record<string, { bytesInOutput: number }> }>;
}

export function thirdPartyNotices(shipped: {
  metafiles: readonly Metafile[];
  copies: readonly (readonly [from: string, to: string])[];
  root: string;
}): Promise<{ text: string; problems: string[] }>;
