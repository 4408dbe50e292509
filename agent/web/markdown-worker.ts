// A thread that makes Markdown of a page. Large or hostile pages take seconds and much memory: all of that ends here.
import { parentPort, workerData } from "node:worker_threads";
import { mainPart } from "./main-part.ts";
import { readPage, wellFormedPage } from "./page-document.ts";
import type { PageJob, PageText } from "./page-job.ts";
import { toMarkdown } from "./to-markdown.ts";

const job: PageJob = workerData;
parentPort?.postMessage(pageText(job));

function pageText({ html, address }: PageJob): PageText {
  const page = wellFormedPage(html, address);
  const part = mainPart(page);
  const [title] = readPage(page).getElementsByTagName("title");
  return {
    title: title?.textContent.replace(/\s+/g, " ").trim() ?? "",
    markdown: part === undefined ? "" : toMarkdown(part),
  };
}
