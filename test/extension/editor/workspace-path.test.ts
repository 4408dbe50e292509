import { describe, expect, test } from "vitest";
import {
  asOpened,
  displayPath,
  placeOfNew,
  possiblePaths,
  withOwnNames,
} from "../../../extension/editor/workspace-path.ts";

const web = { name: "web", path: "/work/web" };
const api = { name: "api", path: "/elsewhere/api" };

describe("possiblePaths", () => {
  test("resolves a relative path in the session's folder", () => {
    expect(possiblePaths("src/a.ts", [web])).toEqual(["/work/web/src/a.ts"]);
  });

  test("resolves a path that begins with a folder's name in that folder, too", () => {
    expect(possiblePaths("api/src/a.ts", [web, api])).toEqual(["/work/web/api/src/a.ts", "/elsewhere/api/src/a.ts"]);
  });

  test("refuses a relative path out of the workspace", () => {
    expect(possiblePaths("../secret", [web])).toEqual([]);
    expect(possiblePaths("api/../../secret", [web, api])).toEqual([]);
    expect(possiblePaths("a.ts", [])).toEqual([]);
  });

  test("allows an absolute path anywhere", () => {
    expect(possiblePaths("/etc/../etc/hosts", [web])).toEqual(["/etc/hosts"]);
  });

  test("treats names that only begin with dots as inside", () => {
    expect(possiblePaths("..notes/a", [web])).toEqual(["/work/web/..notes/a"]);
  });
});

describe("a folder that was opened through a link", () => {
  const linked = { name: "app", path: "/home/me/app", real: "/disk/app" };

  test("contains files named by their real path, under the editor's name", () => {
    expect(asOpened("/disk/app/src/a.ts", [web, linked])).toBe("/home/me/app/src/a.ts");
    expect(possiblePaths("/disk/app/src/a.ts", [linked])).toEqual(["/home/me/app/src/a.ts"]);
    expect(displayPath("/disk/app/src/a.ts", [linked])).toBe("src/a.ts");
    expect(asOpened("/disk/other/a.ts", [linked])).toBe("/disk/other/a.ts");
  });

  test("contains nothing of another folder that was opened by its real path", () => {
    const disk = { name: "disk", path: "/disk" };
    expect(asOpened("/disk/app/src/a.ts", [linked, disk])).toBe("/disk/app/src/a.ts");
  });
});

describe("placeOfNew", () => {
  test("puts a new file into the folder that its path names, or else into the session's", () => {
    expect(placeOfNew("api/src/a.ts", [web, api])).toBe("/elsewhere/api/src/a.ts");
    expect(placeOfNew("web/src/a.ts", [web, api])).toBe("/work/web/src/a.ts");
    expect(placeOfNew("src/a.ts", [web, api])).toBe("/work/web/src/a.ts");
    expect(placeOfNew("web/src/a.ts", [web])).toBe("/work/web/web/src/a.ts");
    expect(placeOfNew("../a.ts", [web, api])).toBeUndefined();
  });
});

describe("withOwnNames", () => {
  test("distinguishes folders of the same name by a number", () => {
    const folders = [web, { name: "web", path: "/other/web" }, api];
    expect(withOwnNames(folders).map(({ name }) => name)).toEqual(["web", "web~2", "api"]);
  });
});

describe("displayPath", () => {
  test("shows the folder's name only when there are several", () => {
    expect(displayPath("/work/web/src/a.ts", [web])).toBe("src/a.ts");
    expect(displayPath("/elsewhere/api/a.ts", [web, api])).toBe("api/a.ts");
    expect(displayPath("/etc/hosts", [web])).toBe("/etc/hosts");
  });
});
