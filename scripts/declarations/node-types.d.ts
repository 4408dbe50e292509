// What the client's declarations name of Node's types, so that hosts need not install those. None of it is part of what they can use.

export type ChildProcessWithoutNullStreams = unknown;
export type Readable = unknown;
export type Writable = unknown;

export interface Stats {
  mtimeMs: number;
  size: number;
}

export interface BigIntStats {
  mtimeMs: bigint;
  size: bigint;
}
