import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CHECKER, whySlow } from './check.ts';
import { collectRegexes } from './collect.ts';
import { EXCEPTIONS } from './exceptions.ts';

/** The record of proven expressions, as a path of the repository. */
export const RECORD = 'test/regexes/proven.json';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The name of an expression in the record. */
export const nameOf = (source: string, flags: string): string => sha256(`/${source}/${flags}`).slice(0, 32);

/** Names of the expressions that this checker has found linear. A record of another checker is ignored. */
export async function readRecord(): Promise<ReadonlySet<string>> {
  const text = await readFile(join(import.meta.dirname, 'proven.json'), 'utf8').catch(() => '{}');
  const { checker, proven = [] } = JSON.parse(text) as { checker?: string; proven?: string[] };
  return new Set(checker === sha256(CHECKER) ? proven : []);
}

/** The updated record: each expression of the sources that was proven linear, now or before. */
export async function writeRecord(): Promise<string> {
  const [{ literals }, record] = await Promise.all([collectRegexes(), readRecord()]);
  const isExcepted = (file: string, source: string): boolean =>
    EXCEPTIONS.some((one) => one.file === file && one.source === source);
  const wanted = new Map(
    literals
      .filter(({ file, source }) => !isExcepted(file, source))
      .map(({ source, flags }) => [nameOf(source, flags), { source, flags }]),
  );
  const proven = [...wanted].filter(
    ([name, { source, flags }]) => record.has(name) || whySlow(source, flags) === undefined,
  );
  const names = proven.map(([name]) => name).sort();
  return `${JSON.stringify({ checker: sha256(CHECKER), proven: names }, null, 2)}\n`;
}
