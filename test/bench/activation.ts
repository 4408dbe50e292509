import * as z from "zod";
import { Workbench } from "../e2e/support/workbench.ts";
import type { Row } from "./report.ts";
import { median } from "./samples.ts";

const ROUNDS = 5;

/** The figures of a window's extension host, in ms. */
const Times = z.object({ load: z.number(), activate: z.number() });

/**
 * The packaged extension in a real editor, at the opening of a window whose side bar shows the chat: how long the code of its modules
 * runs, and how long it takes to activate. The first window, for which the editor reads it from the disk for the first time, does not count. Needs the programs of the editor tests.
 */
export async function* activation(): AsyncGenerator<Row> {
  const workbench = await Workbench.start({});
  try {
    const opened = await workbench.openChat();
    const rounds: z.infer<typeof Times>[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      await opened.reload();
      await opened.showChat();
      rounds.push(
        Times.parse(
          await opened.evaluate((vscode) => vscode.extensions.getExtension("tiller-dev.tiller")?.exports.startTimes),
        ),
      );
    }
    const middle = (part: keyof z.infer<typeof Times>) => median(rounds.map((round) => round[part]));
    yield* [
      { what: "extension in an editor: activate()", unit: "ms", measured: middle("activate"), budget: 50 },
      { what: "  running the code of its modules before that", unit: "ms", measured: middle("load") },
    ];
  } finally {
    await workbench.stop();
  }
}
