#!/usr/bin/env node
// Takes over standard output before any other module is loaded, then loads them: from compiled code where Node keeps some.
import "./rpc/stdout-guard.ts";
import module from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";

// In a folder of the user's own: the shared temporary folder would let others leave code there.
module.enableCompileCache?.(join(homedir(), ".cache", "tiller"));
await import("./main.ts");
