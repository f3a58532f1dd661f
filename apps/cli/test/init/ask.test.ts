import { describe, expect, it } from 'vitest';
import { POINTERS, type TextField } from '../../src/init/answers.ts';
import { problemWith } from '../../src/init/ask.ts';

const GOOD: Record<TextField, string> = {
  name: 'Tidy',
  publisher: 'example',
  id: 'com.example.tidy',
  description: 'Tidies up.',
  mcpUrl: 'https://mcp.example.com/mcp',
  category: 'media',
  authorizeUrl: 'https://example.com/a',
  tokenUrl: 'https://example.com/t',
  clientId: 'x',
};

describe('an answer to a prompt', () => {
  it.each(Object.keys(POINTERS) as TextField[])('%s is validated with the checks of the store', (field) => {
    expect(problemWith(field, GOOD[field])).toBeUndefined();
    expect(problemWith(field, '')).toMatch(/\w/);
  });

  it.each([
    { field: 'name', value: 'svc notes', says: 'reserved name' },
    { field: 'name', value: 'x'.repeat(41), says: '40 or fewer' },
    { field: 'id', value: 'Tidy', says: 'at least 2 parts' },
    { field: 'id', value: 'local.tidy', says: '' },
    { field: 'mcpUrl', value: 'http://mcp.example.com', says: 'https' },
    { field: 'mcpUrl', value: 'https://user:pass@mcp.example.com/', says: 'without user name' },
    { field: 'mcpUrl', value: 'http://localhost:3000/mcp', says: '' },
    { field: 'category', value: 'notes', says: 'Unknown category "notes"' },
    { field: 'tokenUrl', value: 'javascript:alert(1)', says: 'https' },
  ] as const)('$field $value is refused with the message of the check', ({ field, value, says }) => {
    expect(problemWith(field, value)).toContain(says);
  });
});
