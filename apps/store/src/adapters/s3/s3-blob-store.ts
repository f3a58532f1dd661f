import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { bytesOf } from '@svc/runtime/read-answer';
import type { BlobStore, ByteRange, StagedBlob } from '../../platform/blob-store.ts';
import { UnavailableError } from '../../platform/unavailable-error.ts';
import { isBlobName, shardPath, tileParts } from '../blob-name.ts';
import { makeFolder, removeOlder, spoolToFile } from '../disk/spool-to-file.ts';
import { streamFile } from '../disk/stream-file.ts';
import {
  type Ask,
  createS3Client,
  readText,
  readUpTo,
  type S3Client,
  type S3Settings,
  TIMEOUTS,
  type Timeouts,
  xmlValue,
  xmlValues,
} from './s3-client.ts';
import { counted, untilSilent, verified } from './verified-stream.ts';

/** Bytes of the largest tile: 256 entries, each of at most 64 KiB with its length (tlog-tiles, "Log entries"). */
const MAX_TILE_BYTES = 256 * 64 * 1024 + 512;

export type S3BlobStoreOptions = {
  settings: S3Settings;
  /** Folder for files that are being uploaded. */
  incoming: string;
  /** Creates a unique name for a temporary file. */
  newName(): string;
  timeouts?: Timeouts;
  /** Maximum keys of one list request. */
  pageSize?: number;
};

/** Maximum bytes of a record next to the blobs: a revocation list of half a million yanks. */
const MAX_NOTE_BYTES = 64 * 1024 * 1024;

/** The maximum that S3 returns for one list request. */
const PAGE_SIZE = 1000;

/** One page of the keys with a prefix, in their order. */
async function listPage(client: S3Client, query: Record<string, string>) {
  const ask: Ask = {
    method: 'GET',
    key: '',
    query: { 'list-type': '2', 'encoding-type': 'url', ...query },
    accept: [200],
  };
  const text = await client.send(ask, readText);
  // A server that is not S3, such as a website that answers 200 to every request, must not be treated as an empty bucket.
  if (!text.includes('<ListBucketResult'))
    throw new UnavailableError('The endpoint does not respond like S3: check it.');
  const keys = xmlValues(text, 'Key').map(decodeURIComponent);
  return { keys, truncated: xmlValue(text, 'IsTruncated') === 'true' };
}

/** All keys with a prefix, in their order. @param pageSize keys of one list request */
export async function* keysUnder(client: S3Client, prefix: string, pageSize: number): AsyncGenerator<string> {
  let after: string | undefined;
  for (;;) {
    // Continues after the last key instead of by a continuation token: the token is XML text that may contain entities.
    const from = after === undefined ? {} : { 'start-after': after };
    const { keys, truncated } = await listPage(client, { prefix, 'max-keys': String(pageSize), ...from });
    yield* keys;
    const last = keys.at(-1);
    if (!truncated) return;
    if (last === undefined || last === after) throw new UnavailableError('S3 lists without an end.');
    after = last;
  }
}

/** The metadata of an object; null when the object does not exist. */
const infoOf = (client: S3Client, key: string): Promise<{ size: number; keptAt: Date } | null> =>
  client.send({ method: 'HEAD', key, accept: [200, 404] }, ({ status, headers }) => {
    if (status === 404) return null;
    const size = Number(headers.get('content-length') ?? Number.NaN);
    return { size, keptAt: new Date(headers.get('last-modified') ?? Number.NaN) };
  });

/**
 * Checks the range of a response: a part from another offset would have the right length, but the wrong bytes (RFC 9110 section 14.4).
 */
function requirePart(
  { headers }: Response,
  controller: AbortController,
  { part, size }: { part: ByteRange; size: number },
): void {
  const received = headers.get('content-range');
  const requested = `bytes ${part.offset}-${part.offset + part.length - 1}/${size}`;
  if (received === requested) return;
  controller.abort();
  throw new UnavailableError(`S3 returned ${received ?? 'no range'} instead of ${requested}.`);
}

/** Uploads bytes, and verifies that S3 has them, before a row may refer to them. */
async function upload(client: S3Client, key: string, content: NonNullable<Ask['content']>): Promise<void> {
  await client.send({ method: 'PUT', key, content, accept: [200] }, readText);
  const stored = await infoOf(client, key);
  if (stored?.size !== content.size)
    throw new UnavailableError(`S3 took ${content.size} bytes and holds ${stored?.size ?? 'none'}.`);
}

