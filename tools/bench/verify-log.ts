import { spawn } from 'node:child_process';
import { createPublicKey } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { LogEntry } from '@svc/contracts';
import {
  appendEntries,
  EMPTY_EDGE,
  EMPTY_ROOT,
  encodeEntries,
  encodeEntry,
  formatCheckpoint,
  formatNote,
  noteKey,
  publishedEntry,
  reasonHashOf,
  rootOfEdge,
  signNote,
  TILE_WIDTH,
  tileOf,
  tilePath,
} from '@svc/log';
import { generateSigningKeyPem, readSigningKey, signFacts } from '@svc/signing';
import type { Figure } from './lib/figure.ts';
import { inTempFolder, ROOT } from './lib/processes.ts';

/** Entries of the verified log; fewer to test the measurement itself. */
const ENTRIES = Number(process.env.SVC_BENCH_LOG_ENTRIES ?? 1_000_000);

/** Of the entries of an app: 49 versions, and a yank of the last one. */
const OF_APP = 50;

const AT = '2026-01-01T00:00:00.000Z';
const key = readSigningKey(generateSigningKeyPem());
const PUBLIC = { keyId: key.keyId, publicKeyPem: key.publicKeyPem };

function entryOf(index: number, publisher: string): LogEntry {
  if (index === 0) return { kind: 'key-added', key: { ...PUBLIC, createdAt: AT } };
  const appId = `com.example.app${Math.floor(index / OF_APP)}`;
  const version = `1.${index % OF_APP}.0`;
  if (index % OF_APP === OF_APP - 1 && index > OF_APP)
    return {
      kind: 'yanked',
      appId,
      version: `1.${OF_APP - 2}.0`,
      at: AT,
      reasonSha256: reasonHashOf(appId),
      by: [],
    };
  const grants = ['files.read', 'notifications.show'];
  const domains = ['api.example.com', 'files.example.com'];
  const facts = {
    appId,
    version,
    sha256: reasonHashOf(appId),
    publishedAt: AT,
    grants,
    domains,
    accounts: [],
  };
  return publishedEntry(facts, signFacts(facts, key), { publisher, by: ['0'.repeat(32)] });
}

/** A log: its entries, and from which on it is of another history. */
type Log = { size: number; forkAt: number };

/** Writes the bundles of a log. @returns its checkpoint */
function writeLog(folder: string, origin: string, { size, forkAt }: Log): string {
  let edge = EMPTY_EDGE;
  for (let index = 0; index * TILE_WIDTH < size; index += 1) {
    const tile = tileOf('entries', index, size);
    if (!tile) break;
    const entries = Array.from({ length: tile.width }, (_, at) => {
      const place = index * TILE_WIDTH + at;
      return encodeEntry(entryOf(place, place < forkAt ? 'example' : 'other'));
    });
    const file = join(folder, tilePath(tile));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, encodeEntries(entries));
    edge = appendEntries(edge, entries).edge;
  }
  const text = formatCheckpoint({ origin, size, root: rootOfEdge(edge) ?? EMPTY_ROOT });
  const signer = noteKey(origin, createPublicKey(key.publicKeyPem));
  return formatNote({ text, signatures: [signNote(text, signer, key.privateKey)] });
}

/** Serves a log and an empty catalogue. @param served may be changed later */
async function serve(served: { folder: string; checkpoint: string }) {
  const answers: Record<string, string> = {
    '/api/apps/public-key': JSON.stringify(PUBLIC),
    '/api/apps/public-keys': JSON.stringify({ keys: [{ ...PUBLIC, createdAt: AT }] }),
    '/api/apps/catalog': JSON.stringify({ apps: [], nextCursor: null, total: 0 }),
  };
  const server = createServer(async ({ url = '' }, response) => {
    const body =
      url === '/checkpoint'
        ? served.checkpoint
        : (answers[url] ?? (await readFile(join(served.folder, url)).catch(() => null)));
    response.writeHead(body === null ? 404 : 200, { 'Content-Type': 'application/json' }).end(body ?? '');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}

/** Prints the peak memory of a process in KiB when it ends. */
const PEAK = `data:text/javascript,process.on('exit',()=>process.stderr.write('peak%20'+process.resourceUsage().maxRSS))`;

/** Runs `svc log` against a store. */
async function svcLog(folder: string, url: string, ...more: string[]) {
  const words = ['--import', PEAK, join(ROOT, 'apps/cli/bin/svc.js'), 'log', '--store', url, ...more];
  const env = { PATH: process.env.PATH, HOME: folder, XDG_CONFIG_HOME: folder };
  const begun = performance.now();
  const child = spawn(process.execPath, words, { env });
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { out, err, code, ms: performance.now() - begun };
}

/** The log whose fork is looked for: its entries, and the first of the other history. */
const SPLIT = { size: 10_000, forkAt: 5_000 };

/** A store shows another history than before, with right signatures: how long a monitor that has a checkpoint takes to say so. */
export function splitView(): Promise<Figure> {
  return inTempFolder(async (folder) => {
    const [honest, other] = [join(folder, 'honest'), join(folder, 'other')];
    const served = {
      folder: honest,
      checkpoint: writeLog(honest, 'store.example', { ...SPLIT, forkAt: SPLIT.size }),
    };
    const { url, close } = await serve(served);
    const kept = ['--checkpoint', join(folder, 'kept.checkpoint')];
    const first = await svcLog(folder, url, ...kept);
    served.checkpoint = writeLog(other, 'store.example', { ...SPLIT, size: SPLIT.size + 1 });
    served.folder = other;
    const { out, err, code, ms } = await svcLog(folder, url, ...kept);
    close();
    if (first.code !== 0 || code === 0 || !err.includes('another history'))
      throw new Error(`${first.err}${out}${err}`);
    return {
      name: `A fork of a log of ${SPLIT.size} entries, from served to found by \`svc log --checkpoint\``,
      measured: 'one process, which reads the log from its beginning',
      value: ms / 1_000,
      unit: ' s',
      bound: { most: 30 },
    };
  });
}

/** `svc log` of a log of a million entries, over HTTP: every signature, every act, the root. */
export function verifyLog(): Promise<Figure[]> {
  return inTempFolder(async (folder) => {
    const { url, close } = await serve({
      folder,
      checkpoint: writeLog(folder, 'store.example', { size: ENTRIES, forkAt: ENTRIES }),
    });
    const { out, err, code, ms } = await svcLog(folder, url);
    const minutes = ms / 60_000;
    close();
    const peak = Number(/peak (\d+)/.exec(err)?.[1]) / 1_024;
    if (code !== 0 || !out.includes(`size ${ENTRIES}`)) throw new Error(`${out}${err}`);
    const name = `\`svc log\` of ${ENTRIES} entries over HTTP`;
    const rate = Math.round(ENTRIES / minutes / 60);
    return [
      {
        name: `${name}: time`,
        measured: `${rate} entries per second`,
        value: minutes,
        unit: ' min',
        bound: { most: 10 },
      },
      {
        name: `${name}: peak memory`,
        measured: 'one process',
        value: peak,
        unit: ' MiB',
        bound: { most: 768 },
      },
    ];
  });
}
