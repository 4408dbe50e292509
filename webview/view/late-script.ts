/** Where the page's own files are. Only known while its script begins. */
const base = document.currentScript instanceof HTMLScriptElement ? document.currentScript.src : location.href;

/**
 * Runs one of the extension's scripts that are not part of the page's start.
 * @param into the document that it runs in: the page's, or that of a frame of the page's.
 * @returns rejects when the script cannot be had.
 */
export function loadScript(into: Document, file: "math.js" | "diagrams.js"): Promise<void> {
  const script = into.createElement("script");
  const own = document.querySelector("script[nonce]");
  if (own instanceof HTMLScriptElement) script.nonce = own.nonce;
  script.src = new URL(file, base).href;
  return new Promise((resolve, reject) => {
    script.addEventListener("load", () => resolve());
    script.addEventListener("error", () => reject(new Error(`The script ${file} could not be loaded.`)));
    into.documentElement.append(script);
  });
}
