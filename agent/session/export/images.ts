import { type Html, trusted } from "./html.ts";

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const TYPES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
const DATA_URL = /^data:([a-z/]{1,20});base64,/;

/** Embeds an image in the page. @returns undefined for another type of file and for data that isn't base64. */
export function embedImage(data: string, mimeType: string): Html | undefined {
  const type = mimeType.toLowerCase();
  if (!TYPES.has(type) || !BASE64.test(data)) return undefined;
  return trusted(`<img src="data:${type};base64,${data}" alt="" loading="lazy">`);
}

/** Embeds the image of a `data:` address. @returns undefined for any other address. */
export function embedDataUrl(url: string): Html | undefined {
  const prefix = DATA_URL.exec(url);
  return prefix?.[1] === undefined ? undefined : embedImage(url.slice(prefix[0].length), prefix[1]);
}
