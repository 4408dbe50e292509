/** The work of one scaling. */
export interface ScaleJob {
  bytes: Uint8Array;
  /** True if the result should rather lose detail than be large, as with photos. */
  isPhoto: boolean;
  /** How a viewer turns the stored pixels: 1 to 8, as in EXIF. */
  orientation: number;
  /** Pixels of the longer side of the result, at most. */
  maxSide: number;
  /** Bytes of the result, at most. */
  maxBytes: number;
}

/** An image within the limits of a job. */
export interface ScaledImage {
  bytes: Uint8Array;
  mimeType: "image/png" | "image/jpeg";
  width: number;
  height: number;
  /** Pixels of the image before, upright. */
  before: { width: number; height: number };
}
