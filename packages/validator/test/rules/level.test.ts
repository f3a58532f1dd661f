import { expect, it } from 'vitest';
import { findings, issuesOf } from '../support.ts';

it('reports each field of built-in apps at its place, all at once', () => {
  const contributes = { skills: [], hooks: {}, mcp: {}, adapters: [], secrets: [] };
  const issues = issuesOf({ contributes, activation: 'always' }, 'dev');
  expect(issues.map((issue) => `${issue.level} ${issue.code} ${issue.path}`)).toEqual([
    'warning level.activation /activation',
    'warning level.skills /contributes/skills',
    'warning level.hooks /contributes/hooks',
    'warning level.mcp /contributes/mcp',
    'warning level.adapters /contributes/adapters',
    'warning level.secrets /contributes/secrets',
  ]);
});

it('has nothing against another activation, nor against unknown fields', () => {
  expect(findings({ activation: 'manual', contributes: { themes: [] }, skills: [] })).toEqual([]);
});
