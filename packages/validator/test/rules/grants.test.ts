import { describe, expect, it } from 'vitest';
import { findings, issuesOf } from '../support.ts';

describe('grants', () => {
  it('accepts the grants of a store app', () =>
    expect(
      findings({ grants: ['storage', 'files:receive', 'files:return', 'host:media', 'project:write'] }),
    ).toEqual([]));

  it.each(['network', 'exec', 'project:read'])(
    'reserves %s for built-in apps, with a warning in dev mode',
    (grant) => {
      expect(issuesOf({ grants: [grant] })).toMatchObject([
        { code: 'grants.level', level: 'error', path: '/grants/0' },
      ]);
      expect(issuesOf({ grants: [grant] }, 'dev')).toMatchObject([
        { code: 'grants.level', level: 'warning' },
      ]);
    },
  );

  it.each(['', 'Storage', 'files', 'constructor', '__proto__', 'files:receive '])(
    'refuses the unknown grant %j',
    (grant) => expect(findings({ grants: ['storage', grant] })).toEqual(['grants.unknown /grants/1']),
  );

  it('must be a list of strings', () => {
    expect(findings({ grants: null })).toEqual(['grants.format /grants']);
    expect(findings({ grants: { 0: 'storage' } })).toEqual(['grants.format /grants']);
    expect(findings({ grants: ['storage', ['exec']] })).toEqual(['grants.format /grants/1']);
  });
});
