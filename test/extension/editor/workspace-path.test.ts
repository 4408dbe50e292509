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
  test("a relative path starts in the session's folder", () => {
    expect(possiblePaths("src/a.ts", [web])).toEqual(["/work/web/src/a.ts"]);
  });

  test("a path that begins with a folder's name may mean that folder", () => {
    expect(possiblePaths("api/src/a.ts", [web, api])).toEqual(["/work/web/api/src/a.ts", "/elsewhere/api/src/a.ts"]);
  });

  test("a relative path out of the workspace means nothing", () => {
    expect(possiblePaths("../secret", [web])).toEqual([]);
    expect(possiblePaths("api/../../secret", [web, api])).toEqual([]);
    expect(possiblePaths("a.ts", [])).toEqual([]);
  });

  test("an absolute path may be anywhere", () => {
    expect(possiblePaths("/etc/../etc/hosts", [web])).toEqual(["/etc/hosts"]);
  });

  test("names that only look like the way up are inside", () => {
    expect(possiblePaths("..notes/a", [web])).toEqual(["/work/web/..notes/a"]);
  });
});

describe("a folder that was opened through a link", () => {
  const linked = { name: "app", path: "/home/me/app", real: "/disk/app" };

  test("holds what is named by where it is, under the name that the editor has for it", () => {
    expect(asOpened("/disk/app/src/a.ts", [web, linked])).toBe("/home/me/app/src/a.ts");
    expect(possiblePaths("/disk/app/src/a.ts", [linked])).toEqual(["/home/me/app/src/a.ts"]);
    expect(displayPath("/disk/app/src/a.ts", [linked])).toBe("src/a.ts");
    expect(asOpened("/disk/other/a.ts", [linked])).toBe("/disk/other/a.ts");
  });

  test("takes nothing from a folder that was opened where the link leads", () => {
    const disk = { name: "disk", path: "/disk" };
    expect(asOpened("/disk/app/src/a.ts", [linked, disk])).toBe("/disk/app/src/a.ts");
  });
});

describe("placeOfNew", () => {
  test("a new file goes into the folder that its path names, and else into the session's", () => {
    expect(placeOfNew("api/src/a.ts", [web, api])).toBe("/elsewhere/api/src/a.ts");
    expect(placeOfNew("web/src/a.ts", [web, api])).toBe("/work/web/src/a.ts");
    expect(placeOfNew("src/a.ts", [web, api])).toBe("/work/web/src/a.ts");
    expect(placeOfNew("web/src/a.ts", [web])).toBe("/work/web/web/src/a.ts");
    expect(placeOfNew("../a.ts", [web, api])).toBeUndefined();
  });
});

describe("withOwnNames", () => {
  test("folders of one name are told apart by a number", () => {
    const folders = [web, { name: "web", path: "/other/web" }, api];
    expect(withOwnNames(folders).map(({ name }) => name)).toEqual(["web", "web~2", "api"]);
  });
});

describe("displayPath", () => {
  test("the folder's name is there only when there are several", () => {
    expect(displayPath("/work/web/src/a.ts", [web])).toBe("src/a.ts");
    expect(displayPath("/elsewhere/api/a.ts", [web, api])).toBe("api/a.ts");
    expect(displayPath("/etc/hosts", [web])).toBe("/etc/hosts");
  });
});
