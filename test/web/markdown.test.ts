import { describe, expect, it } from "vitest";
import { mainPart } from "../../agent/web/main-part.ts";
import { wellFormedPage } from "../../agent/web/page-document.ts";
import { toMarkdown } from "../../agent/web/to-markdown.ts";

const ADDRESS = "https://example.com/docs/page.html";

function markdown(html: string): string {
  const part = mainPart(wellFormedPage(html, ADDRESS));
  return part === undefined ? "" : toMarkdown(part);
}

describe("Markdown of a page", () => {
  it.each([
    [
      "a class of the element around",
      '<div class="highlight-python"><div class="highlight"><pre>x</pre></div></div>',
      "python",
    ],
    ["GitHub's class", '<div class="highlight highlight-source-ts"><pre>x</pre></div>', "ts"],
    ["Docusaurus' class", '<pre class="prism-code language-bash codeBlock"><code>x</code></pre>', "bash"],
    ["an attribute", '<pre data-lang="go"><code>x</code></pre>', "go"],
    ["no class", "<pre>x</pre>", ""],
    ["a class that says none", '<pre><code class="language-plaintext">x</code></pre>', ""],
  ])("names the language of code by %s", (_, html, language) => {
    expect(markdown(html)).toBe(`\`\`\`${language}\nx\n\`\`\``);
  });

  it("keeps the lines of code, leaves out their numbers, and fences fences", () => {
    const numbered = '<pre><span class="linenos">1</span>a<br>b<button>Copy</button>\n<span>  c</span></pre>';
    expect(markdown(numbered)).toBe("```\na\nb\n  c\n```");
    expect(markdown("<pre>```js\n```</pre>")).toBe("````\n```js\n```\n````");
  });

  it("leaves names with underscores and asterisks as they are", () => {
    expect(markdown("<p>Call make_widget(*args), or a[0].</p>")).toBe("Call make_widget(*args), or a[0].");
  });

  it("makes addresses absolute by the base of the page, and drops those of scripts", () => {
    expect(markdown('<base href="/v2/"><a href="a.html">A</a>')).toBe("[A](https://example.com/v2/a.html)");
    expect(markdown('<a href="javascript:alert(1)">A</a>')).toBe("A");
  });

  it("leaves out links to the heading beside them", () => {
    expect(markdown('<h2>Title<a class="headerlink" href="#t">¶</a></h2>')).toBe("## Title");
  });

  it("shows the cells of a table without a layout of its own", () => {
    const spanned = '<table><tr><th colspan="2">Both<tr><td>a<br>b<td><a href="/x">c</a></table>';
    expect(markdown(spanned)).toBe("| Both |  |\n| --- | --- |\n| a b | [c](https://example.com/x) |");
    expect(markdown("<table><tr><td><h2>A</h2></td><td><p>b</p></td></tr></table>")).toBe("## A\n\nb");
  });

  it("takes the part that the page marks as its content, whole", () => {
    const words = "Something that is worth reading. ".repeat(10);
    const html = `<div>Menu</div><main><p>${words}</p><nav>Next</nav><aside>Ads</aside></main>`;
    expect(markdown(html)).toBe(words.trim());
  });

  it("finds the content of a page that marks none", () => {
    const paragraph = `<p>${"Something, in this article, that is worth reading. ".repeat(8)}</p>`;
    const links = `<div class="menu"><ul>${'<li><a href="/a">Menu</a></li>'.repeat(20)}</ul></div>`;
    const text = markdown(`<body>${links}<div class="post">${paragraph.repeat(5)}</div>${links}</body>`);
    expect(text).toContain("worth reading");
    expect(text).not.toContain("Menu");
  });

  it.each([
    ["that is hidden", "<p hidden>x</p>"],
    ["that no reader hears", '<p aria-hidden="true">x</p>'],
    ["that is invisible", '<p style="color: red; visibility:hidden">x</p>'],
    ["in a comment", "<!-- x -->"],
    ["of a script", "<script>x</script>"],
  ])("has no text %s", (_, html) => {
    expect(markdown(`<p>seen</p>${html}`)).toBe("seen");
  });

  it("bears a page that is nested without end", () => {
    expect(markdown(`${"<div><b>".repeat(50_000)}deep`)).toContain("deep");
  });
});
