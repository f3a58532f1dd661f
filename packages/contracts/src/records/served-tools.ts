import { z } from 'zod';
import { REMOTE_TOOL_NAME } from '../vocabulary.ts';
import { KeyId, Signature, Timestamp } from './common.ts';

/** A JSON Schema of a server. It is data: nothing in the store or the client resolves its references. */
const ServerSchema = z.record(z.string(), z.json());

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
export const ServedList = z.object({
  tools: z.array(z.unknown()).max(1_000).describe('The tools as the server lists them, as JSON.'),
});

/** Which tools the server of a version had, signed by the store under a key set of its own. */
export const ToolRecord = z
  .strictObject({
    appId: z.string(),
    version: z.string(),
    source: z
      .enum(['publisher', 'store'])
      .describe('Who listed the tools: `publisher` where the server lists them only to signed-in users.'),
    recordedAt: Timestamp,
    tools: z.array(ServedTool).describe('Sorted by `name`.'),
    signature: Signature.describe('Ed25519 over the canonical JSON of the other fields without `keyId`.'),
    keyId: KeyId,
  })
  .meta({ id: 'ToolRecord' });
export type ToolRecord = z.infer<typeof ToolRecord>;
