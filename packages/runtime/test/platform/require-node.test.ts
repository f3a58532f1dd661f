import { expect, it } from 'vitest';
import { versionFault } from '../../src/platform/require-node.ts';

it.each([
  { node: '22.19.0' },
  { node: '24.0.0' },
  { node: '26.3.0', bun: '1.4.5' },
  { node: '26.3.0', deno: '2.9.6' },
])('the runtime runs in %j', (versions) => {
  expect(versionFault(versions, () => true)).toBeNull();
});

it.each([
  [{ node: '22.18.0' }, 'Node 22.18.0'],
  [{ node: '20.20.2' }, 'Node 20.20.2'],
  [{ node: '22.19.0', bun: '1.1.0' }, 'Bun 1.1.0'],
  [{ node: '22.19.0', deno: '1.46.0' }, 'Deno 1.46.0'],
])('it says in one line that %j is too old', (versions, name) => {
  const said = versionFault(versions, () => false);
  expect(said).toContain(`this is ${name}.`);
  expect(said).not.toContain('\n');
});
