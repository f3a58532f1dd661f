import { LIMITS } from '@svc/contracts';
import { describe, expect, it } from 'vitest';
import { panelApp } from '../../support/panel-app.ts';
import { openFor, testPanels } from '../../support/panels.ts';

const picture = (name = 'a.png', bytes = 3) => ({ name, type: 'image/png', bytes: new Uint8Array(bytes) });
type Handle = { id: string; name: string; url: string };

describe('the files of a panel', () => {
  it('are handles of the files that the user picked, with the bytes on the origin of the panel', async () => {
    const test = testPanels();
    const { ask, panel } = await openFor(test);
    test.state.picked = [picture()];
    const { result } = await ask('files/pick', { accept: ['image/*'] });
    const [file] = (result as { files: Handle[] }).files;
    expect(result).toEqual({
      files: [
        {
          id: expect.stringMatching(/^[\w-]{22}$/),
          name: 'a.png',
          type: 'image/png',
          size: 3,
          url: expect.any(String),
        },
      ],
    });
    expect(new URL(file?.url ?? '').origin).toBe(panel.frame.origin.replace('frame-', ''));
    expect(test.client.pickFiles.mock.calls[0]?.slice(1, 2)).toEqual([
      { accept: ['image/*'], multiple: false },
    ]);
    test.state.picked = [];
    expect((await ask('files/pick')).result).toEqual({ files: [] });
  });

  it('are refused when their type, number or size does not match the request of the panel', async () => {
    const test = testPanels();
    const { ask } = await openFor(test);
    const pick = async (params: object) => (await ask('files/pick', params)).error?.data?.code;
    test.state.picked = [picture()];
    expect(await pick({ accept: ['text/*', 'image/pngx', 'image/p'] })).toBe('file-refused');
    test.state.picked = [picture(), picture('b.png')];
    expect(await pick({})).toBe('file-refused');
    test.state.picked = [picture('c.png', LIMITS.file.maxBytes + 1)];
    expect(await pick({})).toBe('too-large');
  });

  it('need the grants of the current manifest, and a client that offers files', async () => {
    const granted = panelApp();
    const without = { ...granted, manifest: { ...granted.manifest, grants: [] } };
    const test = testPanels();
    const { ask } = await openFor(test, without);
    const resize = { file: 'none', request: { op: 'resize', width: 1 } };
    expect((await ask('files/pick')).error?.data?.code).toBe('not-granted');
    expect((await ask('media/run', resize)).error?.data?.code).toBe('not-granted');
    expect((await ask('ui/initialize')).result).toMatchObject({ hostCapabilities: { accounts: {} } });
    expect(JSON.stringify((await ask('ui/initialize')).result)).not.toMatch(/"files"|"media"/);
    const { pickFiles: _pick, prepareMedia: _prepare, ...poor } = test.client;
    const plain = await openFor(testPanels({ client: poor }));
    expect((await plain.ask('files/pick')).error?.data?.code).toBe('not-offered');
    expect((await plain.ask('media/run', resize)).error?.data?.code).toBe('not-offered');
    expect((await plain.ask('files/save', { name: 'a' })).error?.data?.code).toBe('not-offered');
  });

  it('belong to one panel, and are changed only by operations of the contract', async () => {
    const test = testPanels();
    const [mine, other] = [await openFor(test), await openFor(test, panelApp({ id: 'com.example.other' }))];
    test.state.picked = [picture()];
    const { result } = await mine.ask('files/pick');
    const [file] = (result as { files: [Handle] }).files;
    const resize = { op: 'resize', width: 10 };
    expect((await other.ask('media/run', { file: file.id, request: resize })).error?.data?.code).toBe(
      'unknown-file',
    );
    expect((await other.ask('files/release', { file: file.id })).error?.data?.code).toBe('unknown-file');
    const made = await mine.ask('media/run', { file: file.id, request: resize });
    expect(made.result).toMatchObject({ file: { name: 'small-a.png' } });
    for (const request of [{ op: 'exec' }, { op: 'resize', width: 1e9 }, { op: 'crop', x: -1 }, 'resize']) {
      expect((await mine.ask('media/run', { file: file.id, request })).error?.code).toBe(-32_602);
    }
  });

  it('are limited in total size, and can be released', async () => {
    const test = testPanels();
    const { ask } = await openFor(test);
    test.state.picked = Array.from({ length: 8 }, () => picture('large.png', LIMITS.file.maxBytes));
    const { result } = await ask('files/pick', { multiple: true });
    test.state.picked = [picture()];
    expect((await ask('files/pick')).error?.data?.code).toBe('too-large');
    const [file] = (result as { files: [Handle] }).files;
    expect((await ask('files/release', { file: file.id })).result).toEqual({});
    expect((await ask('files/release', { file: file.id })).error?.data?.code).toBe('unknown-file');
    expect((await ask('files/pick')).result).toMatchObject({ files: [{ name: 'a.png' }] });
  });
});
