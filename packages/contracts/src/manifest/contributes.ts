import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { BundlePath } from './parts.ts';

export const MEDIA_OPS = ['resize', 'crop', 'convert', 'compress', 'trim'] as const;
export const MEDIA_FORMATS = [
  'png',
  'jpeg',
  'webp',
  'avif',
  'gif',
  'mp4',
  'webm',
  'mp3',
  'wav',
  'm4a',
  'ogg',
] as const;

const whole = ({ min, max }: { min: number; max: number }) => z.number().int().min(min).max(max).optional();
const within = ({ min, max }: { min: number; max: number }) => z.number().min(min).max(max).optional();

/** A media operation the client runs on a file before handing it over. */
export const MediaRequest = z
  .object({
    op: z.enum(MEDIA_OPS),
    width: whole(LIMITS.media.dimension),
    height: whole(LIMITS.media.dimension),
    x: whole(LIMITS.media.offset),
    y: whole(LIMITS.media.offset),
    aspect: z
      .string()
      .regex(/^[1-9]\d*:[1-9]\d*$/)
      .optional(),
    fit: z.enum(['cover', 'contain', 'fill']).optional(),
    gravity: z.enum(['center', 'north', 'south', 'east', 'west']).optional(),
    format: z.enum(MEDIA_FORMATS).optional(),
    quality: within(LIMITS.media.quality),
    targetKb: within(LIMITS.media.targetKb),
    start: within(LIMITS.media.timeSeconds),
    end: within(LIMITS.media.timeSeconds),
  })
  .meta({ id: 'MediaRequest' });
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
    prepare: MediaRequest.optional(),
  })
  .meta({ id: 'FileRule' });
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
  .meta({ id: 'Confirm' });
export type Confirm = z.infer<typeof Confirm>;

/** One tool of the MCP server that the app offers to the agent. */
export const Tool = z
  .object({
    id: z
      .string()
      .max(LIMITS.tool.id)
      .regex(/^[a-z][a-z0-9_]*$/)
      .describe("The MCP server's own name for the tool."),
    name: z.string().min(1).max(LIMITS.tool.name),
    description: z
      .string()
      .min(1)
      .max(LIMITS.tool.description)
      .describe('What the agent reads to choose the tool; it wins over what the server says.'),
    files: z
      .record(z.string().regex(/^[a-z0-9_]+$/), FileRule)
      .optional()
      .describe('File rule per argument name.'),
    confirm: Confirm.optional(),
    account: z.string().optional().describe('Id of the account whose token the call carries.'),
  })
  .meta({ id: 'Tool' });
export type Tool = z.infer<typeof Tool>;

/** A web page of the app that the client shows in a sandbox. */
export const Panel = z
  .object({
    id: z.string().min(1).max(LIMITS.panel.id),
    title: z.string().min(1).max(LIMITS.panel.title),
    component: z.literal('webview'),
    icon: z.string().optional().describe('`branding` uses the mark.'),
    config: z
      .object({ entry: BundlePath.optional() })
      .optional()
      .describe('`entry` is the page; `ui/index.html` by default.'),
    views: z
      .array(z.object({ id: z.string(), label: z.string() }))
      .optional()
      .describe('Tabs in the header.'),
  })
  .meta({ id: 'Panel' });
export type Panel = z.infer<typeof Panel>;

/** The page a panel opens when its manifest names none. */
export const DEFAULT_PANEL_ENTRY = 'ui/index.html';

/** A value the user sets for the app; read leniently. */
export const Setting = z
  .object({
    id: z.string(),
    label: z.string(),
    type: z.enum(['string', 'number', 'boolean', 'select']),
    default: z.union([z.string(), z.number(), z.boolean()]).optional(),
    options: z.array(z.string()).optional(),
  })
  .meta({ id: 'Setting' });

/** What the app adds to the client. */
export const Contributes = z
  .object({
    tools: z.array(Tool).optional(),
    panels: z.array(Panel).optional(),
    settings: z.array(Setting).optional(),
  })
  .meta({ id: 'Contributes' });
export type Contributes = z.infer<typeof Contributes>;
