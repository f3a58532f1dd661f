import { readBundle } from '@svc/bundle';
import { validateBundle } from '@svc/validator';
import { expect, it } from 'vitest';
import { packPinboard } from '../server/index.ts';

/** The files of a valid bundle. */
function filesOf(bundle: Uint8Array) {
  const reading = readBundle(bundle);
  if (!reading.ok) throw new Error(JSON.stringify(reading.issues));
  return reading.entries;
}

const text = (bytes: Uint8Array | undefined): string => new TextDecoder().decode(bytes);

it('packs a bundle for a public server that the validator accepts without findings', async () => {
  const entries = filesOf(await packPinboard({ mcpUrl: 'https://pins.example.com/mcp' }));
  expect(validateBundle(entries, { mode: 'store' }).issues).toEqual([]);
  const manifest = JSON.parse(text(entries.get('plugin.json')));
  expect(manifest.remote.mcpUrl).toBe('https://pins.example.com/mcp');
  expect(manifest.permissions.join(' ')).toContain('Talks to pins.example.com,');
  expect(text(entries.get('ui/server.js'))).toContain("export const SERVER = 'https://pins.example.com';");
  for (const bytes of entries.values() ?? []) expect(text(bytes)).not.toContain('localhost:4680');
});

it('packs the same bytes each time, and different ones for another server', async () => {
  const [one, again, other] = await Promise.all(
    ['a', 'a', 'b'].map((host) => packPinboard({ mcpUrl: `https://${host}.example.com/mcp` })),
  );
  expect(one).toEqual(again);
  expect(one).not.toEqual(other);
});

it('gives only a warning for a server on this machine in dev mode', async () => {
  const entries = filesOf(await packPinboard({ mcpUrl: 'http://localhost:4680/mcp' }));
  const { issues } = validateBundle(entries, { mode: 'dev' });
  expect(issues).toMatchObject([{ code: 'remote.localhost', level: 'warning' }]);
});
