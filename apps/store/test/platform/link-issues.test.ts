import { describe, expect, it } from 'vitest';
import { linkIssues } from '../../src/platform/link-issues.ts';

const link = linkIssues('https://store.example.com');
const issue = (code: string) => ({ code, level: 'error' as const, path: '', message: 'No.' });

describe('linkIssues', () => {
  it('adds the URL of the docs to validation codes only', () => {
    expect(link({ issues: [issue('remote.url'), issue('too_small')], other: 1 })).toEqual({
      issues: [
        { ...issue('remote.url'), docs: 'https://store.example.com/docs/codes/remote.url' },
        issue('too_small'),
      ],
      other: 1,
    });
  });

  it('does not change a body without issues', () => expect(link({})).toEqual({}));
});
