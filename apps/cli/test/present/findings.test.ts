import type { Issue } from '@svc/contracts';
import { expect, it } from 'vitest';
import type { CheckedApp } from '../../src/check-app.ts';
import { findingsText } from '../../src/present/findings.ts';
import { memoryTerminal } from '../support/command-context.ts';

const { terminal } = memoryTerminal();
const NAMES = { shown: 'app', isManifest: false };

const checked = (issues: Issue[], source?: string): CheckedApp => ({
  issues,
  manifest: undefined,
  entries: undefined,
  source: source === undefined ? undefined : Buffer.from(source),
});

const issue = (code: string, path: string, level: Issue['level'] = 'error'): Issue => ({
  code,
  level,
  path,
  message: `About ${path}.`,
});

const whereLines = (text: string) => text.split('\n').filter((line) => line.startsWith('  -->'));

it('names the file of each finding', () => {
  const issues = [
    issue('name.missing', '/name'),
    issue('manifest.format', ''),
    issue('bundle.unexpected', 'evil.txt'),
    issue('bundle.size', ''),
  ];
  const source = '{\n  "name": ""\n}';
  expect(whereLines(findingsText(terminal, NAMES, checked(issues, source)))).toEqual([
    '  --> app/plugin.json:2:11  /name',
    '  --> app/plugin.json:1:1',
    '  --> app/evil.txt',
    '  --> app',
  ]);
  const alone = { shown: 'x/plugin.json', isManifest: true };
  expect(whereLines(findingsText(terminal, alone, checked(issues.slice(0, 1), source)))).toEqual([
    '  --> x/plugin.json:2:11  /name',
  ]);
});

it('marks the object that lacks a field', () => {
  const text = findingsText(
    terminal,
    NAMES,
    checked([issue('remote.url', '/remote/mcpUrl')], '{\n  "remote": {}\n}'),
  );
  expect(text).toContain('  > 2 |   "remote": {}\n      |             ^\n');
});

it('keeps the order of the checks, and limits findings per code', () => {
  const many = Array.from({ length: 47 }, (_, index) => issue('remote.domain', `/remote/domains/${index}`));
  const text = findingsText(terminal, NAMES, checked([...many, issue('tools.id', '/x', 'warning')]));
  expect(text.match(/^error remote\.domain/gm)).toHaveLength(10);
  expect(text).toMatch(/\/remote\/domains\/9\n\nand 37 more remote\.domain\n\nwarning tools\.id/);
  expect(text).toMatch(/app: 47 errors, 1 warning\n$/);
});

it('suggests svc explain when a code has a page', () => {
  expect(findingsText(terminal, NAMES, checked([issue('version.format', '/version')]))).toContain(
    'svc explain version.format\n',
  );
  expect(findingsText(terminal, NAMES, checked([issue('invalid_bundle', '')]))).not.toContain('explain');
});

it('escapes control characters', () => {
  const evil = '\u001b]0;owned\u0007\u202e\r';
  const text = findingsText(
    terminal,
    { shown: evil, isManifest: false },
    checked(
      [{ code: 'a', level: 'error', path: evil, message: evil }, issue('id.format', '/id')],
      `{"id":"${evil}"}`,
    ),
  );
  expect(text).not.toMatch(/[^\n\P{C}]|\p{Default_Ignorable_Code_Point}/u);
});
