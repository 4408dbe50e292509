import { beforeEach } from "vitest";
import { LISTED } from "./listed.ts";

beforeEach(({ task, skip }) => {
  const path = task.file.filepath.replace(/^.*\/test\//, "");
  const names = [task.name, task.suite?.name];
  const listed = LISTED.find(
    ({ file, title }) => file === path && (title === undefined || names.some((name) => name?.startsWith(title))),
  );
  if (listed !== undefined) skip(listed.why);
});
