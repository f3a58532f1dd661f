import { expect, it } from 'vitest';
import { PARTS, readParts } from '../../src/init/parts.ts';

it('imports nothing that is neither a part, nor of Node, nor in a registry', () => {
  const names = Object.keys(PARTS);
  const texts = readParts();
  expect(texts.map(([name]) => name)).toEqual(names);
  for (const [name, text] of texts) {
    for (const [, from = ''] of text.matchAll(/^(?:import|\} from)[^'\n]*'([^']+)';$/gm)) {
      const isThere = from.startsWith('.')
        ? names.includes(new URL(from, `file:///${name}`).pathname.slice(1))
        : /^(?:node:|oidc-provider$|@modelcontextprotocol\/)/.test(from);
      expect([name, from, isThere]).toEqual([name, from, true]);
    }
  }
});
