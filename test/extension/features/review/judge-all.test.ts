import { expect, it } from "vitest";
import { judgeAll } from "../../../../extension/features/review/judge-all.ts";

it("a file that cannot be undone does not stop the others, and the reasons are shown", async () => {
  const done: string[] = [];
  const judge = async (file: string) => {
    if (file.startsWith("big")) throw new Error(`What ${file} held before is not known.`);
    done.push(file);
  };
  await expect(judgeAll(["big", "a", "b"], judge)).rejects.toThrow("What big held before is not known.");
  expect(done).toEqual(["a", "b"]);
  const many = ["big1", "big2", "big3", "big4", "big5", "c"];
  await expect(judgeAll(many, judge)).rejects.toThrow(/big1.*big2.*big3.*More files failed: 2\.$/);
  await judgeAll(["d"], judge);
  expect(done).toEqual(["a", "b", "c", "d"]);
});
