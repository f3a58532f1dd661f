import { COMMON, type DiffCase, face, mail, OTHER_PICTURE, PICTURES, send, update } from './diff-parts.ts';

/** Updates that change how users recognise or judge the app. They add no permissions, but still need consent. */
export const FACE: Record<string, DiffCase> = {
  name: {
    why: 'another name',
    after: update({ name: 'Notes 2' }),
    diff: {},
    changes: [face('/name', 'Notes', 'Notes 2')],
  },
  author: {
    why: 'an author where there was none',
    after: update({ author: 'Example Ltd' }),
    diff: {},
    changes: [face('/author', null, 'Example Ltd')],
  },
  icon: {
    why: 'another picture under the same path',
    after: update({}),
    pictures: { after: { 'assets/icon.png': OTHER_PICTURE } },
    diff: {},
    changes: [face('/branding/icon', PICTURES['assets/icon.png'] ?? null, OTHER_PICTURE)],
  },
  'icon-moved': {
    why: 'another picture under another path',
    after: update({ branding: { ...COMMON.branding, icon: 'assets/new.png' } }),
    pictures: { after: { 'assets/new.png': OTHER_PICTURE } },
    diff: {},
    changes: [face('/branding/icon', PICTURES['assets/icon.png'] ?? null, OTHER_PICTURE)],
  },
  'mark-gone': {
    why: 'no mark any more',
    after: update({ branding: { icon: 'assets/icon.png' } }),
    diff: {},
    changes: [face('/branding/mark', PICTURES['assets/mark.svg'] ?? null, null)],
  },
  'permission-sentence': {
    why: 'another sentence about what it may do',
    after: update({ permissions: ['Reads nothing.'] }),
    diff: {},
    changes: [face('/permissions', ['Reads the files you hand to it.'], ['Reads nothing.'])],
  },
  'permission-sentence-gone': {
    why: 'a sentence less, though the app may do as much as before',
    before: { ...COMMON, permissions: [...COMMON.permissions, 'Sends letters.'] },
    after: update({}),
    diff: {},
    changes: [
      face(
        '/permissions',
        ['Reads the files you hand to it.', 'Sends letters.'],
        ['Reads the files you hand to it.'],
      ),
    ],
  },
  'card-title': {
    why: 'another title of the card',
    after: send({ confirm: { title: 'Read it?' } }),
    diff: { toolsChanged: ['send'] },
    changes: [face('/contributes/tools/send/confirm/title', 'Send it?', 'Read it?')],
  },
  'card-body-and-button': {
    why: 'a text and a button that the card did not have',
    after: send({ confirm: { title: 'Send it?', body: 'It is free.', action: 'OK' } }),
    diff: { toolsChanged: ['send'] },
    changes: [
      face('/contributes/tools/send/confirm/action', null, 'OK'),
      face('/contributes/tools/send/confirm/body', null, 'It is free.'),
    ],
  },
  'account-label': {
    why: 'another name of the account',
    after: mail({ label: 'Post' }),
    diff: {},
    changes: [face('/accounts/mail/label', 'Mail', 'Post')],
  },
};
