import { readdir, readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { contentType } from 'mime-types';

/** Where the files of a page are, and what may frame what on it. */
export type PageFiles = { folder: URL; panelSource(): string };

const nameIn = (address: string): string => (address === '/' ? 'index.html' : address.slice(1));

/** Nothing but files and panels; its styles are files, and no other page frames it. */
const policyFor = (panelSource: string): string =>
  `default-src 'self'; frame-src ${panelSource}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** Serves the files that lie in a folder, none of those in folders below it, with a policy in which no inline script runs. */
export async function servePageFile(
  { folder, panelSource }: PageFiles,
  { url = '/', method }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const [address = ''] = url.split('?');
  const name = nameIn(address);
  // The name must be one of the folder's own: no path leads out of it.
  const entries = await readdir(folder, { withFileTypes: true });
  const file = entries.find((entry) => entry.isFile() && entry.name === name);
  if (!file || method !== 'GET') return void response.writeHead(404).end();
  const bytes = await readFile(new URL(encodeURIComponent(name), folder));
  response.writeHead(200, {
    'Content-Type': contentType(name) || 'application/octet-stream',
    'Content-Security-Policy': policyFor(panelSource()),
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-cache',
  });
  response.end(bytes);
}
