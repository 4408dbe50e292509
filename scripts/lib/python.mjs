import { installDebianPackages } from "./debian.mjs";
import { findOnPath } from "./processes.mjs";
import { ExpectedError } from "./report.mjs";

/** Makes sure that there is a Python 3 and resolves to its program; `TILLER_PYTHON` names one to use. */
export async function ensurePython() {
  if (process.env.TILLER_PYTHON) return process.env.TILLER_PYTHON;
  const found = find();
  if (found) return found;
  if (process.platform === "linux") await installDebianPackages(["python3"], "the tests of hosts in Python");
  const installed = find();
  if (installed) return installed;
  throw new ExpectedError(
    "The tests of hosts in Python need Python 3. Install it, or set TILLER_PYTHON to its program.",
  );
}

function find() {
  return findOnPath("python3", ...(process.platform === "win32" ? ["python"] : []));
}
