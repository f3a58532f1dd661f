import { z } from 'zod';
import { LIMITS, MEDIA_FORMATS, MEDIA_OPS } from '../vocabulary.ts';
import { BundlePath } from './parts.ts';

const whole = ({ min, max }: { min: number; max: number }) => z.number().int().min(min).max(max).optional();
const within = ({ min, max }: { min: number; max: number }) => z.number().min(min).max(max).optional();

/** A media operation the client runs on a file before handing it over. */
export const MediaRequest = z
  .object({
    op: z.enum(MEDIA_OPS).describe('What to do with the file.'),
    width: whole(LIMITS.media.dimension).describe('In pixels; for `resize`, and for `crop` with `height`.'),
    height: whole(LIMITS.media.dimension).describe('In pixels; for `resize`, and for `crop` with `width`.'),
    x: whole(LIMITS.media.offset).describe('Where a `crop` begins, in pixels from the left.'),
    y: whole(LIMITS.media.offset).describe('Where a `crop` begins, in pixels from the top.'),
    aspect: z
      .string()
      .regex(/^[1-9]\d*:[1-9]\d*$/)
      .optional()
      .describe('Shape to `crop` to, width to height, such as `16:9`.'),
    fit: z
      .enum(['cover', 'contain', 'fill'])
      .optional()
      .describe('How a `resize` meets both sides: cut, leave margins, or distort.'),
    gravity: z
      .enum(['center', 'north', 'south', 'east', 'west'])
      .optional()
      .describe('Which part is kept where something is cut.'),
    format: z.enum(MEDIA_FORMATS).optional().describe('What to `convert` to.'),
    quality: within(LIMITS.media.quality).describe(
      'For `compress` and `convert`; higher is better and larger.',
    ),
    targetKb: within(LIMITS.media.targetKb).describe('Size that `compress` aims at, in kilobytes.'),
    start: within(LIMITS.media.timeSeconds).describe('Where a `trim` begins, in seconds.'),
    end: within(LIMITS.media.timeSeconds).describe('Where a `trim` ends, in seconds; after `start`.'),
  })
  .meta({
    id: 'MediaRequest',
    description: 'A media operation the client runs on a file before handing it over.',
  });
export type MediaRequest = z.infer<typeof MediaRequest>;

/** Which files a tool argument takes. */
export const FileRule = z
  .object({
    accept: z.array(z.string()).optional().describe('MIME types or `type/*`; any when left out.'),
    multiple: z.boolean().optional().describe('The argument is a list of files.'),
    maxBytes: z
      .number()
      .int()
      .min(LIMITS.file.minBytes)
      .max(LIMITS.file.maxBytes)
      .optional()
      .describe('Per file, after prepare.'),
    prepare: MediaRequest.optional().describe(
      'Media operation run before the file is handed over; needs the grant `host:media`.',
    ),
  })
  .meta({ id: 'FileRule', description: 'Which files a tool argument takes.' });
export type FileRule = z.infer<typeof FileRule>;

/** The card a user must approve before the tool runs. */
export const Confirm = z
  .object({
    title: z
      .string()
      .min(1)
      .max(LIMITS.confirm.title)
      .describe('May hold `{{count}}`, filled in with how many files the call hands over.'),
    body: z.string().optional().describe('Markdown under the title.'),
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
      .describe("The MCP server's own name for the tool."),
    name: z.string().min(1).max(LIMITS.tool.name).describe('What people read.'),
    description: z
      .string()
      .min(1)
      .max(LIMITS.tool.description)
      .describe('What the agent reads to choose the tool; it wins over what the server says.'),
    files: z
      .record(z.string().regex(/^[a-z0-9_]+$/), FileRule)
      .optional()
      .describe('Arguments that take files, each with its rule; needs the grant `files:receive`.'),
    confirm: Confirm.optional().describe('A card the user must approve before the tool runs.'),
    account: z.string().optional().describe('Id of the account whose token the call carries.'),
  })
  .meta({ id: 'Tool', description: 'A tool of the MCP server that the app offers to the agent.' });
export type Tool = z.infer<typeof Tool>;

/** A web page of the app that the client shows in a sandbox. */
export const Panel = z
  .object({
    id: z.string().min(1).max(LIMITS.panel.id).describe('Name of the panel within the app.'),
    title: z.string().min(1).max(LIMITS.panel.title).describe('What people read in the header.'),
    component: z.literal('webview').describe('The only kind of panel a store app may bring.'),
    icon: z.string().optional().describe('`branding` uses the mark.'),
    config: z
      .object({ entry: BundlePath.optional().describe('The page to open; `ui/index.html` by default.') })
      .optional()
      .describe('What the panel shows.'),
    views: z
      .array(
        z.object({
          id: z.string().describe('Name that the page is told.'),
          label: z.string().describe('What people read on the tab.'),
        }),
      )
      .optional()
      .describe('Tabs in the header.'),
  })
  .meta({ id: 'Panel', description: 'A page of the app that the client shows in a sandbox.' });
export type Panel = z.infer<typeof Panel>;

/** A value the user sets for the app; read leniently. */
export const Setting = z
  .object({
    id: z.string().describe('Name by which the app reads the value.'),
    label: z.string().describe('What people read beside it.'),
    type: z.enum(['string', 'number', 'boolean', 'select']).describe('What kind of value it is.'),
    default: z
      .union([z.string(), z.number(), z.boolean()])
      .optional()
      .describe('The value until the user sets one.'),
    options: z.array(z.string()).optional().describe('What a `select` offers.'),
  })
  .meta({ id: 'Setting', description: 'A value the user sets for the app.' });

/** What the app adds to the client. */
export const Contributes = z
  .object({
    tools: z.array(Tool).optional().describe('Tools of the MCP server that the agent may call.'),
    panels: z.array(Panel).optional().describe('Pages that the client shows in a sandbox.'),
    settings: z.array(Setting).optional().describe('Values that the user sets for the app.'),
  })
  .meta({ id: 'Contributes', description: 'What the app adds to the client; `{}` for nothing.' });
export type Contributes = z.infer<typeof Contributes>;
