import { LIMITS } from '@svc/contracts';
import { CLOCK_FACTOR } from '../../apps/store/src/adapters/worker/thread-pool.ts';
import { type InspectionQueue, UPLOAD_BOUNDS } from '../../apps/store/src/core/publishing/bounds.ts';
import { withBlocks } from './block.ts';

const { bodies, drawings, pace, spoolBytes, threads, share, heapMb, picturesMs, queues, overrunUploads } =
  UPLOAD_BOUNDS;
const { perDeveloper, windowMs } = LIMITS.uploads;

const UNITS = [
  ['GiB', 2 ** 30],
  ['MiB', 2 ** 20],
  ['KiB', 2 ** 10],
] as const;

/** A size in the largest unit that gives a whole number. */
function size(bytes: number): string {
  const [unit, factor] = UNITS.find(([, unitBytes]) => bytes % unitBytes === 0) ?? ['bytes', 1];
  return `${bytes / factor} ${unit}`;
}

const seconds = (ms: number): string => `${ms / 1000} seconds`;

const RATE = `${perDeveloper} per ${windowMs / 60_000} minutes`;
const PACE = `${size(pace.bytesPerSecond)} per second, on average over each ${seconds(pace.windowMs)} after the first ${pace.graceMs / 1000}`;

const places = (gate: typeof bodies, kind: 'active' | 'waiting'): string =>
  `${gate[kind]} in total, ${gate.perAccount[kind]} per account, ${gate.perNetwork[kind]} per network`;

const table = (rows: readonly (readonly [string, ...string[]])[]): string =>
  rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n');

function queueRow({
  name,
  costMs,
  zipBytes,
  timeMs,
  waiting,
  waitingPerAccount,
}: InspectionQueue): [string, ...string[]] {
  const cost = Number.isFinite(costMs) ? `${costMs} ms` : 'any';
  return [name, size(zipBytes), cost, seconds(timeMs), `${waiting}, ${waitingPerAccount} per account`];
}

/** All limits, for operators and auditors. */
const forOperators = (): string =>
  [
    table([
      ['what', 'limit'],
      ['---', '---'],
      [
        'uploads of a developer, accepted or not; `uploadQuota` of the [policy](../policy.md) changes it',
        RATE,
      ],
      ['cost of an upload whose inspection exceeds its time or memory', `${overrunUploads} uploads`],
      ['a bundle', size(LIMITS.bundle.bytes)],
      ['request bodies read concurrently', places(bodies, 'active')],
      ['queued requests, whose bodies are not read yet', places(bodies, 'waiting')],
      [
        'bytes of bodies processed per turn of the event loop; accounts that sent the least recently come first',
        size(share.perTurn),
      ],
      [
        'bytes of bodies processed per second, and burst after a quiet time',
        `${size(share.perSecond)}, ${size(share.burst)}`,
      ],
      ['bytes on disk of all unfinished uploads', size(spoolBytes)],
      ['checking the manifest and its images', seconds(picturesMs)],
      ['icons and marks queued for rendering, one at a time', places(drawings, 'waiting')],
      ['heap of an inspection thread', `${heapMb} MB`],
    ]),
    '',
    `Minimum transfer rate of a body: ${PACE}.`,
    '',
    `Each queue has ${threads} threads, or half the number of processors if that is more; one account can use all but one of them.`,
    ...queues
      .filter(({ spareAfterMs }) => spareAfterMs > 0)
      .map(
        ({ name, spareAfterMs }) =>
          `In the queue *${name}*, all threads but the first start when a bundle has waited for ${seconds(spareAfterMs)}.`,
      ),
    `Times are CPU time of the inspection thread; wall-clock time may be ${CLOCK_FACTOR} times as long, so that a busy machine does not refuse a legitimate bundle.`,
    '',
    table([
      ['queue', 'zip', 'expected cost', 'time', 'waiting'],
      ['---', '---', '---', '---', '---'],
      ...queues.map(queueRow),
    ]),
  ].join('\n');

/** The limits that developers meet. */
const forDevelopers = (): string =>
  [
    `- ${RATE} and developer, accepted or not; the \`RateLimit\` fields of each response show the remaining quota.`,
    `- ${bodies.perAccount.active} concurrent uploads and ${bodies.perAccount.waiting} queued ones; beyond that, 429 with \`Retry-After\`.`,
    `- Minimum transfer rate: ${PACE}; otherwise 408 \`upload_too_slow\`.`,
    `- Checks may take ${seconds(queues[0].timeMs)} of CPU time for a small bundle and ${seconds(queues.at(-1)?.timeMs ?? 0)} for the largest, including ${seconds(picturesMs)} for the images of \`branding\`; otherwise 422 with the issue \`check.timeout\`, and the upload counts as ${overrunUploads}.`,
  ].join('\n');

/** Generates the upload limits in the documents from the code. */
export const generateUploadBounds = async (): Promise<Map<string, string>> =>
  new Map([
    await withBlocks('docs/reference/upload-limits.md', { 'upload bounds': forOperators() }),
    await withBlocks('docs/publishing.md', { 'upload bounds': forDevelopers() }),
  ]);
