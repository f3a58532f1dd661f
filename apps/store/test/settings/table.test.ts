import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { POLICY } from '../../src/settings/policy-file.ts';
import type { Setting } from '../../src/settings/setting.ts';
import { SETTINGS } from '../../src/settings/table.ts';
import { readSettings } from '../../src/settings.ts';

const SRC = join(import.meta.dirname, '../../src');

/** All sources that could use a setting: all except the folder settings. */
const USERS = globSync('**/*.ts', { cwd: SRC })
  .filter((file) => !file.startsWith('settings'))
  .map((file) => readFileSync(join(SRC, file), 'utf8'))
  .join('\n');

/** Settings that are parts of another value, or are read before the others. */
const USED_AS: Record<string, string> = {
  bucket: 's3',
  accessKeyId: 's3',
  secretAccessKey: 's3',
  mailServer: 'smtp',
  mailFrom: 'smtp',
  policy: 'flaggedCodes',
  settingsFile: 'readSettings',
};

const rows: [string, Setting][] = Object.entries(SETTINGS);

describe('each setting', () => {
  it.each(rows)('%s is used', (key) => {
    expect(USERS).toMatch(new RegExp(String.raw`(?:\.|[{,] ?|^ {2,8})${USED_AS[key] ?? key}\b`, 'm'));
  });

  it.each(Object.keys(POLICY))('of the policy, %s, is used', (key) => {
    expect(USERS).toMatch(new RegExp(String.raw`ettings\.${key}\b|\b${key},`));
  });

  it.each(rows)('%s has texts that continue a sentence after the name', (_key, row) => {
    expect(row.must).toMatch(/^(must|takes) .+[^.]$/);
    expect(row.doc).toMatch(/^[^A-Z|][^|\n]+[^.|]$|^JSON |^S3 |^Ed25519 |^PostgreSQL /);
    expect(row.unset ?? row.otherwise).toBeTruthy();
  });

  it.each(rows)('%s has a valid default', (_key, row) => {
    if (row.unset !== null) expect(row.read(row.unset)).not.toBeUndefined();
  });

  it('has a unique variable', () => {
    const variables = rows.map(([, { variable }]) => variable);
    expect(new Set(variables).size).toBe(variables.length);
    for (const name of variables) expect(name).toMatch(/^[A-Z][A-Z0-9_]+$/);
    expect(variables).toEqual(expect.arrayContaining(rows.flatMap(([, { needs = [] }]) => needs)));
  });

  it('is in the current settings', () => {
    const names = readSettings({}).settingsInForce.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(rows.map(([, { variable }]) => variable)));
  });
});
