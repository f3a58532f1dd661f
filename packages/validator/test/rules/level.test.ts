import { expect, it } from 'vitest';
import { findings, issuesOf } from '../support.ts';

it('reports every field of built-in apps at its path', () => {
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

it('accepts another activation, and unknown fields', () => {
  expect(findings({ activation: 'manual', contributes: { themes: [] }, skills: [] })).toEqual([]);
});
