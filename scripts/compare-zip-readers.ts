import { type BundleReading, readBundle } from '@svc/bundle';
import { type Archive, archivesIn } from './compare/archive-files.ts';
import { type Accepted, dissents, OTHER_READERS, sha256 } from './compare/other-readers.ts';
import { folderOf, readArguments } from './read-arguments.ts';

/** Longest that our reader may take over one archive. */
const SLOW_MS = 2_000;

/** Archives shown to the other readers at a time: so many are held in memory. */
const BATCH = 50;

type Row = { archives: number; accepted: number; slowestMs: number; faults: number };

/** What came of a corpus of archives, and of all of them. */
type Report = { rows: Map<string, Row>; reasons: Map<string, number>; faults: string[] };

const USAGE = `usage: npm run compare:zips -- FOLDER

Reads every archive below FOLDER with readBundle. Those that it accepts are shown to other readers:
${OTHER_READERS.map(({ name }) => `  ${name}`).join('\n')}
All must see the same names, types and bytes. Exits with 1 when one does not, or when our reader throws or takes over
${SLOW_MS} ms. A reader that is not on this machine is left out, with a word about it. What lies directly below FOLDER is
one corpus each.
`;

const folder = readArguments(USAGE, {}, folderOf);
const readers = OTHER_READERS.filter(({ name, missing }) => {
  const why = missing();
  if (why !== undefined) process.stderr.write(`${name} is left out: ${why}\n`);
  return why === undefined;
});

const report: Report = { rows: new Map(), reasons: new Map(), faults: [] };
let waiting: { corpus: string; archive: Accepted }[] = [];
for (const archive of archivesIn(folder)) {
  readOne(archive);
  if (waiting.length >= BATCH) showToOthers();
}
showToOthers();
process.stdout.write(render(report));
process.exitCode = report.faults.length > 0 ? 1 : 0;

/** Reads one archive, enters what came of it into the report, and keeps it for the other readers if it is accepted. */
function readOne({ corpus, path, bytes }: Archive): void {
  const { reading, ms, thrown } = readTimed(bytes);
  const row = rowOf(corpus);
  row.archives += 1;
  row.slowestMs = Math.max(row.slowestMs, ms);
  if (thrown !== undefined) addFaults(corpus, [`${path}: our reader threw ${thrown}`]);
  if (ms > SLOW_MS) addFaults(corpus, [`${path}: our reader took ${Math.round(ms)} ms`]);
  if (reading?.ok) {
    row.accepted += 1;
    const files = new Map([...reading.entries].map(([name, content]) => [name, sha256(content)]));
    waiting.push({ corpus, archive: { name: path, bytes, files } });
  } else if (reading) {
    const reason = reasonOf(reading.issues[0]?.message ?? '');
    report.reasons.set(reason, (report.reasons.get(reason) ?? 0) + 1);
  }
}

function showToOthers(): void {
  for (const corpus of new Set(waiting.map((each) => each.corpus))) {
    const archives = waiting.filter((each) => each.corpus === corpus).map(({ archive }) => archive);
    for (const reader of readers) addFaults(corpus, dissents(reader, archives));
  }
  waiting = [];
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

/** A refusal without the names and numbers of the one archive: what is wrong, not how to fix it. */
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
