import { setTimeout as sleep } from 'node:timers/promises';
import type { MediaRequest } from '@svc/contracts';
import { packedSample, png, sampleManifest } from '@svc/testkit';
import { createPrepare, type Media } from '../../../packages/runtime/src/media/prepare.ts';
import { RuntimeError } from '../../../packages/runtime/src/platform/runtime-error.ts';
import { heic } from '../../../packages/runtime/test/support/heic.ts';
import { bmp, noise, photograph } from '../../../packages/runtime/test/support/pictures.ts';
import { mov, wav } from '../../../packages/runtime/test/support/recordings.ts';
import { type Arena, experimentIn, newApp, publishFirst, versionsOf } from '../arena.ts';
import { bundleOf, type Ref } from '../client.ts';
import type { Experiment, Outcome, Setup } from '../outcome.ts';
import type { Random } from '../random.ts';

const MAX_EDITS = 6;
const MAX_LENGTH = 2_000;
const CONCURRENT = 4;

/** A file with some bits flipped, bytes cut out, or bytes copied to another place. */
function damaged(file: Uint8Array, { below, of }: Random): Uint8Array {
  let bytes = Buffer.from(file);
  for (let edits = 1 + below(MAX_EDITS); edits > 0; edits -= 1) {
    const [at, to] = [below(bytes.length + 1), below(bytes.length + 1)];
    const length = below(of([2, 16, MAX_LENGTH]));
    const kind = of(['flip', 'flip', 'cut', 'copy'] as const);
    if (kind === 'flip' && at < bytes.length) bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << below(8)), at);
    if (kind === 'cut') bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)]);
    if (kind === 'copy')
      bytes = Buffer.concat([bytes.subarray(0, to), bytes.subarray(at, at + length), bytes.subarray(to)]);
  }
  return bytes;
}

/** A damaged bundle, or a bundle with a damaged picture, mark or manifest. */
function hostileBundle(ref: Ref, random: Random): Uint8Array {
  const assets = { ...sampleManifest().branding, screenshots: ['assets/one.png'] };
  const { appId: id, version } = ref;
  const picture = png(64 + random.below(64), 64, random.below(256));
  const parts = [
    () => damaged(bundleOf(ref), random),
    () => packedSample({ id, version, branding: assets }, { 'assets/one.png': damaged(picture, random) }),
    () =>
      packedSample(
        { id, version, branding: { ...assets, screenshots: ['assets/one.svg'] } },
        { 'assets/one.svg': damaged(Buffer.from(SVG), random) },
      ),
  ];
  return random.of(parts)();
}

const SVG = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><defs><linearGradient id="a"><stop offset="0"
stop-color="red"/></linearGradient></defs><style>rect{fill:url(#a)}</style><rect width="64" height="64" rx="8"/>
<path d="M0 0C10 20 30 40 50 60z" transform="rotate(45)"/></svg>`;

const reported = (counts: ReadonlyMap<string | number, number>): string =>
  [...counts].map(([what, times]) => `${times} × ${what}`).join(', ');

const increment = <K>(counts: Map<K, number>, key: K) => counts.set(key, (counts.get(key) ?? 0) + 1);

/** Uploads hostile bundles. @returns failures */
async function attackStore(arena: Arena, { random, count }: Setup): Promise<Outcome> {
  const app = newApp();
  await publishFirst(arena.client, app);
  const next = versionsOf(app);
  const statuses = new Map<number, number>();
  const failures: string[] = [];
  let sent = 0;
  const work = async () => {
    while (sent < count && !arena.store.isGone()) {
      sent += 1;
      const { status } = await arena.client.upload(hostileBundle(next(), random), { connection: 'close' });
      increment(statuses, status);
      if (status === 500) failures.push('a bundle was answered 500');
      if (status === 0) failures.push('a connection ended without a response');
      if (status === 429) await sleep(1_000);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT }, work));
  if (arena.store.isGone()) failures.push(`the store died: ${arena.store.said().slice(-500)}`);
  const { status } = await arena.client.upload(bundleOf(next()));
  if (status !== 201) failures.push(`an upload afterwards returned ${status}`);
  return {
    counts: `${sent} bundles (${reported(statuses)})`,
    failures: [...failures, ...arena.store.faults()],
  };
}

const PREPARATIONS: readonly MediaRequest[] = [
  { op: 'compress', targetKb: 10 },
  { op: 'compress', quality: 40 },
  { op: 'convert', format: 'webp' },
  { op: 'convert', format: 'mp3' },
  { op: 'convert', format: 'ogg' },
  { op: 'resize', width: 20 },
  { op: 'crop', aspect: '1:1' },
  { op: 'trim', start: 0.1, end: 0.4 },
];

const { signal } = new AbortController();

/** Originals of every kind of decoder: pictures, and recordings with and without compression. */
async function originals(prepare: Media) {
  const sound = { bytes: wav(1), type: 'audio/wav' };
  const encoded = (['mp3', 'ogg', 'm4a'] as const).map((format) =>
    prepare(sound, { op: 'convert', format }, signal),
  );
  return [
    { bytes: await photograph('jpeg'), type: 'image/jpeg' },
    { bytes: await photograph('webp'), type: 'image/webp' },
    { bytes: await noise(), type: 'image/png' },
    { bytes: heic(), type: 'image/heic' },
    { bytes: bmp(40, 20), type: 'image/bmp' },
    sound,
    { bytes: await mov(1), type: 'video/quicktime' },
    ...(await Promise.all(encoded)),
  ];
}

/** Prepares damaged files as an embedding client does, in this process: only a process of the codecs may end. */
async function attackClient({ random, count }: Setup): Promise<Outcome> {
  const prepare = createPrepare({ sleep: (ms, stop) => sleep(ms, undefined, { signal: stop, ref: false }) });
  const results = new Map<string, number>();
  const failures: string[] = [];
  try {
    const files = await originals(prepare);
    for (let n = 0; n < count; n += 1) {
      const { bytes, type } = random.of(files);
      const made = await prepare(
        { bytes: damaged(bytes, random), type },
        random.of(PREPARATIONS),
        signal,
      ).catch((error: unknown) => error);
      const isRefused = made instanceof RuntimeError;
      if (made instanceof Error && !isRefused) failures.push(String(made.stack));
      increment(
        results,
        isRefused && made.message.includes('codec failed')
          ? 'a codec process ended'
          : isRefused
            ? 'refused'
            : 'prepared',
      );
    }
  } finally {
    await prepare.close();
  }
  return { counts: `${count} files prepared by a client (${reported(results)})`, failures };
}

const run = (setup: Setup): Promise<Outcome> =>
  experimentIn(setup.backend, async (arena) => {
    const parts = [await attackStore(arena, setup), await attackClient(setup)];
    return {
      counts: parts.map(({ counts }) => counts).join('; '),
      failures: parts.flatMap(({ failures }) => failures),
    };
  });

/** Damaged bundles for a store, and damaged pictures and recordings for a client. `count` is the files for each. */
export const files: Experiment = { name: 'files', backends: ['sqlite'], count: 1_000, run };
