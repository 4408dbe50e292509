import { statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { TranscriptItem } from "../../../../webview/protocol/items.ts";
import { inPage } from "../../support/open-page.ts";
import { applyTheme } from "../../support/themes.ts";
import { usePage } from "../../support/use-page.ts";

const panel = usePage();
const answer = (text: string, isStreaming = false): TranscriptItem => ({ id: "a", kind: "text", text, isStreaming });
const fenced = (...sources: string[]) =>
  answer(sources.map((source) => `\`\`\`mermaid\n${source}\n\`\`\`\n`).join("\n"));
const FLOW = "flowchart LR\n  A[Start here] -->|yes| B(End)";
const images = () => panel().page.getByRole("img", { name: "Diagram" });
const notes = () => panel().page.locator(".diagram-note");
/** The SVG of the image. */
const drawing = async () => decodeURIComponent((await images().first().getAttribute("src")) ?? "");
const settled = (count: number) =>
  expect.poll(async () => (await images().count()) + (await notes().count()), { timeout: 20_000 }).toBe(count);

describe("a diagram", () => {
  it("is drawn when its fence is complete and visible, and leaves nothing else on the page", async () => {
    await panel().snapshot([answer("```mermaid\nflowchart LR\n  A-->B\n", true)], { status: "running" });
    await panel().settle();
    expect(await images().count()).toBe(0);
    await panel().stream("a", ["```\n", "\nDone."]);
    await settled(1);
    expect(await drawing()).toMatch(/^data:image\/svg\+xml;charset=utf-8,<svg .*>A<.*>B</s);
    expect(await panel().page.locator("iframe, body > svg, body > div > svg, body style").count()).toBe(0);
    const box = await images().boundingBox();
    expect(box?.width).toBeGreaterThan(60);
  });

  it("fits the width, and a click or Enter shows it in its own size and back", async () => {
    await panel().snapshot([
      fenced("flowchart LR\n  A[One long name]-->B[Another long name]-->C[And a third name]-->D"),
    ]);
    await settled(1);
    const width = async () => (await images().boundingBox())?.width ?? 0;
    const figure = panel().page.getByRole("button", { name: "Diagram", exact: true });
    expect(await width()).toBeLessThan(300);
    await figure.click();
    expect(await width()).toBeGreaterThan(300);
    expect(await figure.getAttribute("aria-pressed")).toBe("true");
    await figure.press("Enter");
    expect(await width()).toBeLessThan(300);
  });

  it("can switch to its source and back, by button and keyboard, and the source is copied", async () => {
    await panel().snapshot([fenced(FLOW)]);
    await settled(1);
    const code = panel().page.getByRole("group", { name: "Code, mermaid" });
    expect(await code.count()).toBe(0);
    await panel().page.getByRole("button", { name: "Show Source" }).click();
    expect(await code.isVisible()).toBe(true);
    expect(await images().count()).toBe(0);
    await panel().page.getByRole("button", { name: "Show Diagram" }).press("Enter");
    expect(await images().count()).toBe(1);
    await panel().page.getByRole("button", { name: "Copy Code" }).click();
    expect(await panel().posts()).toContainEqual({ type: "copy", text: FLOW });
  });

  it("is redrawn when the editor's colors change", async () => {
    await applyTheme(panel().page, "light");
    await panel().snapshot([fenced(FLOW)]);
    await settled(1);
    expect(await drawing()).toContain("rgb(59, 59, 59)");
    await applyTheme(panel().page, "dark");
    await expect.poll(drawing).toContain("rgb(204, 204, 204)");
    expect(await images().count()).toBe(1);
  });

  it("can be of any common kind", async () => {
    const kinds = [
      "sequenceDiagram\n  Alice->>Bob: Hello\n  Note right of Bob: thinks",
      "classDiagram\n  Animal <|-- Duck\n  Animal : +int age",
      "stateDiagram-v2\n  [*] --> Still\n  Still --> [*]",
      "erDiagram\n  CUSTOMER ||--o{ ORDER : places",
      "gantt\n  title A plan\n  dateFormat YYYY-MM-DD\n  section One\n  Task :a1, 2026-01-01, 30d",
      "journey\n  title My day\n  section Work\n    Tea: 5: Me",
      "quadrantChart\n  x-axis Low --> High\n  y-axis Low --> High\n  A: [0.3, 0.6]",
      "timeline\n  title History\n  2002 : One\n  2004 : Two",
      "xychart-beta\n  x-axis [a, b]\n  bar [1, 2]",
    ];
    await panel().snapshot(kinds.map((kind, index) => ({ ...fenced(kind), id: `k${index}` })));
    for (let index = 0; index < kinds.length; index += 1) {
      const item = panel().page.locator(`[data-id="k${index}"]`);
      await item.scrollIntoViewIfNeeded();
      await expect
        .poll(() => item.locator(".diagram-image, .diagram-note").evaluateAll((all) => all.map((one) => one.tagName)), {
          message: kinds[index] ?? "",
          timeout: 20_000,
        })
        .toEqual(["IMG"]);
    }
  });

  it("that cannot be drawn stays as written, with a note", async () => {
    await panel().snapshot([
      fenced(
        "flowchart LR\n  A[not closed",
        "pie\n  title Pets\n  Dogs : 3",
        `flowchart LR\n${"  A --> B\n".repeat(2_000)}`,
      ),
    ]);
    await panel().page.locator(".code-block").last().scrollIntoViewIfNeeded();
    await panel().page.locator(".code-block").first().scrollIntoViewIfNeeded();
    await settled(3);
    expect(await images().count()).toBe(0);
    const words = await notes().allTextContents();
    expect(words[0]).toMatch(/^Can't render this diagram: Parse error on line/);
    expect(words[1]).toBe("Can't render this diagram: This diagram type isn't supported.");
    expect(words[2]).toBe("Can't render this diagram: It's too large.");
    expect(await panel().page.getByRole("group", { name: "Code, mermaid" }).count()).toBe(3);
  });

  it("runs nothing, loads nothing and changes nothing on the page, whatever it contains", async () => {
    const hostile = [
      "flowchart LR\n  A[<img src=x onerror=window.top.broken=1>] --> B[<script>window.top.broken=1</script>]",
      'flowchart LR\n  A --> B\n  click A "javascript:window.top.broken=1"\n  click B call alert(1)',
      '%%{init: {"securityLevel": "loose", "htmlLabels": true, "flowchart": {"htmlLabels": true}}}%%\nflowchart LR\n  A["<b onclick=window.top.broken=1>x</b>"] --> B',
      '%%{init: {"themeCSS": "} body, .page { display: none !important } * {"}}%%\nflowchart LR\n  A-->B',
      "flowchart LR\n  A-->B\n  classDef evil fill:url(https://evil.example/x),stroke:red;} body{display:none}\n  class A evil",
      '---\nconfig:\n  theme: base\n  themeVariables:\n    primaryColor: "red; } body { display: none } x {"\n  layout: elk\n---\nflowchart LR\n  A-->B',
      'flowchart LR\n  A@{ img: "https://evil.example/a.png", label: "x", h: 60 }',
      'sequenceDiagram\n  participant A\n  links A: {"x": "javascript:window.top.broken=1"}\n  A->>A: <foreignObject><body xmlns=\'http://www.w3.org/1999/xhtml\'><img src=x onerror=window.top.broken=1></body></foreignObject>',
      'classDiagram\n  class A\n  callback A "alert"\n  link A "javascript:window.top.broken=1"',
      "flowchart LR\n  __proto__ --> constructor",
    ];
    await panel().snapshot(hostile.map((source, index) => ({ ...fenced(source), id: `h${index}` })));
    for (let index = 0; index < hostile.length; index += 1) {
      const item = panel().page.locator(`[data-id="h${index}"]`);
      await item.scrollIntoViewIfNeeded();
      await expect
        .poll(() => item.locator(".diagram-image, .diagram-note").count(), {
          message: hostile[index] ?? "",
          timeout: 20_000,
        })
        .toBe(1);
    }
    expect(await inPage(panel().page, "actorsInImages")).toEqual([]);
    expect(await panel().page.evaluate("window.broken")).toBeUndefined();
    expect(await panel().page.locator("iframe, script[src*='evil'], body style").count()).toBe(0);
    expect(await panel().page.locator(".page").isVisible()).toBe(true);
    expect(await inPage(panel().page, "clipped")).toEqual([]);
  });

  it("is drawn by a separate script", () => {
    const folder = join(import.meta.dirname, "../../../../dist/webview");
    expect(statSync(join(folder, "diagrams.js")).size).toBeLessThan(1_500_000);
  });
});
