import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { Answer, SaveCard } from '../../src/cards/card.ts';
import { saveToProject } from '../../src/files/save-to-project.ts';
import { installed } from '../support/app.ts';
import { refused } from '../support/refused.ts';
import { system } from '../support/system.ts';

const { signal } = new AbortController();

/** A project, a folder outside of it that must not change, and a function that saves. */
function opened(
  answer: (card: SaveCard) => Answer = ({ binding }) => ({ accepted: true, binding }),
  grants = ['project:write'],
) {
  const root = mkdtempSync(join(tmpdir(), 'svc-project-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const [project, outside] = [join(root, 'project'), join(root, 'outside')];
  for (const folder of [project, outside, join(project, 'src'), join(project, '.git')]) mkdirSync(folder);
  const cards: SaveCard[] = [];
  const app = installed({ grants: grants as 'project:write'[] });
  const save = (path: string, bytes: Uint8Array = Buffer.from('hello')) =>
    saveToProject(
      {
        system,
        ask: async (card) => {
          cards.push(card as SaveCard);
          return answer(card as SaveCard);
        },
      },
      { app, project, path, bytes },
      signal,
    );
  return { project, outside, cards, save };
}

it('saves the file that the card shows, at the path that it shows', async () => {
  const { project, cards, save } = opened();
  await save('src/notes.md');
  expect(cards).toMatchObject([
    {
      kind: 'save',
      path: 'src/notes.md',
      replaces: false,
      file: { name: 'notes.md', type: 'text/markdown', bytes: 5 },
    },
  ]);
  expect(readFileSync(join(project, 'src/notes.md'), 'utf8')).toBe('hello');
  expect(readdirSync(join(project, 'src'))).toEqual(['notes.md']);
});

it('shows that the file exists already, and replaces all of its content', async () => {
  const { project, cards, save } = opened();
  writeFileSync(join(project, 'a.txt'), 'old and longer');
  await save('a.txt');
  expect(cards[0]?.replaces).toBe(true);
  expect(readFileSync(join(project, 'a.txt'), 'utf8')).toBe('hello');
});

it('saves nothing without the grant, without approval, or with the binding of another card', async () => {
  await expect(opened(undefined, []).save('a.txt')).rejects.toEqual(refused('file-refused'));
  for (const answer of [{ accepted: false }, { accepted: true }, { accepted: true, binding: 'x' }] as const) {
    const { project, save } = opened(() => answer);
    await expect(save('a.txt')).rejects.toEqual(refused('declined'));
    expect(readdirSync(project)).toEqual(['.git', 'src']);
  }
});

it.each([
  '../outside/a.txt',
  'src/../../outside/a.txt',
  '/etc/passwd',
  'C:\\Windows\\a.txt',
  'src\\a.txt',
  '.git/hooks',
  '.git/config',
  '.env',
  'src/.hidden',
  '',
  '.',
  '..',
  'src/',
  'a.txt/',
  'CON',
  'nul.txt',
  'a.txt:stream',
  'a.txt ',
  'a.',
  'a\u202etxt.exe',
  'a\u0000.txt',
  'missing/a.txt',
  'x/'.repeat(9).concat('a.txt'),
  `${'x'.repeat(300)}.txt`,
  'src',
])('does not save as %j, and shows no card', async (path) => {
  const { cards, save } = opened();
  await expect(save(path)).rejects.toEqual(refused('file-refused'));
  expect(cards).toEqual([]);
});

it('does not follow symbolic links', async () => {
  const { project, outside, save } = opened();
  symlinkSync(outside, join(project, 'link'));
  writeFileSync(join(outside, 'a.txt'), 'theirs');
  symlinkSync(join(outside, 'a.txt'), join(project, 'b.txt'));
  for (const path of ['link/new.txt', 'link/a.txt', 'b.txt']) {
    await expect(save(path)).rejects.toEqual(refused('file-refused'));
  }
  expect(readdirSync(outside)).toEqual(['a.txt']);
  expect(readFileSync(join(outside, 'a.txt'), 'utf8')).toBe('theirs');
});

it('does not follow a symbolic link that is created while the card is shown', async () => {
  const { project, outside, save } = opened(({ binding }) => {
    renameSync(join(project, 'src'), join(project, 'gone'));
    symlinkSync(outside, join(project, 'src'));
    return { accepted: true, binding };
  });
  await expect(save('src/a.txt')).rejects.toEqual(refused('file-refused'));
  expect(readdirSync(outside)).toEqual([]);
});

it('does not replace a file that is created while the card is shown', async () => {
  const { project, save } = opened(({ binding }) => {
    writeFileSync(join(project, 'a.txt'), 'mine');
    return { accepted: true, binding };
  });
  await expect(save('a.txt')).rejects.toEqual(refused('file-refused'));
  expect(readFileSync(join(project, 'a.txt'), 'utf8')).toBe('mine');
});

it('saves the bytes that the card showed, even if the caller changes its buffer later', async () => {
  const bytes = Buffer.from('hello');
  const { project, save } = opened(({ binding }) => {
    bytes.fill(88);
    return { accepted: true, binding };
  });
  await save('a.txt', bytes);
  expect(readFileSync(join(project, 'a.txt'), 'utf8')).toBe('hello');
});
