import { type CallToolResult, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { type Board, MAX_TEXT, type Pin } from './board.ts';
import { BoardError } from './board-error.ts';
import { contactSheet, MAX_BYTES, readPicture } from './picture.ts';

/** Maximum number of pictures in one call, and on one contact sheet. */
const MAX_PICTURES = 20;
const MAX_ON_SHEET = 24;

/** A file as a client of svc sends it (docs/files.md). */
const HandedPicture = z.object({
  name: z.string().max(255),
  mimeType: z.string().max(100),
  data: z.base64().max(Math.ceil(MAX_BYTES / 3) * 4),
});

const Text = z.string().max(MAX_TEXT);
const Kind = z.enum(['note', 'picture']);

const text = (words: string): CallToolResult => ({ content: [{ type: 'text', text: words }] });

const listPins = (pins: Pin[], none: string): CallToolResult => ({
  ...text(pins.length === 0 ? none : JSON.stringify(pins)),
  structuredContent: { pins },
});

/** Returns an expected error to the agent, so that it can correct its call. The SDK hides unexpected errors. */
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
    ({ kind }) => orProblem(() => listPins(board.list(kind), 'The board is empty.')),
  );
  server.registerTool(
    'search_pins',
    {
      description: 'Finds pins by words of their text, newest first.',
      inputSchema: z.object({ words: z.string().min(1).max(200) }),
      annotations: { readOnlyHint: true },
    },
    ({ words }) => orProblem(() => listPins(board.search(words), 'No pin has these words.')),
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
    (given) => orProblem(() => listPins([board.pinNote(given.text)], '')),
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
        // All pictures are checked before one is pinned; one after another, because decoding needs much memory.
        const pictures = [];
        for (const { data } of given.pictures) pictures.push(await readPicture(Buffer.from(data, 'base64')));
        return listPins(board.pinPictures(pictures, given.text), '');
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

/** The MCP tools of a board. Their names are those in `plugin.json`, whose descriptions replace these for an agent. */
export function toolsOf(board: Board): McpServer {
  const server = new McpServer({ name: 'pinboard', version: '1.0.0' });
  addReadingTools(server, board);
  addWritingTools(server, board);
  return server;
}
