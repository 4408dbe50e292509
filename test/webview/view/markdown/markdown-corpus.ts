/** Texts whose blocks are hard to tell apart while they grow. */
export const GROWING: Record<string, string> = {
  "headings and paragraphs": "# One\ntext\nmore\n\nTwo\n===\nThree\n---\n#not a heading\npara\n# Four #\n",
  "lists in lists": "- a\n\n  b\n- c\n  1. d\n  2. e\n\n      code\n\n* other\n\n1) x\n2) y\n\nend",
  "a fence with fences inside": "````md\n```js\nlet a = 1;\n```\n````\n\nafter\n~~~\n```\n~~~\n",
  "an open fence": "Look:\n\n```ts\nconst a: number = 1;\n\nexport {};\n",
  "a fence in a list": "1. do\n   ```sh\n   ls -l\n   ```\n2. done\n",
  "a table": "before\n| a | b |\n|---|--:|\n| 1 | 2 |\n| 3 | `|` |\n\nafter",
  "a list that is loose near its end": "1. a\n2. **b**\n   - c\n   - d\n3. e\n4. f\n\n   g\n5. h\n6. i\nend\n",
  "a loose list with a tight end": "- a\n\n- b\n- c\n- d\n  ```\n  e\n  ```\n- f\n- g\n* h\n* i\n",
  "a table with rows of many kinds":
    "\n| a | b |\n|:-:|---|\n| 1 | **2** |\n| 3 |\n4 | 5\n| `6` | 7 | 8 |\n| 9 | 10 |\n> after",
  "a quote of many blocks": "> # a\n> b\nlazy\n>\n> - c\n> - d\n>\n> > e\n>\n> ```js\n> f\n> ```\n> g\n\nh\n",
  "long code": `~~~sh run.sh\n${"echo 1\n".repeat(70)}\n${"echo 2\n".repeat(70)}~~~\nend\n`,
  quotes: "> a\nlazy\n> > b\n\n> c\n",
  "late link definitions":
    'See [one] and [two][t].\n\nMore.\n\n[one]: https://example.com/1 "title"\n[t]: https://example.com/2\n',
  "indented code after text": "para\n    still para\n\n    code\n\n    more code\n\nend\n",
  "line endings of Windows": "# A\r\n\r\n- b\r\n- c\r\n\r\n```js\r\n1\r\n```\r\nend\r\n",
  "emphasis across lines": "**bold\nstill** and _it\nalic_ `code\nspan`\n\n---\n\nhttps://example.com/a_b_c\n",
  "emoji and combined letters": "👩‍👩‍👧 é\n\n👍🏽 done\n",
};

/** Texts that try to run something, or to fetch something. */
export const HOSTILE: string[] = [
  "<script>window.broken = 1</script>",
  '<img src=x onerror="window.broken = 1">',
  "![x](https://evil.example/pixel.png) ![y](http://evil.example/y.svg)",
  "[a](javascript:window.broken=1) [b](JaVaScRiPt:alert(1)) [c](java\nscript:alert(1))",
  "[d](command:workbench.action.terminal.new) [e](vscode://file/etc/passwd) [f](data:text/html,<script>1</script>)",
  '<a href="javascript:window.broken=1">x</a><svg onload="window.broken=1"></svg>',
  '[ok](https://example.com "" onclick=alert(1))',
  '```html"><img src=x onerror=window.broken=1>\n<script>window.broken = 1</script>\n```',
  "```js\n</code></pre><script>window.broken = 1</script>\n```",
  '<https://example.com/"onmouseover="window.broken=1>',
  '<iframe src="https://evil.example"></iframe><style>*{display:none}</style><base href="https://evil.example">',
  '<form action="https://evil.example"><input name=x></form><meta http-equiv=refresh content=0;url=https://evil.example>',
  "&lt;script&gt;window.broken=1&lt;/script&gt; &#106;avascript:",
  "[x]: javascript:window.broken=1\n\n[x]",
  "![a](data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9IndpbmRvdy5icm9rZW49MSIvPg==)",
];
