import { describe, expect, it } from 'vitest';
import { EXAMPLE_MANIFEST } from '../src/example.ts';
import { MAX_FINDINGS_PER_CODE } from '../src/rule.ts';
import { fixesFor } from '../src/validate.ts';
import { findings, issuesOf, letters } from './support.ts';

describe('the walk over a manifest', () => {
  it('reports one finding for one fault', () => {
    expect(findings({ remote: undefined })).toEqual(['remote.missing /remote']);
    expect(findings({ remote: { mcpUrl: 7, domains: [] } })).toEqual(['remote.url /remote/mcpUrl']);
    expect(findings({ grants: 'exec', permissions: [] })).toEqual(['grants.format /grants']);
    expect(findings({ id: undefined })).toEqual(['id.missing /id']);
    expect(findings({ accounts: [{ id: 'A', label: 'A', auth: 'mcp', scopes: [] }] })).toEqual([
      'accounts.id /accounts/0/id',
    ]);
  });

  it('reports all faults at once, in the order of the format', () => {
    const patch = {
      branding: {},
      remote: { mcpUrl: 'x', domains: ['*', 1] },
      name: '',
      id: 'A',
      version: '1',
    };
    expect(findings(patch)).toEqual([
      'id.format /id',
      'name.missing /name',
      'version.format /version',
      'remote.url /remote/mcpUrl',
      'remote.domains /remote/domains/1',
      'remote.domain.broad /remote/domains/0',
      'branding.icon.missing /branding/icon',
    ]);
  });

  it('reports the same findings for any order of the fields', () => {
    const faults = { version: 'x', name: 1, grants: [1], id: '' };
    const turned = Object.fromEntries(Object.entries(faults).reverse());
    expect(issuesOf(turned)).toEqual(issuesOf(faults));
  });

  it('escapes field names in the path', () => {
    const account = { id: 'a', label: 'A', auth: 'mcp', scopes: [], params: { 'a/b~c': 1 } };
    expect(findings({ accounts: [account] })).toEqual(['accounts.params /accounts/0/params/a~1b~0c']);
  });

  it('offers no fix for a field whose name is too long or malformed for a path', () => {
    const fixesOf = (param: string) => {
      const account = { id: 'a', label: 'A', auth: 'mcp', scopes: [], params: { [param]: 1 } };
      return fixesFor({ ...EXAMPLE_MANIFEST, accounts: [account] }, { mode: 'store' }).map(
        ({ path }) => path,
      );
    };
    expect(fixesOf('a/b~c')).toEqual(['/accounts/0/params/a~1b~0c']);
    expect(fixesOf(letters(256))).toHaveLength(1);
    expect(fixesOf(letters(257))).toEqual([]);
    expect(fixesOf('\ud800')).toEqual([]);
  });

  it('limits the findings of one code, and still reports those of other codes', () => {
    const tools = Array.from({ length: 5_000 }, () => 7);
    const issues = issuesOf({ contributes: { tools, panels: 7 } });
    expect(issues.filter((issue) => issue.code === 'tools.item')).toHaveLength(MAX_FINDINGS_PER_CODE);
    expect(issues.at(-1)?.code).toBe('panels.format');
  });
});
