import { t } from "../l10n.ts";

/** Returns the sentence that offers the sandbox. */
export function sandboxOffer(): string {
  return t(
    "Commands can run in a sandbox here, where they change only the workspace and see no keys. Tiller then asks less often.",
  );
}
