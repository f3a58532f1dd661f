import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { DEEP } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const ROOT = join(import.meta.dirname, '..');
const HOME = join(ROOT, 'node_modules', '@modelcontextprotocol', 'conformance');
const SUITE = join(HOME, 'dist', 'index.js');
const CLIENT = join(ROOT, 'tools', 'conformance-client.ts');

/**
 * Scenarios for clients: all required by a revision and one later one, with the number of checks of each. The client negotiates the
 * revision, so that servers of the earlier one are asked for the newer one first.
 */
const SCENARIOS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  '2025-11-25': {
    initialize: 2,
    tools_call: 2,
    'elicitation-sep1034-client-defaults': 5,
    'sse-retry': 3,
    'auth/metadata-default': 19,
    'auth/metadata-var1': 19,
    'auth/metadata-var2': 19,
    'auth/metadata-var3': 19,
    'auth/basic-cimd': 14,
    'auth/scope-from-www-authenticate': 15,
    'auth/scope-from-scopes-supported': 15,
    'auth/scope-omitted-when-undefined': 15,
    'auth/scope-step-up': 23,
    'auth/scope-retry-limit': 10,
    'auth/token-endpoint-auth-basic': 20,
    'auth/token-endpoint-auth-post': 20,
    'auth/token-endpoint-auth-none': 20,
    'auth/pre-registration': 14,
    'json-schema-2020-12-preservation': 9,
  },
  '2026-07-28': {
    tools_call: 2,
    'request-metadata': 6,
    'auth/metadata-default': 18,
    'auth/metadata-var1': 18,
    'auth/metadata-var2': 18,
    'auth/basic-cimd': 12,
    'auth/metadata-var3': 18,
    'auth/scope-from-www-authenticate': 14,
    'auth/scope-from-scopes-supported': 14,
    'auth/scope-omitted-when-undefined': 14,
    'auth/scope-step-up': 25,
    'auth/scope-retry-limit': 11,
    'auth/token-endpoint-auth-basic': 19,
    'auth/token-endpoint-auth-post': 19,
    'auth/token-endpoint-auth-none': 19,
    'auth/pre-registration': 12,
    'auth/resource-mismatch': 2,
    'auth/offline-access-scope': 12,
    'auth/offline-access-not-supported': 14,
    'auth/authorization-server-migration': 28,
    'auth/iss-supported': 14,
    'auth/iss-not-advertised': 14,
    'auth/iss-supported-missing': 8,
    'auth/iss-wrong-issuer': 8,
    'auth/iss-unexpected': 8,
    'auth/iss-normalized': 8,
    'auth/metadata-issuer-mismatch': 3,
    'sep-2322-client-request-state': 5,
    'http-standard-headers': 3,
    'http-custom-headers': 18,
    'http-invalid-tool-headers': 12,
    'json-schema-ref-no-deref': 1,
    'json-schema-2020-12-preservation': 9,
  },
};

/** Runs one scenario of the official suite against the client. */
async function run(
  revision: string,
  scenario: string,
): Promise<{ code: number | null; passed: string | undefined }> {
  const suite = spawn(
    process.execPath,
    [
      ...[SUITE, 'client', '--command', `"${process.execPath}" "${CLIENT}"`],
      ...['--scenario', scenario, '--spec-version', revision, '--timeout', '60000'],
    ],
    { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const ended = new Promise<number | null>((resolve) => suite.on('close', resolve));
  const [code, ...said] = await Promise.all([ended, text(suite.stdout), text(suite.stderr)]);
  return { code, passed: /Passed: (\d+\/\d+, \d+ failed, \d+ warnings)/.exec(said.join(''))?.[1] };
}

it.each(Object.keys(SCENARIOS))('covers all scenarios that MCP %s requires', (revision) => {
  const required = parse(readFileSync(join(HOME, 'requirements', `${revision}.yaml`), 'utf8')) as {
    client: string[];
  };
  expect(Object.keys(SCENARIOS[revision] ?? {})).toEqual(expect.arrayContaining(required.client));
});

/** A sign-in, a step-up and calls; each scenario needs two processes, so the others are only in the deep run. */
const QUICK = 'auth/scope-step-up';
const LATEST = Object.keys(SCENARIOS).sort().at(-1);
const isQuick = (revision: string, scenario: string): boolean => scenario === QUICK && revision === LATEST;

describe.each(Object.entries(SCENARIOS))('a client of MCP %s', (revision, scenarios) => {
  for (const [scenario, checks] of Object.entries(scenarios)) {
    const options = { timeout: 90_000, ...(!isQuick(revision, scenario) && DEEP) };
    it.concurrent(`passes ${scenario} with all ${checks} checks`, options, async () => {
      expect(await run(revision, scenario)).toEqual({
        code: 0,
        passed: `${checks}/${checks}, 0 failed, 0 warnings`,
      });
    });
  }
});
