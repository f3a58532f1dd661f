import { png, sampleBundle } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { ownNotes } from '../../../src/core/catalog/with-rendered.ts';
import { bodyOf, openTestStore } from '../../support/test-store.ts';

const PATH = '/api/apps/com.example.notes';
const ATTACK = '# Hi <img src=x onerror=alert(1)>\n\n[x](javascript:alert(1))';
const HTML = '<h3>Hi </h3>\n<p>x</p>\n';
const README_HTML = '<h3 id="readme-hi">Hi </h3>\n<p>x</p>\n';

async function published(versions: readonly string[]) {
  const store = await openTestStore();
  const token = await store.publisherToken('example', true);
  for (const version of versions) {
    const texts = { 'README.md': ATTACK, 'CHANGELOG.md': `${ATTACK}\n\n${version}` };
    await store.upload(token, sampleBundle({ version }, texts));
    if (version === versions[0]) await store.decide('approve', version);
  }
  return store;
}

describe('the notes of a version', () => {
  const LOG =
    '# Changelog\n\n## [1.2.0] - 2026-11-03\n\nNew.\n\n```\n## 1.1.0\n```\n\n### Fixed\n\nAll.\n\n## 1.1.0\n\nOld.\n';

  it('are its own section, with code and smaller headings in it', () => {
    const own = LOG.slice(LOG.indexOf('## [1.2.0]'), LOG.indexOf('## 1.1.0\n\nOld'));
    expect(ownNotes(LOG, '1.2.0').trim()).toBe(own.trim());
    expect(ownNotes(LOG, '1.1.0')).toBe('## 1.1.0\n\nOld.\n');
  });

  it.each([
    ['1.2.0\n-----\n\nNew.\n\n---\n\n- All.\n---\n\n', '1.1.0\n-----\n\nOld.\n'],
    ['1.2.0 / 2026-11-03\r\n==================\r\n\r\n  * New.\r\n\r\n', '1.1.0 / 2026-01-01\r\n====\r\n'],
  ])('may have underlined headings', (own, old) =>
    expect(ownNotes(`Changelog\n===\n\n${own}${old}`, '1.2.0').trim()).toBe(own.trim()),
  );

  it('keep the addresses to which their links refer', () => {
    const addresses = '[1.2.0]: https://code.example/1.2.0\n[#7]: https://code.example/7';
    expect(
      ownNotes(`# Log\n\n## [1.2.0]\n\nNew ([#7]).\n\n## [1.1.0]\n\nOld.\n\n${addresses}\n`, '1.2.0'),
    ).toBe(`## [1.2.0]\n\nNew ([#7]).\n\n\n${addresses}`);
  });

  it('are not those of a heading that names the version only in the address of a link', () => {
    const next = '## [Unreleased](https://code.example/compare/v1.2.0...HEAD)\n\nNext.\n\n';
    const own = '## [1.2.0](https://code.example/compare/v1.1.0...v1.2.0) (2026-11-03)\n\nNew.\n';
    expect(ownNotes(next + own, '1.2.0')).toBe(own);
  });

  it('are the whole changelog where no heading names the version', () => {
    for (const version of ['1.2', '11.2.0', '1.2.0-beta', '2.0.0']) expect(ownNotes(LOG, version)).toBe(LOG);
    expect(ownNotes('## 1.2.0-beta\n\nEarly.', '1.2.0')).toBe('## 1.2.0-beta\n\nEarly.');
  });
});

describe('the details of an app', () => {
  it('contain README and changelogs as safe HTML on request', async () => {
    const store = await published(['1.0.0']);
    const plain = await bodyOf(store.call('GET', PATH));
    expect(plain).toMatchObject({ readme: ATTACK, versions: [{ changelog: `${ATTACK}\n\n1.0.0` }] });
    expect(JSON.stringify(plain)).not.toContain('Html');
    const rendered = await bodyOf(store.call('GET', `${PATH}?html=1`));
    expect(rendered.readmeHtml).toBe(README_HTML);
    expect(rendered.versions[0].changelogHtml).toBe(`${HTML}<p>1.0.0</p>\n`);
    expect(rendered.readme).toBe(ATTACK);
    expect((await store.call('GET', `${PATH}?html=yes`)).status).toBe(400);
  });

  it('contain HTML changelogs only for the ten newest versions', async () => {
    const numbers = Array.from({ length: 12 }, (_, n) => `1.0.${n}`);
    const store = await published(numbers);
    const { versions } = await bodyOf(store.call('GET', `${PATH}?html=1`));
    expect(versions.map((one: { version: string }) => one.version)).toEqual(numbers.toReversed());
    const rendered = versions.filter((one: { changelogHtml?: string }) => one.changelogHtml !== undefined);
    expect(rendered).toHaveLength(10);
    expect(rendered.at(-1)).toMatchObject({ version: '1.0.2' });
  });

  it('shows the pictures of the bundle that the README names, and serves no other file', async () => {
    const store = await openTestStore();
    const token = await store.publisherToken('example', true);
    const readme =
      '![board](./assets/a%20board.png) ![icon](assets/icon.png) ![gone](assets/gone.png) ![demo](assets/gru\u0308n.gif)';
    const files = {
      'README.md': readme,
      'assets/a board.png': png(256),
      'assets/gr\u00fcn.gif': 'GIF89a',
      'assets/secret.png': png(256),
    };
    await store.upload(
      token,
      sampleBundle({ branding: { icon: 'assets/icon.png' } }, { ...files, 'assets/icon.png': png(256) }),
    );
    await store.decide('approve', '1.0.0');
    const { readmeHtml } = await bodyOf(store.call('GET', `${PATH}?html=1`));
    const at = `${PATH}/versions/1.0.0`;
    expect(readmeHtml).toContain(
      `<img src="${at}/readme/assets/a%20board.png" alt="board" loading="lazy" />`,
    );
    expect(readmeHtml).toContain(`<img src="${at}/files/assets/icon.png" alt="icon" loading="lazy" />`);
    expect(readmeHtml).toContain(' gone <img');
    const gif = /src="([^"]*)" alt="demo"/.exec(readmeHtml)?.[1] ?? '';
    expect((await store.call('GET', gif)).headers.get('content-type')).toBe('image/gif');
    const picture = await store.call('GET', `${at}/readme/assets/a%20board.png`);
    expect(picture.status).toBe(200);
    expect(picture.headers.get('content-type')).toBe('image/png');
    expect(picture.headers.get('content-security-policy')).toContain('sandbox');
    for (const path of [
      'files/assets/a%20board.png',
      'readme/assets/secret.png',
      'readme/assets/icon.png',
      'readme/plugin.json',
    ])
      expect((await store.call('GET', `${at}/${path}`)).status, path).toBe(404);
  });
});
