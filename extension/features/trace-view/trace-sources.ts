import { t } from "../../../webview/l10n.ts";
import type { WireTrace } from "../../core/trace/wire-trace.ts";
import type { TraceSource } from "./trace-feed.ts";
import type { SavedTrace } from "./trace-file.ts";

/** Returns the growing trace of a chat as the source of a page. */
export function liveSource(trace: WireTrace): TraceSource {
  return {
    isLive: true,
    get isEnabled() {
      return trace.isEnabled;
    },
    get note() {
      return trace.isEnabled ? "" : t('Tiller isn\'t recording because the setting "tiller.trace.enabled" is off.');
    },
    get dropped() {
      return trace.dropped;
    },
    after: (seq, max) => trace.after(seq, max),
    entry: (seq) => trace.entry(seq),
    onChange: (listener) => trace.onChange(listener),
  };
}

/** Returns a trace that was read from a file as the source of a page. */
export function savedSource({ header, entries, skipped }: SavedTrace): TraceSource {
  const notes = [
    t("Saved by Tiller {0}: {1}", header.tiller, header.title),
    ...(header.dropped > 0 ? [t("Earlier frames dropped: {0}", header.dropped)] : []),
    ...(skipped > 0 ? [t("Unreadable lines: {0}", skipped)] : []),
  ];
  return {
    isLive: false,
    isEnabled: true,
    note: notes.join(" · "),
    dropped: 0,
    after: (seq, max = entries.length) => entries.slice(seq, seq + max),
    entry: (seq) => entries[seq - 1],
    onChange: () => () => {},
  };
}
