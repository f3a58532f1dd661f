import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BundleEntries, type BundleReading, readBundle } from '@svc/bundle';
import { type Archive, archivesIn } from './compare/archive-files.ts';
import { dissenters, sha256 } from './compare/other-readers.ts';

/** Longest that our reader may take over one archive. */
const SLOW_MS = 2_000;

type Row = { archives: number; accepted: number; slowestMs: number; faults: number };

/** What came of a corpus of archives, and of all of them. */
type Report = { rows: Map<string, Row>; reasons: Map<string, number>; faults: string[] };

const usage = `usage: node scripts/compare-zip-readers.ts FOLDER

Reads every archive below FOLDER with readBundle. Those that it accepts are shown to Python's zipfile and to bsdtar, as
a file and as a stream; all must see the same names and bytes. Exits with 1 when one does not, or when our reader throws
or takes over ${SLOW_MS} ms. What lies directly below FOLDER is one corpus each.
`;

const folder = process.argv[2];
if (folder === undefined || folder.startsWith('-')) fail(usage);
for (const program of ['python3', 'bsdtar']) {
  if (spawnSync(program, ['--version']).error) fail(`${program} is needed, and is not on this machine.\n`);
}

const report: Report = { rows: new Map(), reasons: new Map(), faults: [] };
const scratchFolder = mkdtempSync(join(tmpdir(), 'svc-compare-'));
try {
  for (const archive of archivesIn(folder)) compare(archive, report, join(scratchFolder, 'archive.zip'));
} finally {
  rmSync(scratchFolder, { recursive: true, force: true });
}
process.stdout.write(render(report));
process.exitCode = report.faults.length > 0 ? 1 : 0;

function fail(message: string): never {
  process.stderr.write(message);
  process.exit(2);
}

/** Reads one archive, shows it to the others if it is accepted, and enters both into the report. */
function compare({ corpus, path, bytes }: Archive, report: Report, scratch: string): void {
  const { reading, ms, thrown } = readTimed(bytes);
  const faults = reading?.ok ? dissenters(hashesOf(reading.entries), bytes, scratch) : [];
  if (thrown !== undefined) faults.push(`our reader threw ${thrown}`);
  if (ms > SLOW_MS) faults.push(`our reader took ${Math.round(ms)} ms`);
  const row = report.rows.get(corpus) ?? { archives: 0, accepted: 0, slowestMs: 0, faults: 0 };
  report.rows.set(corpus, {
    archives: row.archives + 1,
    accepted: row.accepted + (reading?.ok ? 1 : 0),
    slowestMs: Math.max(row.slowestMs, ms),
    faults: row.faults + faults.length,
  });
  report.faults.push(...faults.map((fault) => `${path}: ${fault}`));
  if (reading?.ok === false) {
    const reason = reasonOf(reading.issues[0]?.message ?? '');
    report.reasons.set(reason, (report.reasons.get(reason) ?? 0) + 1);
  }
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

function hashesOf(entries: BundleEntries): Map<string, string> {
  return new Map([...entries].map(([name, content]) => [name, sha256(content)]));
}

/** A refusal without the names and numbers of the one archive: what is wrong, not how to mend it. */
function reasonOf(message: string): string {
  const general = message.replace(/"(?:[^"\\]|\\.)*"/g, '…').replace(/\d[\d,.]*/g, 'N');
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
