import type { ModelEvents } from "../../extensions/model-events.ts";
import type { ExtensionRunner } from "../../extensions/runner.ts";
import type { Session } from "../../session/session.ts";

/** The services that are needed to select a model and report it. */
export interface SelectionParts {
  session: Session;
  extensions: ExtensionRunner;
}

/** Runs work that may select another model or level, then tells extensions about the change. */
export async function tellSelection<Result>(
  parts: SelectionParts,
  source: ModelEvents["model_select"]["source"],
  work: () => Promise<Result>,
): Promise<Result> {
  const tell = watchSelection(parts);
  const result = await work();
  await tell(source);
  return result;
}

/**
 * Records the selected model and level. @returns a function that tells extensions about later changes; an abort
 * abandons their handlers.
 */
export function watchSelection({ session, extensions }: SelectionParts) {
  const { selection } = session.options;
  const { model: previousModel, thinkingLevel: previousLevel } = selection;
  return async (source: ModelEvents["model_select"]["source"]): Promise<void> => {
    const { model, thinkingLevel: level } = selection;
    const release = extensions.released;
    const tell = <Event extends ModelEvents[keyof ModelEvents]>(event: Event) =>
      extensions.ask(event, () => false, { release });
    if (model !== undefined && (model.provider !== previousModel?.provider || model.id !== previousModel.id)) {
      await tell({ type: "model_select", model, previousModel, source });
    }
    if (level !== previousLevel) await tell({ type: "thinking_level_select", level, previousLevel });
  };
}
