// Runs in the browser before the page's own scripts: the editor's side of the bridge, and what tests ask of the document.
(() => {
  const posts = [];
  const violations = [];
  const frame = () => new Promise((done) => requestAnimationFrame(done));

  const active = () => document.activeElement.shadowRoot?.activeElement ?? document.activeElement;
  function transfer({ text, files = [], uris, data: others = {} }) {
    const data = new DataTransfer();
    for (const [type, value] of Object.entries(others)) data.setData(type, value);
    if (text !== undefined) data.setData("text/plain", text);
    if (uris !== undefined) data.setData("text/uri-list", uris.join("\r\n"));
    for (const { name, base64 } of files) {
      const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
      data.items.add(new File([bytes], name, { type: "image/png" }));
    }
    return data;
  }

  globalThis.acquireVsCodeApi = () => ({
    postMessage: (message) => posts.push(structuredClone(message)),
    // State outlives a reload, as in the editor.
    getState: () => JSON.parse(sessionStorage.getItem("state") ?? "null") ?? undefined,
    setState: (state) => sessionStorage.setItem("state", JSON.stringify(state)),
  });
  // The editor binds this key to commands, which come back as messages.
  document.addEventListener("keydown", ({ key, shiftKey }) => {
    if (key !== "F6") return;
    const data = { type: "moveToPart", by: shiftKey ? -1 : 1 };
    window.dispatchEvent(new MessageEvent("message", { data }));
  });
  document.addEventListener("securitypolicyviolation", (event) => {
    violations.push(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`);
  });

  globalThis.testSide = {
    posts,
    violations,
    async drawn() {
      await frame();
      await frame();
    },
    async send(message) {
      window.postMessage(message, "*");
      // A growing text rests between two drawings.
      if (message.ops?.some(({ op }) => op === "append")) await new Promise((done) => setTimeout(done, 50));
      await this.drawn();
    },
    /** Sends messages one by one, each drawn before the next. */
    async sendEach(messages) {
      for (const message of messages) {
        window.postMessage(message, "*");
        await new Promise((done) => setTimeout(done));
        await frame();
      }
    },
    /** Puts a mark on elements, to find out later whether they are still the same. */
    mark(selector) {
      for (const element of document.querySelectorAll(selector)) element.setAttribute("data-mark", "");
    },
    dress(variables, kind) {
      const declarations = Object.entries(variables).map(([key, value]) => `--vscode-${key}: ${value}`);
      document.documentElement.style.cssText = declarations.join(";");
      document.body.className = kind;
    },
    /** Size and family of the font of an element; `a >>> b` looks inside the control `a`. */
    fontOf(selector) {
      const [outer, inner] = selector.split(" >>> ");
      const element = document.querySelector(outer);
      const { fontSize, fontFamily } = getComputedStyle(inner ? element.shadowRoot.querySelector(inner) : element);
      return `${fontSize} ${fontFamily}`;
    },
    /** Classes of controls and lines whose text is taller than they are. */
    cutOff() {
      const controls =
        "button, vscode-button, summary, [role=option], .picker, .chip, .banner, .notice, h1, h2, h3, h4";
      return [...document.querySelectorAll(`.page :is(${controls})`)]
        .filter((element) => !element.closest(".visually-hidden, [hidden]") && element.checkVisibility())
        .filter((element) => getComputedStyle(element).overflowY !== "visible" || element.tagName === "VSCODE-BUTTON")
        .filter((element) => element.scrollHeight > element.clientHeight + 2 && element.clientHeight > 0)
        .map((element) => `${element.tagName} ${element.className} ${element.scrollHeight}>${element.clientHeight}`);
    },
    /** How many pixels of the composer are below the edge. */
    composerBelow() {
      const { bottom } = document.querySelector(".composer-tools").getBoundingClientRect();
      return Math.max(0, Math.round(bottom - window.innerHeight));
    },
    /** Classes of elements that reach beyond the right edge and cannot be scrolled there. */
    clipped() {
      const limit = document.documentElement.clientWidth + 1;
      const scrolled =
        "pre, .table-scroller, .diagram, .math, .visually-hidden, .tool-intent, .chip-text, .approval-record code";
      return [...document.querySelectorAll(".page *")]
        .filter((element) => !element.closest(scrolled) && element.getBoundingClientRect().right > limit)
        .map((element) => element.className);
    },
    /** Selection and scroll of the composer. */
    draftPlace() {
      const { selectionStart, selectionEnd, scrollTop } = document.querySelector(".composer vscode-text-area").control;
      return [selectionStart, selectionEnd, scrollTop];
    },
    /** Selects and scrolls in the composer, and leaves it before the browser has told of either. */
    putDraftPlaceAndLeave(start, end, top) {
      const { control } = document.querySelector(".composer vscode-text-area");
      control.setSelectionRange(start, end);
      control.scrollTop = top;
      control.blur();
    },
    /** Pastes into what has the keyboard, as the browser tells of it. */
    paste(what) {
      const clipboardData = transfer(what);
      active().dispatchEvent(
        new ClipboardEvent("paste", { clipboardData, bubbles: true, composed: true, cancelable: true }),
      );
    },
    /** Drops onto the conversation. */
    drop(what) {
      this.drag({ ...what, events: ["dragenter", "dragover", "drop"] });
    },
    /** Drags over the conversation. @returns which of the events the window heard of, and which were taken by the page. */
    drag({ events, ...what }) {
      const dataTransfer = transfer(what);
      const target = document.querySelector(".transcript");
      return events.map((type) => {
        let isHeard = false;
        const hear = () => {
          isHeard = true;
        };
        window.addEventListener(type, hear, { once: true });
        const isTaken = !target.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
        window.removeEventListener(type, hear);
        return { type, isHeard, isTaken };
      });
    },
    /** Pastes an image that no format makes small. */
    async pasteNoise(side) {
      const canvas = document.createElement("canvas");
      canvas.width = side;
      canvas.height = side;
      const pen = canvas.getContext("2d");
      const pixels = pen.createImageData(side, side);
      let noise = 1;
      for (let at = 0; at < pixels.data.length; at += 1) {
        noise ^= noise << 13;
        noise ^= noise >>> 17;
        noise ^= noise << 5;
        pixels.data[at] = at % 4 === 3 ? 255 : noise & 255;
      }
      pen.putImageData(pixels, 0, 0);
      const blob = await new Promise((done) => canvas.toBlob(done, "image/png"));
      const clipboardData = new DataTransfer();
      clipboardData.items.add(new File([blob], "noise.png", { type: "image/png" }));
      active().dispatchEvent(
        new ClipboardEvent("paste", { clipboardData, bubbles: true, composed: true, cancelable: true }),
      );
    },
    keyTimes: [],
    /** Notes how long each key takes until the frame that shows it is drawn, in ms. */
    watchKeys() {
      document.addEventListener(
        "keydown",
        ({ timeStamp }) =>
          requestAnimationFrame(() => {
            const { port1, port2 } = new MessageChannel();
            port1.onmessage = () => this.keyTimes.push(performance.now() - timeStamp);
            port2.postMessage(undefined);
          }),
        { capture: true },
      );
    },
    /** Returns the parts of the diagrams' images that could run, load or navigate. */
    actorsInImages() {
      return [...document.querySelectorAll(".diagram-image")].flatMap((image) => {
        const source = decodeURIComponent(image.src.slice(image.src.indexOf(",") + 1));
        const svg = new DOMParser().parseFromString(source, "image/svg+xml");
        const attributes = [...svg.querySelectorAll("*")].flatMap((element) => [...element.attributes]);
        const urls = attributes.filter(({ name, value }) => /^on|href$/i.test(name) && !value.startsWith("#"));
        return [
          ...[...svg.querySelectorAll("script, foreignObject, image, iframe, parsererror")].map(
            ({ tagName }) => tagName,
          ),
          ...urls.map(({ name, value }) => `${name}=${value}`),
        ];
      });
    },
    /** The ids of the items that are seen. Asked for by place: what is far from the screen would be laid out to be asked itself. */
    itemsInSight() {
      const { left, top, width, height } = document.querySelector(".transcript").getBoundingClientRect();
      const places = Array.from({ length: 40 }, (_, step) => top + (height * (step + 0.5)) / 40);
      const seen = places.map((y) => document.elementFromPoint(left + width / 2, y)?.closest(".item"));
      return [...new Set(seen.flatMap((item) => item?.getAttribute("data-id") ?? []))];
    },
    /** Returns the top of an item on the screen. */
    topOf: (id) => document.querySelector(`[data-id="${id}"]`).getBoundingClientRect().top,
    announcements: [],
    /** Records the texts of live regions from now on. */
    watchAnnouncements() {
      const live = '[role="status"], [role="alert"], [role="timer"], [aria-live="polite"], [aria-live="assertive"]';
      new MutationObserver((changes) => {
        for (const { target } of changes) {
          const element = target instanceof Element ? target : target.parentElement;
          if (element?.closest(live)) this.announcements.push(element.textContent);
        }
      }).observe(document.body, { subtree: true, childList: true, characterData: true });
    },
    composingKeys: [],
    /** Notes the keys that are pressed while an input method is at work. */
    watchComposing() {
      document.addEventListener("keydown", (event) => event.isComposing && this.composingKeys.push(event.key), {
        capture: true,
      });
    },
    /** The name of what has the keyboard. */
    focusedName() {
      const element = document.activeElement;
      return (element?.getAttribute("aria-label") ?? element?.textContent ?? "").trim();
    },
    isIn: (selector) => document.activeElement?.closest(selector) !== null,
    /** Returns the running animations, also inside the controls. */
    moving: () =>
      document
        .getAnimations()
        .filter(({ playState }) => playState === "running")
        .map(({ animationName, transitionProperty }) => animationName ?? transitionProperty),
    focusedText: () => document.activeElement?.textContent,
    focused: () => document.activeElement?.getAttribute("data-id") ?? document.activeElement?.tagName,
    async axe() {
      const { violations: rules } = await globalThis.axe.run(document, { resultTypes: ["violations"] });
      return rules.flatMap((rule) =>
        rule.nodes.map((node) => `${rule.id}: ${node.html.slice(0, 120)} ${node.failureSummary}`),
      );
    },
  };
})();
