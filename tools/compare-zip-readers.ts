import { type BundleReading, readBundle } from '@svc/bundle';
import { type Archive, archivesIn } from './compare/archive-files.ts';
import { type Accepted, disagreements, OTHER_READERS, sha256 } from './compare/other-readers.ts';
import { folderOf, readArguments } from './lib/read-arguments.ts';

/** Maximum time of our reader for one archive. */
const MAX_MS = 2_000;

/** Archives passed to the other readers at a time: this many are kept in memory. */
const BATCH = 50;

type Row = { archives: number; accepted: number; slowestMs: number; faults: number };

/** The results by corpus, and for all archives. */
type Report = { rows: Map<string, Row>; reasons: Map<string, number>; faults: string[] };

const USAGE = `usage: npm run compare:zips -- FOLDER

Reads every archive below FOLDER with readBundle, and the accepted ones with other readers:
${OTHER_READERS.map(({ name }) => `  ${name}`).join('\n')}
All must find the same names, types and bytes. Exits with 1 when one does not, or when our reader throws or takes more than
${MAX_MS} ms. A reader that is not installed is skipped with a message. Each entry directly below FOLDER is one corpus.
`;

const folder = readArguments(USAGE, {}, folderOf);
const readers = OTHER_READERS.filter(({ name, missing }) => {
  const why = missing();
  if (why !== undefined) process.stderr.write(`skipping ${name}: ${why}\n`);
  return why === undefined;
});

const report: Report = { rows: new Map(), reasons: new Map(), faults: [] };
let pending: { corpus: string; archive: Accepted }[] = [];
for (const archive of archivesIn(folder)) {
  readOne(archive);
  if (pending.length >= BATCH) compareWithOthers();
}
compareWithOthers();
process.stdout.write(render(report));
process.exitCode = report.faults.length > 0 ? 1 : 0;

/** Reads one archive, adds the result to the report, and queues an accepted archive for the other readers. */
function readOne({ corpus, path, bytes }: Archive): void {
  const { reading, ms, thrown } = readTimed(bytes);
  const row = rowOf(corpus);
  row.archives += 1;
  row.slowestMs = Math.max(row.slowestMs, ms);
  if (thrown !== undefined) addFaults(corpus, [`${path}: our reader threw ${thrown}`]);
  if (ms > MAX_MS) addFaults(corpus, [`${path}: our reader took ${Math.round(ms)} ms`]);
  if (reading?.ok) {
    row.accepted += 1;
    const files = new Map([...reading.entries].map(([name, content]) => [name, sha256(content)]));
    pending.push({ corpus, archive: { name: path, bytes, files } });
  } else if (reading) {
    const reason = reasonOf(reading.issues[0]?.message ?? '');
    report.reasons.set(reason, (report.reasons.get(reason) ?? 0) + 1);
  }
}

function compareWithOthers(): void {
  for (const corpus of new Set(pending.map((item) => item.corpus))) {
    const archives = pending.filter((item) => item.corpus === corpus).map(({ archive }) => archive);
    for (const reader of readers) addFaults(corpus, disagreements(reader, archives));
  }
  pending = [];
}

function rowOf(corpus: string): Row {
  const row = report.rows.get(corpus) ?? { archives: 0, accepted: 0, slowestMs: 0, faults: 0 };
  report.rows.set(corpus, row);
  return row;
}

function addFaults(corpus: string, faults: string[]): void {
  rowOf(corpus).faults += faults.length;
  report.faults.push(...faults);
}

type Timed = { reading?: BundleReading; ms: number; thrown?: string };

function readTimed(bytes: Uint8Array): Timed {
  const started = performance.now();
  try {
    const reading = readBundle(bytes);
    return { reading, ms: performance.now() - started };
  } catch (error) {
    return { ms: performance.now() - started, thrown: String(error) };
  }
}

/** A refusal in general form, without the names and numbers of the archive. */
function reasonOf(message: string): string {
  const general = message.replace(/"(?:[^"\\]|\\.)*"?/g, '…').replace(/\d[\d,.]*/g, 'N');
  return general.split(/[:.] |\.$/)[0] ?? '';
}

function render({ rows, reasons, faults }: Report): string {
  const table = [...rows].map(
    ([corpus, row]) =>
      `| ${corpus} | ${row.archives} | ${row.accepted} | ${row.archives - row.accepted} | ${row.faults} | ${Math.ceil(row.slowestMs)} ms |`,
  );
  const byCount = [...reasons].sort(([, a], [, b]) => b - a).map(([why, count]) => `| ${why} | ${count} |`);
  return [
    ...['| corpus | archives | accepted | refused | disagreements | slowest |', '|---|---|---|---|---|---|'],
    ...table,
    ...['', '| refused because | archives |', '|---|---|'],
    ...byCount,
    ...['', ...faults, ''],
  ].join('\n');
}
