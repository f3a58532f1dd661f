import { LIMITS } from '@svc/contracts';
import { CLOCK_FACTOR } from '../../apps/store/src/adapters/worker/thread-pool.ts';
import { type Lane, UPLOAD_BOUNDS } from '../../apps/store/src/publishing/bounds.ts';
import { withBlocks } from './block.ts';

const { bodies, drawings, pace, spoolBytes, threads, turns, heapMb, picturesMs, lanes, overrunUploads } =
  UPLOAD_BOUNDS;
const { perDeveloper, windowMs } = LIMITS.uploads;

const UNITS = [
  ['GiB', 2 ** 30],
  ['MiB', 2 ** 20],
  ['KiB', 2 ** 10],
] as const;

/** A size in the largest unit of which it is a whole number. */
function size(bytes: number): string {
  const [unit, factor] = UNITS.find(([, one]) => bytes % one === 0) ?? ['bytes', 1];
  return `${bytes / factor} ${unit}`;
}

const seconds = (ms: number): string => `${ms / 1000} seconds`;

const RATE = `${perDeveloper} in ${windowMs / 60_000} minutes`;
const PACE = `${size(pace.bytesPerSecond)} a second, on average over each ${seconds(pace.windowMs)} after the first ${pace.graceMs / 1000}`;

const places = (gate: typeof bodies, kind: 'active' | 'waiting'): string =>
  `${gate[kind]} in all, ${gate.perAccount[kind]} of an account, ${gate.perNetwork[kind]} of a network`;

const table = (rows: readonly (readonly [string, ...string[]])[]): string =>
  rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n');

function laneRow({
  name,
  costMs,
  zipBytes,
  timeMs,
  waiting,
  waitingPerAccount,
}: Lane): [string, ...string[]] {
  const cost = Number.isFinite(costMs) ? `${costMs} ms` : 'any';
  return [name, size(zipBytes), cost, seconds(timeMs), `${waiting}, ${waitingPerAccount} of an account`];
}

/** For operators and auditors: all of it. */
const forSecurity = (): string =>
  [
    table([
      ['what', 'at most'],
      ['---', '---'],
      ['uploads of a developer, whatever comes of them', RATE],
      ['what an upload counts as whose inspection ran out of time or memory', `${overrunUploads} uploads`],
      ['a bundle', size(LIMITS.bundle.bytes)],
      ['bodies that are read at once', places(bodies, 'active')],
      ['requests that wait, of which nothing is read', places(bodies, 'waiting')],
      [
        'bytes of bodies worked on in one turn of the event loop, first those of the account that sent the fewest lately',
        size(turns.perTurn),
      ],
      [
        'bytes of bodies worked on in one second, and at once after a quiet time',
        `${size(turns.perSecond)}, ${size(turns.burst)}`,
      ],
      ['bytes on the disk of all uploads that are not answered yet', size(spoolBytes)],
      ['checking the manifest and the pictures that it names', seconds(picturesMs)],
      ['icons and marks that wait to be drawn, one after the other', places(drawings, 'waiting')],
      ['heap of a thread that inspects', `${heapMb} MB`],
    ]),
    '',
    `A body must bring ${PACE}.`,
    '',
    `Each lane has ${threads} threads, or half as many as there are processors if that is more; an account has all of them but one.`,
    ...lanes
      .filter(({ spareAfterMs }) => spareAfterMs > 0)
      .map(
        ({ name, spareAfterMs }) =>
          `In the lane *${name}* all but the first start when a bundle has waited for ${seconds(spareAfterMs)}.`,
      ),
    `Times are processor time of the thread that inspects; by the clock they may be ${CLOCK_FACTOR} times as long, so that a busy machine refuses no honest bundle.`,
    '',
    table([
      ['lane', 'zip', 'expected cost', 'time', 'waiting'],
      ['---', '---', '---', '---', '---'],
      ...lanes.map(laneRow),
    ]),
  ].join('\n');

/** For developers: what they meet. */
const forDevelopers = (): string =>
  [
    `- ${RATE} of each developer, whatever comes of them; the \`RateLimit\` fields of each answer say what is left.`,
    `- ${bodies.perAccount.active} at once and ${bodies.perAccount.waiting} that wait; beyond that 429 with \`Retry-After\`.`,
    `- A body must bring ${PACE}; else 408 \`upload_too_slow\`.`,
    `- Checks may take ${seconds(lanes[0].timeMs)} of processor time for a small bundle and ${seconds(lanes.at(-1)?.timeMs ?? 0)} for the largest, the pictures of \`branding\` ${seconds(picturesMs)} of it; else 422 with the issue \`check.timeout\`, and the upload counts as ${overrunUploads}.`,
  ].join('\n');

/** The numbers of uploads in the documents, as the code has them. */
export const generateUploadBounds = async (): Promise<Map<string, string>> =>
  new Map([
    await withBlocks('SECURITY.md', { 'upload bounds': forSecurity() }),
    await withBlocks('docs/publishing.md', { 'upload bounds': forDevelopers() }),
  ]);
