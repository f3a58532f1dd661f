import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { POLICY } from '../../../src/composition/settings/policy-file.ts';
import type { Setting } from '../../../src/composition/settings/setting.ts';
import { SETTINGS } from '../../../src/composition/settings/table.ts';
import { readSettings } from '../../../src/composition/settings.ts';

const SRC = join(import.meta.dirname, '../../../src');

/** All sources that could use a setting: all except the folder settings. */
const USERS = globSync('**/*.ts', { cwd: SRC })
  .filter((file) => !file.startsWith(join('composition', 'settings')))
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

  it('has its default when its variable is not set, and when it is set to that default', () => {
    const withDefault = rows.filter(([, { unset }]) => unset !== null);
    const valuesIn = (environment: Record<string, string>) => {
      const settings: Record<string, unknown> = readSettings(environment);
      return Object.fromEntries(withDefault.map(([key]) => [key, settings[key]]));
    };
    const written = withDefault.map(([, { variable, unset }]) => [variable, unset ?? '']);
    const defaults = {
      port: 8787,
      dataDir: resolve('data'),
      localApps: false,
      logLevel: 'info',
      auditFormat: 'json',
      relayBinding: 'address',
      groupCheckMinutes: 30,
      tokenConfirmHours: 720,
      probeServers: 'on',
      mcpRegistry: 'on',
      upstreamDays: 7,
      ciIssuers: [
        { kind: 'github', issuer: 'https://token.actions.githubusercontent.com' },
        { kind: 'gitlab', issuer: 'https://gitlab.com' },
      ],
    };
    expect(valuesIn({})).toEqual(defaults);
    expect(valuesIn(Object.fromEntries(written))).toEqual(defaults);
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
