import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { readArguments } from '../scripts/read-arguments.ts';
import { FIGURES } from './figures.ts';
import { holds, row } from './lib/figure.ts';
import { ROOT } from './lib/processes.ts';

// Run as a program: measures what it is asked for by name, or all, and then writes RESULTS.md. Each figure has a process of its
// own, so that what one leaves in memory is not collected at the cost of the next.

const machine = (): string =>
  `${cpus().length} cores (${cpus()[0]?.model.trim()}), ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`;

const HEAD = `# Results

Each figure is a ratio, or a difference, between two things measured in the same run, as machines are noisy. Made by

    npm run bench

on ${machine()}. \`npm run bench -- publish\` measures just that and writes nothing.

| figure | measured | value | bound | kept |
|---|---|---|---|---|
`;

/** Measures one figure here, and prints its rows. */
async function measure(name: string): Promise<void> {
  const figures = await FIGURES[name]?.();
  for (const figure of [figures ?? []].flat()) {
    process.stdout.write(`${row(figure)}\n`);
    if (!holds(figure)) process.exitCode = 1;
  }
}

/** Measures a figure in a process of its own. @returns its rows */
async function measureApart(name: string): Promise<string[]> {
  const args = [...process.execArgv, import.meta.filename, name];
  const child = spawn(process.execPath, args, { stdio: ['inherit', 'pipe', 'inherit'] });
  child.stdout.pipe(process.stdout, { end: false });
  const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  if (code !== 0) process.exitCode = 1;
  return said.split('\n').filter((line) => line.startsWith('| '));
}

const USAGE = `usage: npm run bench [-- NAME...]

Measures the figures that are named; without names all, and writes them to bench/RESULTS.md. Exits with 1 when one is out of its
bound. Names: ${Object.keys(FIGURES).join(', ')}.
`;

const asked = readArguments(USAGE, {}, ({ positionals }) => {
  const unknown = positionals.filter((name) => !Object.hasOwn(FIGURES, name));
  if (unknown.length > 0) throw new RangeError(`No figure has the name ${unknown.join(', ')}.`);
  return positionals;
});
if (asked.length === 1) await measure(asked[0] as string);
else {
  const rows: string[] = [];
  for (const name of asked.length > 0 ? asked : Object.keys(FIGURES))
    rows.push(...(await measureApart(name)));
  if (asked.length === 0) writeFileSync(join(ROOT, 'bench', 'RESULTS.md'), `${HEAD}${rows.join('\n')}\n`);
}
