// Loaded before a measured program: on exit it writes what the process has used to the file that it is given.
import { writeFileSync } from "node:fs";

process.on("exit", () => {
  writeFileSync(process.env.BENCH_USAGE_FILE, JSON.stringify(process.resourceUsage()));
});
