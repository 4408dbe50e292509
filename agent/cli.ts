#!/usr/bin/env node
// Takes over standard output and takes keys out of the environment before any other module is loaded, then loads them.
import "./rpc/wire/stdout-guard.ts";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { takeEnvironment } from "./config/environment.ts";
import { settleHome } from "./config/home.ts";
import { CodeCache } from "./util/code-cache.ts";

if (!settleHome(process.env)) {
  console.error("Error: This user has no home folder. Set HOME to a folder, and try again.");
  process.exit(1);
}
const env = takeEnvironment(process.env);
// In a folder of the user's own: the shared temporary folder would let others leave code there.
const code = new CodeCache(join(homedir(), ".cache", "tiller", "compiled"));
code.serve(fileURLToPath(new URL("chunks", import.meta.url)));
void import("./main.ts").then(({ run }) => run(env, () => code.keep()));
