import type { Issue } from '@svc/contracts';
import { RULES } from '@svc/validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { type SarifSubject, sarifDocument } from '../../src/present/sarif.ts';
import { SARIF_SCHEMA } from '../support/sarif-schema.ts';

const ajv = new Ajv2020({ allErrors: true });
formats.default(ajv);
const isSarif = ajv.compile(SARIF_SCHEMA);

const subject = (
  shown: string,
  issues: Partial<Issue>[],
  { kind = 'folder', source }: { kind?: SarifSubject['kind']; source?: string } = {},
): SarifSubject => ({
  shown,
  kind,
  checked: {
    issues: issues.map((issue) => ({
      code: 'version.format',
      level: 'error',
      path: '/version',
      message: 'Bad.',
      ...issue,
    })),
    manifest: undefined,
    entries: undefined,
    source: source === undefined ? undefined : Buffer.from(source),
  },
});

const MANIFEST = '{\n  "version": "v1"\n}\n';

/** The parts of a run that the tests read. */
type Run = {
  columnKind: string;
  tool: {
    driver: { rules: { id: string; help: { markdown: string }; defaultConfiguration: { level: string } }[] };
  };
  invocations: { toolExecutionNotifications: { message: { text: string } }[] }[];
  results: {
    ruleIndex: number;
    level: string;
    message: { text: string };
    locations: { physicalLocation: { artifactLocation: object; region: object } }[];
    partialFingerprints: object;
  }[];
};

function report(subjects: SarifSubject[], unreadable: string[] = []): Run {
  const document = sarifDocument({ cwd: '/home/dev/repo', version: '1.2.3', subjects, unreadable });
  isSarif(document);
  expect(isSarif.errors).toBeNull();
  return JSON.parse(JSON.stringify(document)).runs[0];
}

const locationOf = (run: Run) => run.results[0]?.locations[0];

describe('a SARIF report', () => {
  it('is valid without findings', () => {
    const run = report([]);
    expect(run.results).toEqual([]);
    expect(run.tool.driver).toEqual({ name: 'svc', version: '1.2.3', semanticVersion: '1.2.3', rules: [] });
  });

  it('has message and location in UTF-16 code units', () => {
    const source = '{\n  "name": "😀", "version": "v1"\n}\n';
    const run = report([subject('app', [{}], { source })]);
    expect(run.columnKind).toBe('utf16CodeUnits');
    expect(run.results[0]).toMatchObject({ ruleId: 'version.format', ruleIndex: 0, level: 'error' });
    expect(locationOf(run)).toEqual({
      physicalLocation: {
        artifactLocation: { uri: 'app/plugin.json', uriBaseId: '%SRCROOT%' },
        region: { startLine: 2, startColumn: 28, endColumn: 32 },
      },
      logicalLocations: [{ fullyQualifiedName: '/version', kind: 'value' }],
    });
  });

  it('describes each code that is used, once', () => {
    const issues = [
      {},
      { code: 'bundle.readme', level: 'warning', path: 'README.md' },
      {},
      { code: 'invalid_bundle', path: '' },
    ];
    const run = report([subject('app', issues as Partial<Issue>[])]);
    const { rules } = run.tool.driver;
    expect(rules.map(({ id }) => id)).toEqual(['version.format', 'bundle.readme', 'invalid_bundle']);
    expect(rules[1]?.defaultConfiguration.level).toBe('warning');
    expect(rules[0]?.help.markdown).toContain('`svc explain version.format`');
    expect(run.results.map(({ ruleIndex }) => ruleIndex)).toEqual([0, 1, 0, 2]);
  });

  it('describes every code of the table', () => {
    const run = report([
      subject(
        'app',
        RULES.map(({ code }) => ({ code })),
      ),
    ]);
    expect(run.tool.driver.rules).toHaveLength(RULES.length);
  });

  it('marks the first line of a value with several lines', () => {
    const run = report([subject('app', [{ path: '/a' }], { source: '{ "a": [\n1,\n2] }' })]);
    expect(locationOf(run)?.physicalLocation.region).toEqual({ startLine: 1, startColumn: 8, endColumn: 9 });
  });

  it.each([
    { shown: 'app', kind: 'folder', path: 'ui/a b#ü.js', uri: 'app/ui/a%20b%23%C3%BC.js' },
    { shown: 'app/plugin.json', kind: 'manifest', path: '/version', uri: 'app/plugin.json' },
    { shown: '.', kind: 'folder', path: '', uri: 'plugin.json' },
    { shown: 'out/app.svc-app', kind: 'bundle', path: 'ui/x.js', uri: 'out/app.svc-app' },
  ] as const)('names the file of $shown with $path as $uri', ({ shown, kind, path, uri }) => {
    const run = report([subject(shown, [{ code: 'bundle.path', path }], { kind })]);
    expect(locationOf(run)?.physicalLocation.artifactLocation).toEqual({ uri, uriBaseId: '%SRCROOT%' });
  });

  it('has an absolute URI for a file outside the folder', () => {
    const run = report([subject('../other', [{}], { source: MANIFEST })]);
    expect(locationOf(run)?.physicalLocation.artifactLocation).toEqual({
      uri: 'file:///home/dev/other/plugin.json',
    });
  });

  it('has no line numbers for findings inside a bundle', () => {
    const run = report([subject('a.svc-app', [{}], { kind: 'bundle', source: MANIFEST })]);
    expect(locationOf(run)).toMatchObject({
      physicalLocation: { region: { startLine: 1 } },
      logicalLocations: [
        { fullyQualifiedName: 'plugin.json', kind: 'resource' },
        { fullyQualifiedName: '/version', kind: 'value' },
      ],
    });
    expect(locationOf(run)?.physicalLocation.region).not.toHaveProperty('startColumn');
  });

  it('has stable fingerprints when lines move, and distinct ones for equal findings', () => {
    const prints = (source: string) =>
      report([subject('app', [{}, {}, { path: '/name' }], { source })]).results.map(
        ({ partialFingerprints }) => partialFingerprints,
      );
    expect(prints(`\n\n\n${MANIFEST}`)).toEqual(prints(MANIFEST));
    expect(new Set(prints(MANIFEST).map((print) => JSON.stringify(print))).size).toBe(3);
  });

  it('limits the findings, errors first, and says so', () => {
    const many = Array.from({ length: 4_999 }, (_, index) => ({ path: `/${index}` }));
    const warnings = [{ level: 'warning' }, { level: 'warning', path: '/late' }] as const;
    const run = report([subject('app', [...warnings, ...many])]);
    expect(run.results).toHaveLength(5_000);
    expect(run.results[0]?.level).toBe('warning');
    expect(run.results[1]?.level).toBe('error');
    expect(run.invocations[0]?.toolExecutionNotifications[0]?.message.text).toContain('1 more');
  });

  it('says which paths could not be read', () => {
    const [invocation] = report([], ['app does not exist.']).invocations;
    expect(invocation).toEqual({
      executionSuccessful: false,
      toolExecutionNotifications: [{ level: 'error', message: { text: 'app does not exist.' } }],
    });
  });

  it('escapes links and placeholders', () => {
    const message = 'The name "[update now](https://evil.example) {0}" is taken.';
    const run = report([subject('app', [{ message }])]);
    expect(run.results[0]?.message.text).toBe(
      'The name "[update now] (https://evil.example) {{0}}" is taken.',
    );
  });
});
