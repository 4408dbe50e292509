// Runs in the browser before the page's own scripts: the editor's side of the bridge, and what tests ask of the document.
(() => {
  const posts = [];
  const violations = [];
  const frame = () => new Promise((done) => requestAnimationFrame(done));

  globalThis.acquireVsCodeApi = () => ({
    postMessage: (message) => posts.push(structuredClone(message)),
    // State outlives a reload, as in the editor.
    getState: () => JSON.parse(sessionStorage.getItem("state") ?? "null") ?? undefined,
    setState: (state) => sessionStorage.setItem("state", JSON.stringify(state)),
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
    /** Classes of elements that reach beyond the right edge and cannot be scrolled there. */
    clipped() {
      const limit = document.documentElement.clientWidth + 1;
      const scrolled = "pre, .table-scroller, .visually-hidden, .tool-intent, .chip-text, .approval-record code";
      return [...document.querySelectorAll(".page *")]
        .filter((element) => !element.closest(scrolled) && element.getBoundingClientRect().right > limit)
        .map((element) => element.className);
    },
    focused: () => document.activeElement?.getAttribute("data-id") ?? document.activeElement?.tagName,
    async axe() {
      const { violations: rules } = await globalThis.axe.run(document, { resultTypes: ["violations"] });
      return rules.flatMap((rule) =>
        rule.nodes.map((node) => `${rule.id}: ${node.html.slice(0, 120)} ${node.failureSummary}`),
      );
    },
  };
})();
