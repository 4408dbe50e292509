import * as z from "zod";
import { InputContent } from "./content.ts";
import { AgentMessage } from "./messages.ts";
import { Usage } from "./model.ts";

/** The version of session files that we write. */
export const SESSION_VERSION = 3;

/** First line of a session file. Without `version` it is a file of version 1. */
export const SessionHeader = z.object({
  type: z.literal("session"),
  version: z.int().optional(),
  id: z.string(),
  timestamp: z.string(),
  cwd: z.string(),
  parentSession: z.string().optional(),
  title: z.string().optional(),
  titleSource: z.string().optional(),
});
export type SessionHeader = z.infer<typeof SessionHeader>;

const base = {
  id: z.string(),
  parentId: z.string().nullable(),
  timestamp: z.string().describe("ISO time"),
};
const madeByExtension = { fromHook: z.boolean().optional(), fromExtension: z.boolean().optional() };

export const MessageEntry = z.object({ type: z.literal("message"), ...base, message: AgentMessage });
export type MessageEntry = z.infer<typeof MessageEntry>;

/** Written with the fields of both dialects; one pair is enough when read. */
export const ModelChangeEntry = z.object({
  type: z.literal("model_change"),
  ...base,
  provider: z.string().optional(),
  modelId: z.string().optional(),
  model: z.string().optional(),
  role: z.string().optional(),
});
export const ThinkingLevelChangeEntry = z.object({
  type: z.literal("thinking_level_change"),
  ...base,
  thinkingLevel: z.string(),
});
export const CompactionEntry = z.object({
  type: z.literal("compaction"),
  ...base,
  summary: z.string(),
  firstKeptEntryId: z.string(),
  tokensBefore: z.int(),
  details: z.unknown().optional(),
  ...madeByExtension,
  usage: Usage.optional(),
  shortSummary: z.string().optional(),
});
export type CompactionEntry = z.infer<typeof CompactionEntry>;
export const BranchSummaryEntry = z.object({
  type: z.literal("branch_summary"),
  ...base,
  fromId: z.string(),
  summary: z.string(),
  details: z.unknown().optional(),
  ...madeByExtension,
  usage: Usage.optional(),
});
export type BranchSummaryEntry = z.infer<typeof BranchSummaryEntry>;
export const CustomEntry = z.object({
  type: z.literal("custom"),
  ...base,
  customType: z.string(),
  data: z.unknown().optional(),
});
export type CustomEntry = z.infer<typeof CustomEntry>;
/** The `customType` of an entry that says where a conversation went in its tree; its `data` is `{entryId}`. */
export const PLACE_ENTRY_TYPE = "tiller.place";
/** The `customType` of an entry from which on old tool results are no longer sent; its `data` is a `Pruning`. */
export const PRUNING_ENTRY_TYPE = "tiller.pruning";
/** Tool results that are no longer sent, by their entry, and the text that the model sees in place of each. */
export const Pruning = z.object({ results: z.array(z.object({ entryId: z.string(), note: z.string() })) });
export type Pruning = z.infer<typeof Pruning>;
/** The `customType` of an entry after which another model goes on; its `data` is `{from, to}`, each `provider/id`. */
export const FALLBACK_ENTRY_TYPE = "tiller.fallback";
/** The `customType` of an entry with what the router of a virtual model remembers; its `data` is `{provider, modelId, state}`. The name is pi's. */
export const VIRTUAL_STATE_ENTRY_TYPE = "pi.virtual-model-state";
/** The `customType` of an entry about an MCP server's request to a model; its `data` is a `SamplingCost`. */
export const SAMPLING_ENTRY_TYPE = "tiller.sampling";
/** The usage of an MCP server's request to a model; `model` is `provider/id`. */
export const SamplingCost = z.object({ server: z.string(), model: z.string(), usage: Usage });
/** The `customType` of a message that says how many lines of the session's file were lost. */
export const DAMAGE_MESSAGE_TYPE = "tiller.damage";
export const CustomMessageEntry = z.object({
  type: z.literal("custom_message"),
  ...base,
  customType: z.string(),
  content: z.union([z.string(), z.array(InputContent)]),
  display: z.boolean(),
  details: z.unknown().optional(),
});
/** Replaces the content of an earlier message for the model, or hides the message from it with null. The message itself is unchanged. */
export const ContextEditEntry = z.object({
  type: z.literal("context_edit"),
  ...base,
  targetId: z.string(),
  replacement: z.object({ content: z.union([z.string(), z.array(InputContent)]) }).nullable(),
});
export type ContextEditEntry = z.infer<typeof ContextEditEntry>;
/** A name for another entry; without `label` the name is taken away. */
export const LabelEntry = z.object({
  type: z.literal("label"),
  ...base,
  targetId: z.string(),
  label: z.string().optional(),
});
/** If a model found the name, `model` is `provider/modelId`, and `usage` is that of its request. */
export const SessionInfoEntry = z.object({
  type: z.literal("session_info"),
  ...base,
  name: z.string().optional(),
  model: z.string().optional().catch(undefined),
  usage: Usage.optional().catch(undefined),
});
export type SessionInfoEntry = z.infer<typeof SessionInfoEntry>;

/** The entries whose meaning we know. */
export const KnownSessionEntry = z.discriminatedUnion("type", [
  MessageEntry,
  ModelChangeEntry,
  ThinkingLevelChangeEntry,
  CompactionEntry,
  BranchSummaryEntry,
  CustomEntry,
  CustomMessageEntry,
  ContextEditEntry,
  LabelEntry,
  SessionInfoEntry,
]);
export type KnownSessionEntry = z.infer<typeof KnownSessionEntry>;

/** An entry of a type that we do not know, or a known type in a shape that we cannot read: kept, part of the tree, not in the context. */
export const OpaqueEntry = z.looseObject({ type: z.string(), ...base });
export type OpaqueEntry = z.infer<typeof OpaqueEntry>;

/** One line of a session file after the header. */
export const SessionEntry = z.union([KnownSessionEntry, OpaqueEntry]);
export type SessionEntry = KnownSessionEntry | OpaqueEntry;

/** A node of the tree that `get_tree` answers with. */
export interface SessionTreeNode {
  entry: SessionEntry;
  children: SessionTreeNode[];
  label?: string | undefined;
  labelTimestamp?: string | undefined;
}
export const SessionTreeNode: z.ZodType<SessionTreeNode> = z.lazy(() =>
  z.object({
    entry: SessionEntry,
    children: z.array(SessionTreeNode),
    label: z.string().optional(),
    labelTimestamp: z.string().optional(),
  }),
);
