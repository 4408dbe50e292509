import type { Host } from "../../host.ts";
import { t } from "../../l10n.ts";
import type { ContextWord } from "../../protocol/context.ts";
import { ImageType } from "../../protocol/draft.ts";
import { contextIcon } from "../common/context-face.ts";
import { icon, type TextBox } from "../common/controls.ts";
import { el } from "../common/dom.ts";
import { type MenuItem, openMenu } from "../common/menu.ts";

interface AddButtonOptions {
  box: TextBox;
  host: Host;
  /** Attaches files that hold images. */
  addFiles(files: readonly File[]): void;
}

/** Makes the button with the menu of everything that a message can carry. */
export function createAddButton({ box, host, addFiles }: AddButtonOptions): HTMLElement {
  const label = t("Add Context");
  const attributes = { type: "button", title: label, "aria-label": label };
  const element = el(
    "button",
    "picker add-button",
    { ...attributes, "aria-haspopup": "menu", "aria-expanded": "false" },
    [icon("add")],
  );
  element.addEventListener("click", () => openMenu(element, label, items()));

  /** The list of mentions has the files and folders of the workspace. */
  function mention(): void {
    box.focus();
    const { start } = box.selection();
    box.insert(start === 0 || /\s$/.test(box.read().slice(0, start)) ? "@" : " @");
  }
  function take(word: ContextWord): MenuItem["run"] {
    return () => {
      box.focus();
      host.post({ type: "takeContext", word, mark: "" });
    };
  }
  function items(): MenuItem[] {
    const context = (word: ContextWord, name: string): MenuItem => ({
      label: name,
      icon: contextIcon({ source: { kind: word } }),
      run: take(word),
    });
    return [
      { label: t("Files and Folders…"), icon: "file", run: mention },
      {
        label: t("Images…"),
        icon: "file-media",
        run: () => {
          box.focus();
          chooseImages(addFiles);
        },
      },
      context("selection", t("Selection")),
      context("problems", t("Problems")),
      context("terminal", t("Last Terminal Command")),
      context("git", t("Git Changes")),
    ];
  }
  return element;
}

/** Opens the file dialog of the system for images. */
function chooseImages(chosen: (files: readonly File[]) => void): void {
  const input = document.createElement("input");
  input.type = "file";
  input.multiple = true;
  input.accept = ImageType.options.join(",");
  input.addEventListener("change", () => chosen([...(input.files ?? [])]));
  input.click();
}
