import { z } from 'zod';
import { LIMITS, MEDIA_FORMATS, MEDIA_OPS, REMOTE_TOOL_NAME } from '../vocabulary.ts';
import { BundlePath, TEXT_CLASS } from './parts.ts';

const whole = ({ min, max }: { min: number; max: number }) => z.number().int().min(min).max(max).optional();
const within = ({ min, max }: { min: number; max: number }) => z.number().min(min).max(max).optional();

/** A media operation that the client runs on a file before it sends the file. */
export const MediaRequest = z
  .object({
    op: z.enum(MEDIA_OPS).describe('The operation.'),
    width: whole(LIMITS.media.dimension).describe('In pixels; for `resize`, and for `crop` with `height`.'),
    height: whole(LIMITS.media.dimension).describe('In pixels; for `resize`, and for `crop` with `width`.'),
    x: whole(LIMITS.media.offset).describe('Where a `crop` begins, in pixels from the left.'),
    y: whole(LIMITS.media.offset).describe('Where a `crop` begins, in pixels from the top.'),
    aspect: z
      .string()
      .regex(/^[1-9]\d*:[1-9]\d*$/)
      .register(TEXT_CLASS, { text: 'format' })
      .optional()
      .describe('Aspect ratio of a `crop`, width to height, such as `16:9`.'),
    fit: z
      .enum(['cover', 'contain', 'fill'])
      .optional()
      .describe('How a `resize` fits both sides: cut, add margins, or distort.'),
    gravity: z
      .enum(['center', 'north', 'south', 'east', 'west'])
      .optional()
      .describe('Which part to keep when the image is cut.'),
    format: z.enum(MEDIA_FORMATS).optional().describe('Target format of a `convert`.'),
    quality: within(LIMITS.media.quality).describe(
      'For `compress` and `convert`; a higher value gives a better and larger file.',
    ),
    targetKb: within(LIMITS.media.targetKb).describe('Target size of a `compress`, in kilobytes.'),
    start: within(LIMITS.media.timeSeconds).describe('Where a `trim` begins, in seconds.'),
    end: within(LIMITS.media.timeSeconds).describe('Where a `trim` ends, in seconds; after `start`.'),
  })
  .meta({
    id: 'MediaRequest',
    description: 'A media operation that the client runs on a file before it sends the file.',
  });
export type MediaRequest = z.infer<typeof MediaRequest>;

/** Which files an argument of a tool accepts. */
export const FileRule = z
  .object({
    accept: z.array(z.string()).optional().describe('MIME types or `type/*`; all by default.'),
    multiple: z.boolean().optional().describe('Whether the argument is a list of files.'),
    maxBytes: z
      .number()
      .int()
      .min(LIMITS.file.minBytes)
      .max(LIMITS.file.maxBytes)
      .optional()
      .describe('Maximum size of a file after `prepare`.'),
    prepare: MediaRequest.optional().describe(
      'Media operation that runs before the file is sent; needs the grant `host:media`.',
    ),
  })
  .meta({ id: 'FileRule', description: 'Which files an argument of a tool accepts.' });
export type FileRule = z.infer<typeof FileRule>;

/** The card a user must approve before the tool runs. */
export const Confirm = z
  .object({
    title: z
      .string()
      .min(1)
      .max(LIMITS.confirm.title)
      .describe('Title of the card. `{{count}}` is replaced by the number of files that the call sends.'),
    body: z.string().register(TEXT_CLASS, { text: 'text' }).optional().describe('Markdown under the title.'),
    action: z.string().optional().describe('Label of the approve button.'),
  })
  .meta({ id: 'Confirm', description: 'A card the user must approve before the tool runs.' });
export type Confirm = z.infer<typeof Confirm>;

/** One tool of the MCP server that the app offers to the agent. */
export const Tool = z
  .object({
    id: z
      .string()
      .max(LIMITS.tool.id)
      .regex(/^[a-z][a-z0-9_]*$/)
      .register(TEXT_CLASS, { text: 'format' })
      .describe(
        'Id of the tool, which is its name on the MCP server too unless `remoteName` is another one.',
      ),
    remoteName: z
      .string()
      .regex(REMOTE_TOOL_NAME)
      .register(TEXT_CLASS, { text: 'format' })
      .optional()
      .describe('Name of the tool on the MCP server, where that is no valid id, such as `get-sum`.'),
    name: z.string().min(1).max(LIMITS.tool.name).describe('Name of the tool, for users.'),
    description: z
      .string()
      .min(1)
      .max(LIMITS.tool.description)
      .register(TEXT_CLASS, { text: 'text' })
      .describe(
        'Description by which the agent chooses the tool. It replaces the description of the server.',
      ),
    files: z
      .record(z.string().regex(/^[a-z0-9_]+$/), FileRule)
      .optional()
      .describe('Arguments that accept files, each with its rule; needs the grant `files:receive`.'),
    confirm: Confirm.optional().describe('A card the user must approve before the tool runs.'),
    account: z
      .string()
      .register(TEXT_CLASS, { text: 'format' })
      .optional()
      .describe('Id of the account whose token is sent with each call.'),
  })
  .meta({ id: 'Tool', description: 'A tool of the MCP server that the app offers to the agent.' });
export type Tool = z.infer<typeof Tool>;

/** A web page of the app that the client shows in a sandbox. */
export const Panel = z
  .object({
    id: z.string().min(1).max(LIMITS.panel.id).describe('Name of the panel within the app.'),
    title: z.string().min(1).max(LIMITS.panel.title).describe('Title in the header.'),
    component: z.literal('webview').describe('The only kind of panel that a store app may have.'),
    icon: z.string().optional().describe('Icon in the header; `branding` uses the mark.'),
    config: z
      .object({ entry: BundlePath.optional().describe('The page to open; `ui/index.html` by default.') })
      .optional()
      .describe('What the panel shows.'),
    views: z
      .array(
        z.object({
          id: z.string().describe('Id that the page receives.'),
          label: z.string().describe('Label of the tab.'),
        }),
      )
      .optional()
      .describe('Tabs in the header.'),
  })
  .meta({ id: 'Panel', description: 'A page of the app that the client shows in a sandbox.' });
export type Panel = z.infer<typeof Panel>;

/** A value that the user sets for the app; parsed leniently. */
export const Setting = z
  .object({
    id: z.string().describe('Id by which the app reads the value.'),
    label: z.string().describe('Label of the setting.'),
    type: z
      .enum(['string', 'number', 'boolean', 'select'])
      .register(TEXT_CLASS, { text: 'line' })
      .describe('Type of the value.'),
    default: z.union([z.string(), z.number(), z.boolean()]).optional().describe('Default value.'),
    options: z.array(z.string()).optional().describe('Options of a `select`.'),
  })
  .meta({ id: 'Setting', description: 'A value that the user sets for the app.' });

/** What the app adds to the client. */
export const Contributes = z
  .object({
    tools: z.array(Tool).optional().describe('Tools of the MCP server that the agent may call.'),
    panels: z.array(Panel).optional().describe('Pages that the client shows in a sandbox.'),
    settings: z.array(Setting).optional().describe('Values that the user sets for the app.'),
  })
  .meta({ id: 'Contributes', description: 'What the app adds to the client; `{}` for nothing.' });
export type Contributes = z.infer<typeof Contributes>;
