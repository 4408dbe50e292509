#!/usr/bin/env node
// Takes over standard output and takes keys out of the environment before any other module is loaded, then loads them: from compiled
// code where Node keeps some.
import "./rpc/wire/stdout-guard.ts";
import module from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";
import { takeEnvironment } from "./config/environment.ts";
import { settleHome } from "./config/home.ts";

if (!settleHome(process.env)) {
  console.error("Error: There is no home folder for this user. Set HOME to a folder and try again.");
  process.exit(1);
}
const env = takeEnvironment(process.env);
// In a folder of the user's own: the shared temporary folder would let others leave code there.
module.enableCompileCache?.(join(homedir(), ".cache", "tiller"));
const { run } = await import("./main.ts");
run(env);
