/** The URL of the page's own files. Known only while its script starts. */
const base = document.currentScript instanceof HTMLScriptElement ? document.currentScript.src : location.href;

/** Runs one of the extension's scripts that are not part of the page's start. @returns rejects when the script cannot be had. */
export function loadScript(file: "math.js" | "colors.js" | "diagrams.js"): Promise<void> {
  const script = ownScript(document);
  script.src = new URL(file, base).href;
  return new Promise((resolve, reject) => {
    script.addEventListener("load", () => resolve());
    script.addEventListener("error", () => reject(new Error(`The script ${file} could not be loaded.`)));
    document.head.append(script);
  });
}

/** Runs code of the extension's own in a frame of the page's. */
export function runIn(frame: Document, code: string): void {
  const script = ownScript(frame);
  script.textContent = code;
  frame.documentElement.append(script);
}

/** A script that the page's security policy lets run. */
function ownScript(into: Document): HTMLScriptElement {
  const script = into.createElement("script");
  const own = document.querySelector("script[nonce]");
  if (own instanceof HTMLScriptElement) script.nonce = own.nonce;
  return script;
}
