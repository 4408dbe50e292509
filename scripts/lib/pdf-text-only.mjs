import { readFile } from "node:fs/promises";

/**
 * The removed parts of the library, by the comments at their beginning: forms in XML, the editor, image decoders, and the protocol of its own
 * threads.
 */
const LEFT_OUT =
  /^;\/\/ \.\/(?:src\/(?:core\/(?:xfa\/|editor\/|worker\.js)|pdf\.worker\.js)|external\/(?:jbig2|openjpeg|qcms|quickjs)\/)/;
const PART = /^(?=;\/\/ \.\/)/m;
/** Replacements for names in the removed parts that other parts use. A missing XML form has no text. */
const STANDING_IN = "class XFAFactory {}\nconst searchNode = () => undefined;\n";
/** The minimum number of removed parts. Fewer mean that a new version is structured differently. */
const MIN_LEFT_OUT = 20;

/**
 * Reduces the PDF library to the parts that read text, two thirds of its thread. Exports the class that reads, and the one whose memory is limited;
 * the library's own interface would add a third of the size.
 */
export const pdfTextOnly = {
  name: "pdf-text-only",
  setup(build) {
    build.onLoad({ filter: /pdfjs-dist[\\/]legacy[\\/]build[\\/]pdf\.worker\.mjs$/ }, async ({ path }) => {
      const parts = (await readFile(path, "utf8")).split(PART);
      const kept = parts.filter((part) => !LEFT_OUT.test(part));
      if (parts.length - kept.length < MIN_LEFT_OUT)
        throw new Error("pdfjs-dist has other parts than those that are left out.");
      return { contents: `${kept.join("")}\n${STANDING_IN}export { DecodeStream, LocalPdfManager };\n` };
    });
  },
};
