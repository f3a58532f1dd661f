import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { defaultSystem } from '@svc/runtime';
import { expect, it } from 'vitest';
import { createLinks } from '../../src/links/links.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { openPage, openTestDesktop } from '../support/test-desktop.ts';

const LINK = { action: 'install', appId: 'com.example.notes', store: 'https://other.example' } as const;

async function links(program: [string, ...string[]] = [process.execPath, '/nowhere/main.js']) {
  const home = await tempFolder();
  const stopped = new AbortController().signal;
  const made = createLinks({
    ...{
      home,
      folder: path.join(home, 'desktop'),
      program,
      stopped,
      platform: 'linux',
      env: { SVC_TOKEN: 'svcp_secret' },
    },
    ...{ system: defaultSystem, store: 'https://store.example.com', run: async () => undefined },
  });
  return { folder: path.join(home, 'desktop'), links: made };
}

it('asks before it opens a store that is new here, and keeps stores apart', async () => {
  const { folder, links: made } = await links();
  expect(await made.open(LINK, false)).toBeNull();
  await mkdir(path.join(folder, 'stores', 'https%3A%2F%2Fother.example'), { recursive: true, mode: 0o700 });
  // No question: it starts the desktop of that store, here a program that does not exist.
  await expect(made.open(LINK, false)).rejects.toThrow(/did not start. See .*https%3A%2F%2Fother\.example/);
});

it('asks once, also after a refusal, and says how to install where npx runs it', async () => {
  const { links: made } = await links();
  expect(await made.view()).toEqual({ isOn: false, isAsked: false, install: null });
  await made.turn(false);
  expect(await made.view()).toEqual({ isOn: false, isAsked: true, install: null });
  await made.turn(true);
  expect(await made.view()).toMatchObject({ isOn: true });
  const temporary = await links(['/usr/bin/node', '/home/a/.npm/_npx/12/node_modules/@svc/cli/main.js']);
  expect(await temporary.links.view()).toMatchObject({
    install: 'npm install --global https://store.example.com/cli.tgz',
  });
});

it('checks what a page asks for, and names no link of another store without an answer', async () => {
  const { links: made } = await links();
  const page = await openPage(await openTestDesktop({ links: made }));
  const open = (store: string) => page.call('links.open', { ...LINK, store, isAgreed: true });
  for (const store of ['http://other.example', 'file:///etc', 'https://u:p@other.example'])
    expect(await open(store)).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  expect(await page.call('links.open', { ...LINK, isAgreed: false })).toMatchObject({ body: { link: null } });
  expect((await page.call('store.ratingPage', { appId: LINK.appId })).body.url).toMatch(
    /\/account\/apps\/com\.example\.notes\/review#install=[\w.~-]+$/,
  );
});
