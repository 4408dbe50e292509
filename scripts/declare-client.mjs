// Writes the type declarations of the client library: beside its bundle, or into the folder that is given. `npm run build` calls it.
import { join } from "node:path";
import { declareClient } from "./lib/client-declarations.mjs";
import { ROOT } from "./lib/paths.mjs";

await declareClient(process.argv[2] ?? join(ROOT, "dist/client/types"));
