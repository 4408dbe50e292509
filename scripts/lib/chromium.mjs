import { existsSync } from "node:fs";
import { installDebianPackages } from "./debian.mjs";
import { findOnPath } from "./processes.mjs";
import { ExpectedError } from "./report.mjs";

const WELL_KNOWN = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
  "C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe",
];

/** Makes sure that there is a Chromium and resolves to its program; `TILLER_CHROMIUM` names one to use. */
export async function ensureChromium() {
  if (process.env.TILLER_CHROMIUM) return process.env.TILLER_CHROMIUM;
  const found = find();
  if (found) return found;
  if (process.platform === "linux") await installDebianPackages(["chromium"], "the tests that need a browser");
  const installed = find();
  if (installed) return installed;
  throw new ExpectedError("The tests need Chromium or Chrome. Install one, or set TILLER_CHROMIUM to its program.");
}

function find() {
  return (
    findOnPath("chromium", "google-chrome", "google-chrome-stable", "chrome") ??
    WELL_KNOWN.find((file) => existsSync(file))
  );
}
