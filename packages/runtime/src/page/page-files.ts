import { readdir, readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { contentType } from 'mime-types';

/** The folder of the page's files, and the source of the panels that it may frame. */
export type PageFiles = { folder: URL; panelSource(): string };

const nameIn = (address: string): string => (address === '/' ? 'index.html' : address.slice(1));

/** Allows only files of the page and panels; no inline styles, and no other page may frame it. */
const policyFor = (panelSource: string): string =>
  `default-src 'self'; frame-src ${panelSource}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** Serves the files directly in a folder, not those of subfolders, with a policy that blocks inline scripts. */
export async function servePageFile(
  { folder, panelSource }: PageFiles,
  { url = '/', method }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const [address = ''] = url.split('?');
  const name = nameIn(address);
  // The name must be one of the folder's entries, so that no path leaves the folder.
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
