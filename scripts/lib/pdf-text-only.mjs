import { readFile } from "node:fs/promises";

/** Parts of the library, by the comments that begin them: forms in XML, the editor, decoders of images, and the protocol of its own threads. */
const LEFT_OUT =
  /^;\/\/ \.\/(?:src\/(?:core\/(?:xfa\/|editor\/|worker\.js)|pdf\.worker\.js)|external\/(?:jbig2|openjpeg|qcms|quickjs)\/)/;
const PART = /^(?=;\/\/ \.\/)/m;
/** What other parts name of those: a form in XML that is not there has no text. */
const STANDING_IN = "class XFAFactory {}\nconst searchNode = () => undefined;\n";
/** Fewer parts mean that a new version is written in another way. */
const MIN_LEFT_OUT = 20;

/**
 * Cuts the PDF library to what reads text, which is two thirds of its thread, and lets out the class that does, and the one whose
 * memory is bounded: its own interface would add a third of the size.
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
