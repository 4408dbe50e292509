import { t } from "../../l10n.ts";
import type { DiagramDrawer, DiagramImage, DiagramLook, Drawn } from "../../late/contract.ts";
import { el } from "../common/dom.ts";
import { loadScript, runIn } from "../common/late-script.ts";

/** The time limit of one diagram, in ms. The size of the source limits how long it blocks the page. */
const DRAW_LIMIT_MS = 10_000;

/** The frame in use, while there is something to draw in it. */
let frame: { readonly element: HTMLIFrameElement; readonly drawer: Promise<DiagramDrawer>; users: number } | undefined;
let last: Promise<unknown> = Promise.resolve();

/**
 * Draws one diagram after the other. It is done in an empty frame that nobody sees, so that no style or id of a diagram gets into the page;
 * the frame is taken away when nothing is left to draw.
 */
export function drawInFrame(source: string, look: DiagramLook): Promise<Drawn<DiagramImage>> {
  const own = openFrame();
  own.users += 1;
  const turn = last.then(async (): Promise<Drawn<DiagramImage>> => {
    try {
      return await withinLimit((await own.drawer).draw(source, look));
    } catch (error) {
      return { ok: false, why: error instanceof Error ? error.message : String(error) };
    } finally {
      own.users -= 1;
      if (own.users === 0) closeFrame(own.element);
    }
  });
  last = turn;
  return turn;
}

function openFrame(): NonNullable<typeof frame> {
  if (frame !== undefined) return frame;
  const element = el("iframe", "diagram-frame", { "aria-hidden": "true", tabindex: "-1", title: "" });
  document.body.append(element);
  frame = { element, drawer: startDrawer(element), users: 0 };
  return frame;
}

async function startDrawer({ contentDocument, contentWindow }: HTMLIFrameElement): Promise<DiagramDrawer> {
  if (window.tillerDiagramScript === undefined) await loadScript("diagrams.js");
  if (contentDocument === null || contentWindow === null) throw new Error(t("The diagram frame isn't available."));
  runIn(contentDocument, `(${window.tillerDiagramScript})()`);
  if (contentWindow.tillerDiagrams === undefined) throw new Error(t("Couldn't run the script {0}.", "diagrams.js"));
  return contentWindow.tillerDiagrams;
}

function closeFrame(element: HTMLIFrameElement): void {
  element.remove();
  if (frame?.element === element) frame = undefined;
}

function withinLimit<Result>(work: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(t("It took too long."))), DRAW_LIMIT_MS);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