/** The check of streamed bytes: a whole blob by its hash, a part by its range and its length. */
type Check = { part?: ByteRange; verify(body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> };

const wholeOf = (blob: { sha256: string; size: number }): Check => ({
  verify: (body) => verified(body, blob),
});

const partOf = (blob: { sha256: string; size: number }, part: ByteRange): Check => ({
  part,
  verify: (body) => counted(body, blob.sha256, part.length),
});

/** The bytes of an object, requested at the first read, and verified while they stream. */
async function* download(client: S3Client, key: string, size: number, check: Check, silenceMs: number) {
  const { part } = check;
  const ask: Ask = { method: 'GET', key, accept: [part ? 206 : 200], ...(part && { part }) };
  const body = await client.send(ask, (response, controller) => {
    if (part) requirePart(response, controller, { part, size });
    return untilSilent(response.body ?? ReadableStream.from([]), controller, silenceMs);
  });
  yield* check.verify(body);
}

/**
 * Blobs as objects `blobs/ab/abcd…` of a bucket. An upload is spooled to a local file first, which the checks need anyway.
 * @throws UnavailableError when the bucket cannot be used with these settings
 */
export async function openS3BlobStore(options: S3BlobStoreOptions): Promise<BlobStore> {
  const { settings, incoming, newName, timeouts = TIMEOUTS, pageSize = PAGE_SIZE } = options;
  const client = createS3Client(settings, timeouts);
  const prefix = `${settings.prefix}blobs/`;
  await listPage(client, { prefix, 'max-keys': '1' });
  await makeFolder(incoming);

  const keyOf = (sha256: string): string => `${prefix}${shardPath(sha256)}/${sha256}`;

  /** Metadata files that are stored next to the blobs. */
  const readNote = (name: string): Promise<string | null> =>
    client.send({ method: 'GET', key: prefix + name, accept: [200, 404] }, async (response) => {
      const text = await readUpTo(MAX_NOTE_BYTES)(response);
      return response.status === 404 ? null : text;
    });
  const writeNote = (name: string, text: string): Promise<void> => {
    const sha256 = createHash('sha256').update(text).digest('hex');
    return upload(client, prefix + name, { sha256, size: Buffer.byteLength(text), open: () => text });
  };

  const tileKey = (path: string): string => `${settings.prefix}log/${tileParts(path).join('/')}`;

  return {
    async stage(source, limit): Promise<StagedBlob | null> {
      const file = join(incoming, newName());
      const spooled = await spoolToFile(source, file, limit);
      if (!spooled) return null;
      const { sha256, size } = spooled;
      await spooled.close();
      const open = () => streamFile(file, { offset: 0, length: size });
      return {
        sha256,
        size,
        file,
        // The upload starts only when it is known that the bytes are needed.
        prepare: () => {},
        keep: () => upload(client, keyOf(sha256), { sha256, size, open }),
        discard: () => rm(file, { force: true }),
      };
    },
    async put(bytes) {
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      const open = () => bytes as Uint8Array<ArrayBuffer>;
      await upload(client, keyOf(sha256), { sha256, size: bytes.byteLength, open });
      return sha256;
    },
    async open(sha256) {
      const key = keyOf(sha256);
      const info = await infoOf(client, key);
      if (!info) return null;
      const blob = { sha256, size: info.size };
      return {
        ...info,
        address: (seconds, { mediaType, disposition }) =>
          client.addressOf(key, seconds, {
            'response-content-type': mediaType,
            'response-content-disposition': disposition,
            // Private, because the URL is for one client; and no longer than the URL is valid.
            'response-cache-control': 'private, no-store',
          }),
        stream: (part) => {
          const check = part ? partOf(blob, part) : wholeOf(blob);
          return ReadableStream.from(download(client, key, info.size, check, timeouts.answerMs));
        },
      };
    },
    async *list() {
      for await (const key of keysUnder(client, prefix, pageSize)) {
        const name = key.slice(key.lastIndexOf('/') + 1);
        // Skips objects that this store has not written, so that a sweep never removes them.
        if (isBlobName(name) && key === keyOf(name)) yield name;
      }
    },
    remove: (sha256) =>
      client.send(
        { method: 'DELETE', key: keyOf(sha256), accept: [200, 204] },
        async (response) => void (await readText(response)),
      ),
    sweepStaged: (before) => removeOlder(incoming, before),
    owner: () => readNote('owner'),
    claim: (owner) => writeNote('owner', owner),
    keptRecord: readNote,
    keepRecord: writeNote,
    tile: (path) =>
      client.send({ method: 'GET', key: tileKey(path), accept: [200, 404] }, async (response) => {
        const bytes = await bytesOf(response, MAX_TILE_BYTES);
        return response.status === 404 ? null : bytes;
      }),
    keepTile: (path, bytes) => {
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      const open = () => bytes as Uint8Array<ArrayBuffer>;
      return upload(client, tileKey(path), { sha256, size: bytes.byteLength, open });
    },
  };
}
