import type { CallToolResult, Tool as ServerTool } from '@modelcontextprotocol/client';
import { MediaRequest, type Tool } from '@svc/contracts';
import { z } from 'zod';
import { typeOfFile } from '../files/file-type.ts';
import { nameFor } from '../files/safe-name.ts';
import { createPrepare } from '../media/prepare.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { System } from '../platform/system.ts';
import { type BuiltInApp, builtInApp } from './built-in-app.ts';

/** The arguments of each operation in addition to the file, and its description for agents. */
const OPERATIONS = {
  resize: {
    name: 'Resize a picture',
    description: 'Resizes a picture to a width, a height, or both.',
    takes: MediaRequest.pick({ width: true, height: true, fit: true, gravity: true }),
  },
  crop: {
    name: 'Crop a picture',
    description: 'Cuts a part out of a picture: by width and height, or to an aspect such as 16:9.',
    takes: MediaRequest.pick({ width: true, height: true, x: true, y: true, aspect: true, gravity: true }),
  },
  convert: {
    name: 'Convert a file',
    description: 'Converts a picture or a recording to another format.',
    takes: MediaRequest.pick({ format: true, quality: true }).required({ format: true }),
  },
  compress: {
    name: 'Compress a file',
    description: 'Makes a picture or a recording smaller: by quality, or to a size in kilobytes.',
    takes: MediaRequest.pick({ quality: true, targetKb: true }),
  },
  trim: {
    name: 'Trim a recording',
    description: 'Keeps the part of a recording between two times, in seconds.',
    takes: MediaRequest.pick({ start: true, end: true }),
  },
} as const;

type Operation = keyof typeof OPERATIONS;

const isOperation = (name: string): name is Operation => Object.hasOwn(OPERATIONS, name);

const APP = builtInApp({
  id: 'media',
  name: 'Media',
  version: '1.0.0',
  description: 'Resizes, crops, converts, compresses and trims pictures and recordings on this computer.',
  permissions: ['Reads the files that it receives, and stores the converted files.'],
  grants: ['files:receive', 'files:return', 'host:media'],
  contributes: {
    tools: Object.entries(OPERATIONS).map(
      ([id, { name, description }]): Tool => ({ id, name, description, files: { file: {} } }),
    ),
  },
});

/** A picture, with a hill and a sun in it. */
const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 512 512"><rect width="512" height="512" rx="96" fill="#3b5bdb"/><rect x="96" y="128" width="320" height="256" rx="24" fill="#fff"/><circle cx="184" cy="208" r="32" fill="#ffd43b"/><path d="M120 360l96-112 64 64 48-48 64 96z" fill="#2f9e44"/></svg>`;

const TOOLS: readonly ServerTool[] = Object.entries(OPERATIONS).map(([name, { takes }]) => {
  const { properties, required } = z.toJSONSchema(takes, { io: 'input' });
  return {
    name,
    inputSchema: { type: 'object', ...(properties && { properties }), ...(required && { required }) },
    annotations: { readOnlyHint: true, openWorldHint: false },
  } as ServerTool;
});

/** A file, as the runtime passes it. */
const File = z.object({ name: z.string(), data: z.string() });

function requestOf(op: Operation, args: Readonly<Record<string, unknown>>) {
  const file = File.safeParse(args.file);
  if (!file.success) throw new RuntimeError('file-refused', 'The argument file takes one file.');
  const { file: _file, ...rest } = args;
  const request = OPERATIONS[op].takes.safeParse(rest);
  const [fault] = request.error?.issues ?? [];
  if (fault) throw new RuntimeError('invalid-arguments', `${fault.path.join('.')}: ${fault.message}`);
  const { name, data } = file.data;
  return { name, bytes: Buffer.from(data, 'base64'), request: { op, ...request.data } as MediaRequest };
}

/**
 * The built-in app `media`, which apps can require: media operations on files from the user or an agent. No data leaves this
 * computer.
 */
export function createMediaApp(system: Pick<System, 'sleep'>): BuiltInApp {
  const own = { prepare: createPrepare(system) };
  return {
    app: APP,
    icon: ICON,
    tools: TOOLS,
    async call(tool, args, signal, { prepare } = own): Promise<CallToolResult> {
      if (!isOperation(tool)) throw new RuntimeError('unknown-tool');
      const { name, bytes, request } = requestOf(tool, args);
      const prepared = await prepare({ bytes, type: await typeOfFile(bytes, name) }, request, signal);
      const uri = `built-in:media/${encodeURIComponent(nameFor(name, prepared.type))}`;
      const blob = Buffer.from(prepared.bytes).toString('base64');
      return { content: [{ type: 'resource', resource: { uri, mimeType: prepared.type, blob } }] };
    },
  };
}
