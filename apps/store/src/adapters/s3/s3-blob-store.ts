import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { BlobStore, ByteRange, StagedBlob } from '../../platform/blob-store.ts';
import { UnavailableError } from '../../platform/unavailable-error.ts';
import { isBlobName, shardPath } from '../blob-name.ts';
import { makeFolder, removeOlder, spoolToFile } from '../disk/spool-to-file.ts';
import { streamFile } from '../disk/stream-file.ts';
import { readText, xmlValue, xmlValues } from './answer-text.ts';
import {
  type Ask,
  createS3Client,
  type S3Client,
  type S3Settings,
  TIMEOUTS,
  type Timeouts,
} from './s3-client.ts';
import { counted, untilSilent, verified } from './verified-stream.ts';

export type S3BlobStoreOptions = {
  settings: S3Settings;
  /** Folder for files that are being uploaded. */
  incoming: string;
  /** Creates a unique name for a temporary file. */
  newName(): string;
  timeouts?: Timeouts;
  /** Keys asked for at a time. */
  pageSize?: number;
};

/** The most that S3 lists at a time. */
const PAGE_SIZE = 1000;

/** One page of the keys that begin with a prefix, in their order. */
async function listPage(client: S3Client, query: Record<string, string>) {
  const ask: Ask = {
    method: 'GET',
    key: '',
    query: { 'list-type': '2', 'encoding-type': 'url', ...query },
    accept: [200],
  };
  const text = await client.send(ask, readText);
  // What answers 200 to everything, such as a web page, is no S3, and must not be taken for an empty one.
  if (!text.includes('<ListBucketResult'))
    throw new UnavailableError('The endpoint does not respond like S3: check it.');
  const keys = xmlValues(text, 'Key').map(decodeURIComponent);
  return { keys, truncated: xmlValue(text, 'IsTruncated') === 'true' };
}

/** All keys that begin with a prefix. */
async function* keysUnder(client: S3Client, prefix: string, pageSize: number): AsyncGenerator<string> {
  let after: string | undefined;
  for (;;) {
    // From the last key on instead of by a continuation token: the token is text in XML, with entities in it.
    const from = after === undefined ? {} : { 'start-after': after };
    const { keys, truncated } = await listPage(client, { prefix, 'max-keys': String(pageSize), ...from });
    yield* keys;
    const last = keys.at(-1);
    if (!truncated) return;
    if (last === undefined || last === after) throw new UnavailableError('S3 lists without an end.');
    after = last;
  }
}

/** The metadata of an object; null when there is none. */
const infoOf = (client: S3Client, key: string): Promise<{ size: number; keptAt: Date } | null> =>
  client.send({ method: 'HEAD', key, accept: [200, 404] }, ({ status, headers }) => {
    if (status === 404) return null;
    const size = Number(headers.get('content-length') ?? Number.NaN);
    return { size, keptAt: new Date(headers.get('last-modified') ?? Number.NaN) };
  });

/** A part that S3 took from elsewhere would be of the right length, and wrong (RFC 9110 section 14.4). */
function requirePart(
  { headers }: Response,
  controller: AbortController,
  { part, size }: { part: ByteRange; size: number },
): void {
  const given = headers.get('content-range');
  const asked = `bytes ${part.offset}-${part.offset + part.length - 1}/${size}`;
  if (given === asked) return;
  controller.abort();
  throw new UnavailableError(`S3 was asked for ${asked} and sent ${given ?? 'no range'}.`);
}

/** Uploads bytes and verifies that they have arrived: only then may a row refer to them. */
async function upload(client: S3Client, key: string, content: NonNullable<Ask['content']>): Promise<void> {
  await client.send({ method: 'PUT', key, content, accept: [200] }, readText);
  const held = await infoOf(client, key);
  if (held?.size !== content.size)
    throw new UnavailableError(`S3 took ${content.size} bytes and holds ${held?.size ?? 'none'}.`);
}

/** What checks bytes as they pass: all of a blob by its hash, a part of one by where S3 says it lies, and how long it is. */
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
 * Blobs as objects `blobs/ab/abcd…` of a bucket. An upload is a local file first, which the checks need anyway.
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
      const text = await readText(response);
      return response.status === 404 ? null : text;
    });
  const writeNote = (name: string, text: string): Promise<void> => {
    const sha256 = createHash('sha256').update(text).digest('hex');
    return upload(client, prefix + name, { sha256, size: Buffer.byteLength(text), open: () => text });
  };

  return {
    async stage(source, limit): Promise<StagedBlob | null> {
      const file = join(incoming, newName());
      const taken = await spoolToFile(source, file, limit);
      if (!taken) return null;
      const { sha256, size, handle } = taken;
      await handle.close();
      const open = () => streamFile(file, { offset: 0, length: size });
      return {
        sha256,
        size,
        file,
        // An upload is begun when it is known that the bytes are wanted, not before.
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
            // For the client that got the address, and no longer than it is valid.
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
        // What others put into the bucket is not ours to list, and so never ours to remove.
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
    keptList: () => readNote('revocations'),
    keepList: (list) => writeNote('revocations', list),
  };
}
