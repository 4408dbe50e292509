// Runs in the browser when a test asks for it: measures what a person would see.
(() => {
  const pen = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });

  /** Red, green and blue from 0 to 255, and alpha from 0 to 1, of any color that CSS knows. */
  function channels(color) {
    pen.clearRect(0, 0, 1, 1);
    pen.fillStyle = color;
    pen.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = pen.getImageData(0, 0, 1, 1).data;
    return [red, green, blue, alpha / 255];
  }

  const over = ([r1, g1, b1, alpha], [r2, g2, b2]) =>
    [
      [r1, r2],
      [g1, g2],
      [b1, b2],
    ]
      .map(([front, back]) => front * alpha + back * (1 - alpha))
      .concat(1);

  /** The ancestors of an element as they are drawn, through slots and out of controls. */
  function* drawnAround(element) {
    let one = element;
    while (one instanceof Element) {
      yield one;
      one = one.assignedSlot ?? one.parentElement ?? one.getRootNode().host;
    }
  }

  /** The color behind an element. */
  function backdrop(element) {
    const layers = [];
    for (const one of drawnAround(element)) {
      layers.push(channels(getComputedStyle(one).backgroundColor));
      if (layers.at(-1)[3] === 1) break;
    }
    return layers.reverse().reduce((below, layer) => over(layer, below), [255, 255, 255, 1]);
  }

  /** Relative luminance, as WCAG 2.2 defines it. */
  function luminance([red, green, blue]) {
    const [r, g, b] = [red, green, blue].map((value) => {
      const part = value / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  }

  function contrast(element) {
    const behind = backdrop(element);
    const opacity = [...drawnAround(element)].reduce((all, one) => all * Number(getComputedStyle(one).opacity), 1);
    const [red, green, blue, alpha] = channels(getComputedStyle(element).color);
    const [a, b] = [luminance(over([red, green, blue, alpha * opacity], behind)), luminance(behind)];
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  }

  /** All elements below a root, also those inside of controls. */
  function* elementsIn(root) {
    for (const element of root.querySelectorAll("*")) {
      yield element;
      if (element.shadowRoot) yield* elementsIn(element.shadowRoot);
    }
  }

  const isSeen = (element) =>
    element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
    ![...drawnAround(element)].some((one) => one.matches(".visually-hidden, [aria-hidden=true]"));
  const isOff = (element) => [...drawnAround(element)].some((one) => one.matches("[disabled], [aria-disabled=true]"));
  const ownText = (element) =>
    [...element.childNodes]
      .filter(({ nodeType }) => nodeType === Node.TEXT_NODE)
      .map(({ data }) => data.trim())
      .join(" ")
      .trim();
  const nameOf = (element) => `${element.localName}.${element.className} "${element.textContent.trim().slice(0, 30)}"`;

  globalThis.measureSide = {
    /** How many texts are seen, and those whose contrast with what is behind them is lower than `least`. */
    texts(least) {
      const seen = [...elementsIn(document.body)].filter(
        (element) => ownText(element) !== "" && isSeen(element) && !isOff(element),
      );
      const measured = seen.map((element) => ({ element, ratio: contrast(element) }));
      return {
        count: seen.length,
        faint: measured
          .filter(({ ratio }) => ratio < least)
          .map(({ element, ratio }) => `${ratio.toFixed(2)} ${nameOf(element)}`),
      };
    },
    /** How wide the page is, and how wide what is in it. */
    widths: () => [document.documentElement.clientWidth, document.documentElement.scrollWidth],
    /** Pairs of controls that overlap by more than a pixel, without one containing the other. */
    overlaps() {
      const controls = [...document.querySelectorAll(".page :is(button, vscode-button, textarea, summary, a, select)")]
        .filter((element) => isSeen(element) && !element.closest(".jump"))
        // A link that wraps has a box in each line.
        .flatMap((element) => [...element.getClientRects()].map((box) => ({ element, box })))
        .filter(({ box }) => box.width > 0 && box.height > 0);
      const found = [];
      for (const [at, one] of controls.entries()) {
        for (const other of controls.slice(at + 1)) {
          if (one.element.contains(other.element) || other.element.contains(one.element)) continue;
          const wide = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
          const high = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
          if (wide > 1 && high > 1) found.push(`${nameOf(one.element)} and ${nameOf(other.element)}`);
        }
      }
      return found;
    },
  };
})();
