import { z } from 'zod';
import { named } from '../named.ts';
import { REMOTE_TOOL_NAME } from '../vocabulary.ts';
import { KeyId, Note, Signature, Timestamp } from './common.ts';
import { ChangeValue } from './footprint.ts';

/** A JSON Schema of a server. It is data: nothing in the store or the client resolves its references. */
const ServerSchema = z.record(z.string(), ChangeValue);

/** The behaviour hints of a server (MCP, "Tool annotations"). They are not verified. */
const Hints = z.strictObject({
  readOnlyHint: z.boolean().optional(),
  destructiveHint: z.boolean().optional(),
  idempotentHint: z.boolean().optional(),
  openWorldHint: z.boolean().optional(),
});

/** A tool as its MCP server lists it, without hidden characters, of bounded size and depth. */
export const ServedTool = z
  .strictObject({
    name: z.string().regex(REMOTE_TOOL_NAME).describe('Name on the server.'),
    title: z.string().optional(),
    description: z.string().optional().describe('Of the server. Agents read the one of the manifest.'),
    inputSchema: ServerSchema,
    outputSchema: ServerSchema.optional(),
    annotations: Hints.optional(),
  })
  .meta({ id: 'ServedTool', description: 'A tool as its MCP server lists it.' });
export type ServedTool = z.infer<typeof ServedTool>;

/** What a publisher sends: the `tools/list` response of the server. It is cleaned and bounded on the way in. */
export const ServedList = named.object('ServedList', {
  tools: z.array(z.unknown()).max(1_000).describe('The tools as the server lists them, as JSON.'),
});

/** Query of the record. Without it the record has no `reviewedAt`, which clients of earlier versions refuse as an unknown field. */
export const ToolRecordQuery = z.object({
  reviewed: z.literal('1').optional().describe('`1` adds when a moderator saw the tools.'),
});

/** Which tools the server of a version had, signed by the store under a key set of its own. */
export const ToolRecord = named.strictObject('ToolRecord', {
  appId: z.string(),
  version: z.string(),
  source: z
    .enum(['publisher', 'store'])
    .describe('Who listed the tools: `publisher` where the server lists them only to signed-in users.'),
  recordedAt: Timestamp,
  tools: z.array(ServedTool).describe('Sorted by `name`.'),
  reviewedAt: Timestamp.optional().describe(
    'When a moderator saw these tools, or wider ones of an earlier version; only with `reviewed=1`. Absent before that: such a record is not what a user agreed to.',
  ),
  signature: Signature.describe('Ed25519 over the canonical JSON of the other fields without `keyId`.'),
  keyId: KeyId,
});
export type ToolRecord = z.infer<typeof ToolRecord>;

/** The tools that the store has kept for a version in review. It signs them once a moderator has seen them. */
export const KeptTools = named.object('KeptTools', {
  ...ToolRecord.omit({ signature: true, keyId: true, reviewedAt: true }).shape,
});
export type KeptTools = z.infer<typeof KeptTools>;

/** What the store found about a tool of a server beside the manifest. */
export const ServedFinding = named.object('ServedFinding', {
  tool: z.string().describe('Name on the server.'),
  kind: z
    .enum(['not-served', 'other-name', 'asks-for-secret'])
    .describe(
      '`not-served`: declared, but the server has no such tool. `other-name`: the server has it under another name. `asks-for-secret`: a parameter asks for a password, a key or a token.',
    ),
  detail: z.string().describe('The other name, or the parameter.'),
});
export type ServedFinding = z.infer<typeof ServedFinding>;

/** The tools that the server of a version had, beside its manifest. */
export const ServedTools = named.object('ServedTools', {
  source: ToolRecord.shape.source,
  recordedAt: Timestamp,
  tools: z.array(ServedTool),
  findings: z.array(ServedFinding),
});

/** A difference between what a server lists and the record of its tools. */
export const ServerChange = named.object('ServerChange', {
  tool: z.string().describe('Name on the server.'),
  path: z.string().describe('JSON Pointer into the tool; empty for the whole tool.'),
  kind: z.enum(['added', 'removed', 'changed']),
  before: ChangeValue,
  after: ChangeValue,
  widens: z
    .boolean()
    .describe('Whether an agent may read other words, send more, or be asked less: a person decides.'),
});

/** An app whose server lists other tools than those that were reviewed. */
export const ServerDrift = named.object('ServerDrift', {
  appId: z.string(),
  version: z.string(),
  name: z.string(),
  publisher: z.string(),
  suspended: z.boolean().describe('Whether the app is suspended.'),
  reasons: z.array(z.literal('flagged:tools.drift')),
  since: Timestamp,
  checkedAt: Timestamp,
  drift: z.array(ServerChange).describe('Those that widen come first; at most 100.'),
});
export type ServerDrift = z.infer<typeof ServerDrift>;

export const ServerDrifts = named.object('ServerDrifts', {
  entries: z.array(ServerDrift).describe('The longest waiting first; at most 100.'),
});
export type ServerDrifts = z.infer<typeof ServerDrifts>;

/** Accepts what a server lists. */
export const AcceptDrift = named.object('AcceptDrift', {
  checkedAt: Timestamp.describe('Of the entry that you read: a newer check must be read first.'),
  note: Note.optional().describe('For the audit log.'),
});

/** How the server of an app was found at the last check. */
export const ServerStatus = named.object('ServerStatus', {
  status: z
    .enum(['as-published', 'changed', 'needs-sign-in', 'not-answering'])
    .describe(
      '`changed`: it lists other tools than those that were reviewed, and a person decides. `needs-sign-in`: it lists nothing without one.',
    ),
  checkedAt: Timestamp,
  since: Timestamp.nullable().describe('Since when it has changed or has not answered.'),
  declared: z.int().nullable().describe('Tools that the app declares; null before the first list.'),
  asPublished: z.int().nullable().describe('How many of them are as published.'),
});
export type ServerStatus = z.infer<typeof ServerStatus>;
