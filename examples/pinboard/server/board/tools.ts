import { type CallToolResult, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { type Board, MAX_TEXT, type Pin } from './board.ts';
import { BoardError } from './board-error.ts';
import { contactSheet, MAX_BYTES, readPicture } from './picture.ts';

/** Pictures of one call, and on one contact sheet. */
const MAX_PICTURES = 20;
const MAX_ON_SHEET = 24;

/** A file as a client of svc hands it over (docs/files.md). */
const HandedPicture = z.object({
  name: z.string().max(255),
  mimeType: z.string().max(100),
  data: z.base64().max(Math.ceil(MAX_BYTES / 3) * 4),
});

const Text = z.string().max(MAX_TEXT);
const Kind = z.enum(['note', 'picture']);

const text = (words: string): CallToolResult => ({ content: [{ type: 'text', text: words }] });

const told = (pins: Pin[], none: string): CallToolResult => ({
  ...text(pins.length === 0 ? none : JSON.stringify(pins)),
  structuredContent: { pins },
});

/** Tells an agent what is wrong with what it asked, so that it can ask better. Faults of ours are for the SDK to hide. */
async function orProblem(work: () => CallToolResult | Promise<CallToolResult>): Promise<CallToolResult> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof BoardError) return { ...text(error.message), isError: true };
    throw error;
  }
}

function addReadingTools(server: McpServer, board: Board): void {
  server.registerTool(
    'list_pins',
    {
      description: 'Lists what is on the board, newest first.',
      inputSchema: z.object({ kind: Kind.optional() }),
      annotations: { readOnlyHint: true },
    },
    ({ kind }) => orProblem(() => told(board.list(kind), 'The board is empty.')),
  );
  server.registerTool(
    'search_pins',
    {
      description: 'Finds pins by words of their text, newest first.',
      inputSchema: z.object({ words: z.string().min(1).max(200) }),
      annotations: { readOnlyHint: true },
    },
    ({ words }) => orProblem(() => told(board.search(words), 'No pin has these words.')),
  );
  server.registerTool(
    'contact_sheet',
    {
      description: 'Draws the newest pictures of the board side by side, as one picture.',
      inputSchema: z.object({ columns: z.int().min(1).max(6).default(4) }),
      annotations: { readOnlyHint: true },
    },
    ({ columns }) =>
      orProblem(async () => {
        const pins = board.list('picture').slice(0, MAX_ON_SHEET);
        if (pins.length === 0) return text('There are no pictures on the board.');
        const sheet = await contactSheet(
          pins.map(({ id }) => board.picture(id)),
          columns,
        );
        return { content: [{ type: 'image', data: sheet.toString('base64'), mimeType: 'image/png' }] };
      }),
  );
}

function addWritingTools(server: McpServer, board: Board): void {
  server.registerTool(
    'pin_note',
    { description: 'Pins a note to the board.', inputSchema: z.object({ text: Text }) },
    (given) => orProblem(() => told([board.pinNote(given.text)], '')),
  );
  server.registerTool(
    'pin_pictures',
    {
      description: 'Pins pictures to the board, with the same words under each.',
      inputSchema: z.object({
        pictures: z.array(HandedPicture).min(1).max(MAX_PICTURES),
        text: Text.default(''),
      }),
    },
    (given) =>
      orProblem(async () => {
        // All are looked at before one is pinned. One after the other, as each may take much memory while it is decoded.
        const pictures = [];
        for (const { data } of given.pictures) pictures.push(await readPicture(Buffer.from(data, 'base64')));
        return told(board.pinPictures(pictures, given.text), '');
      }),
  );
  server.registerTool(
    'remove_pin',
    {
      description: 'Removes a pin from the board, for good.',
      inputSchema: z.object({ id: z.string().max(64) }),
      annotations: { destructiveHint: true },
    },
    ({ id }) =>
      orProblem(() => {
        board.remove(id);
        return text('Removed.');
      }),
  );
}

/** The tools of one board. Their names are those of `plugin.json`, whose descriptions an agent is shown in place of these. */
export function toolsOf(board: Board): McpServer {
  const server = new McpServer({ name: 'pinboard', version: '1.0.0' });
  addReadingTools(server, board);
  addWritingTools(server, board);
  return server;
}
