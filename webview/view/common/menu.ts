import { icon } from "./controls.ts";
import { el } from "./dom.ts";

/** One line of a menu. `icon` is the name of a codicon. */
export interface MenuItem {
  readonly label: string;
  readonly icon: string;
  run(): void;
}

/**
 * Opens a menu at a button: arrows, Home and End move, Enter chooses, Escape and Tab close it and give the keyboard back. It lies above everything,
 * so nothing cuts it off.
 */
export function openMenu(button: HTMLElement, label: string, items: readonly MenuItem[]): void {
  const rows = items.map((item) => {
    const row = el("button", "menu-row", { type: "button", role: "menuitem", tabindex: "-1" }, [
      icon(item.icon),
      item.label,
    ]);
    row.addEventListener("click", () => {
      close();
      item.run();
    });
    return row;
  });
  const menu = el("div", "menu", { role: "menu", "aria-label": label, popover: "auto" }, rows);
  function close(): void {
    if (!menu.isConnected) return;
    menu.remove();
    button.setAttribute("aria-expanded", "false");
    button.focus({ preventScroll: true });
  }
  menu.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.key === "Escape" || event.key === "Tab") {
      event.preventDefault();
      close();
      return;
    }
    const at = document.activeElement instanceof HTMLButtonElement ? rows.indexOf(document.activeElement) : -1;
    const next = nextRow(event.key, at, rows.length);
    if (next === undefined) return;
    event.preventDefault();
    rows[next]?.focus();
  });
  menu.addEventListener("toggle", () => {
    if (!menu.matches(":popover-open")) close();
  });
  document.body.append(menu);
  menu.showPopover();
  place(menu, button);
  button.setAttribute("aria-expanded", "true");
  rows[0]?.focus();
}

function nextRow(key: string, at: number, count: number): number | undefined {
  if (key === "ArrowDown") return (at + 1) % count;
  if (key === "ArrowUp") return (at + count - 1) % count;
  if (key === "Home") return 0;
  return key === "End" ? count - 1 : undefined;
}

/** Below the button, or above it where there is no room; never beyond the edges. */
function place(menu: HTMLElement, button: HTMLElement): void {
  const at = button.getBoundingClientRect();
  const { width, height } = menu.getBoundingClientRect();
  const left = Math.max(4, Math.min(at.right - width, window.innerWidth - width - 4));
  const below = at.bottom + 2;
  const top = below + height <= window.innerHeight ? below : Math.max(4, at.top - height - 2);
  menu.style.left = `${left}px`;
  menu.style.top = `${top}px`;
}
