import type { ServerSurvey } from '@svc/runtime/parts';
import { anyText } from '@svc/testkit/any-text';
import { validateManifest } from '@svc/validator';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Answers } from '../../src/init/answers.ts';
import { answersFrom, fromServer, splitPage } from '../../src/init/from-server.ts';

const STORE = 'https://store.example.com';

const SURVEY: ServerSurvey = {
  url: 'https://mcp.example.com/mcp',
  era: 'legacy',
  name: 'notes',
  title: 'Notes',
  instructions: 'Finds what you wrote down.',
  signIn: null,
  tools: [],
  pages: [],
  notes: [],
};

const made = (survey: Partial<ServerSurvey>) => {
  const whole = { ...SURVEY, ...survey };
  const answers: Answers = {
    ...{ name: 'Notes', id: 'com.example.notes', publisher: 'example', description: 'Finds notes.' },
    category: 'other',
    ...answersFrom(whole),
  } as Answers;
  const { manifest, pages, changes } = fromServer(whole, answers, STORE);
  const { contributes, remote, accounts } = manifest as {
    contributes: {
      tools: { id: string; remoteName?: string; name: string; description: string }[];
      panels?: { id: string }[];
    };
    remote: { domains: string[] };
    accounts?: { scopes: string[] }[];
  };
  const errors = validateManifest(manifest, { mode: 'store' }).filter(({ level }) => level === 'error');
  return { manifest, pages, changes, contributes, remote, accounts, errors };
};

const toolNamed = (name: string, more: object = {}) => ({ name, ...more });

describe('an app from a server', () => {
  it('keeps valid names and texts, and reports nothing', () => {
    const { contributes, changes, errors } = made({
      tools: [toolNamed('find_notes', { title: 'Find notes', description: 'Finds notes by words.' })],
    });
    expect(contributes.tools).toEqual([
      { id: 'find_notes', name: 'Find notes', description: 'Finds notes by words.' },
    ]);
    expect([changes, errors]).toEqual([[], []]);
    expect(answersFrom(SURVEY)).toMatchObject({ name: 'Notes', id: 'com.example.mcp', publisher: 'example' });
  });

  it('keeps the names of a server that are no ids, and reports what it cuts or leaves out', () => {
    const { contributes, changes, errors } = made({
      tools: [
        toolNamed('getNotes', { description: 'x'.repeat(3000) }),
        toolNamed('get-notes', { description: 'Another tool with the same words.' }),
        toolNamed('get_notes', { description: 'A tool whose name is an id.' }),
        toolNamed('browser.click', { description: 'Clicks.' }),
        toolNamed('7zip', { description: 'Packs.' }),
        toolNamed('日本', { description: 'No name of MCP.' }),
        toolNamed('silent'),
      ],
    });
    expect(contributes.tools.map(({ id, remoteName }) => [id, remoteName])).toEqual([
      ['get_notes_2', 'getNotes'],
      ['get_notes_3', 'get-notes'],
      ['get_notes', undefined],
      ['browser_click', 'browser.click'],
      ['t_7zip', '7zip'],
      ['silent', undefined],
    ]);
    expect(contributes.tools[0]?.description.length).toBeLessThanOrEqual(1024);
    expect(changes).toEqual([
      'Cut the description of the tool "get_notes_2" to 1024 characters.',
      'Left out the tool "日本": MCP does not allow its name (1 to 128 letters, digits, "_", "-" and ".").',
      'The tool "silent" has no description. Describe what it does.',
    ]);
    expect(errors).toEqual([]);
  });

  it('writes nothing into the description that a server says to models', () => {
    const instructions = 'You must call find_notes first.';
    expect(answersFrom({ ...SURVEY, instructions }).description).toBe('The tools of Notes.');
  });

  it('has an account with scopes when the server requires one', () => {
    const { accounts, contributes, changes } = made({
      signIn: { host: 'id.example.com', scopes: ['notes:read'] },
      tools: [toolNamed('find_notes', { description: 'Finds.' })],
    });
    expect(accounts).toMatchObject([{ auth: 'mcp', scopes: ['notes:read'] }]);
    expect(contributes.tools).toMatchObject([{ account: 'account' }]);
    expect(changes).toEqual([]);
    expect(made({ signIn: { host: null, scopes: [] }, tools: null }).changes.join()).toContain('RFC 9728');
  });

  it('converts pages to panels, with scripts in files and their hosts', () => {
    const page = {
      uri: 'ui://notes/board',
      title: 'My board',
      html: '<h1>Board</h1><script>run()</script>',
      domains: ['https://api.example.com', 'https://*.com', 'not an address'],
    };
    const { pages, contributes, remote, errors, changes } = made({ pages: [page, page] });
    expect(contributes.panels?.map(({ id }) => id)).toEqual(['my-board', 'my-board-2']);
    expect(pages.get('ui/my-board.html')).toBe('<h1>Board</h1><script src="my-board-1.js"></script>');
    expect(pages.get('ui/my-board-1.js')).toBe('run()');
    expect(remote.domains).toEqual(['api.example.com']);
    expect(changes.join('\n')).toMatch(/Left out a host: /);
    expect(errors).toEqual([]);
  });

  it('is valid for any server, and stays in its folder', () => {
    const words = fc.oneof(
      anyText({ maxLength: 80 }),
      fc.constantFrom(
        '../../etc/passwd',
        'ui/../..',
        '\u202eevil',
        '\u001b[2J',
        'svc',
        'a'.repeat(5000),
        '__proto__',
        'constructor',
        '',
      ),
    );
    const tool = fc.record({ name: words, title: words, description: words });
    const page = fc.record({
      uri: words.map((text) => `ui://${text}`),
      title: words,
      html: words,
      domains: fc.array(words),
    });
    const survey = fc.record({
      name: words,
      title: words,
      instructions: words,
      tools: fc.array(tool, { maxLength: 6 }),
      pages: fc.array(page, { maxLength: 3 }),
    });
    fc.assert(
      fc.property(survey, (said) => {
        const { errors, pages } = made(said);
        expect(errors).toEqual([]);
        for (const name of pages.keys()) expect(name).toMatch(/^ui\/[a-z0-9-]{1,48}\.(html|js)$/);
      }),
      { numRuns: 60 },
    );
  });
});

const split = (html: string) => {
  const { html: page, files } = splitPage(html, 'board');
  return { page, files: Object.fromEntries(files) };
};

describe('splitPage', () => {
  it('moves each inline script into a file, and refers to it at the same position', () => {
    const html =
      '<p>a</p><script>one()</script><p>b</p><SCRIPT type="module" data-x=">">two()</SCRIPT ><p>c</p>';
    expect(split(html)).toEqual({
      page: '<p>a</p><script src="board-1.js"></script><p>b</p><script type="module" data-x=">" src="board-2.js"></script><p>c</p>',
      files: { 'board-1.js': 'one()', 'board-2.js': 'two()' },
    });
  });

  it('does not change data blocks, external scripts and unclosed tags', () => {
    for (const html of [
      '<script type="application/json">{}</script>',
      '<script type="importmap">{}</script>',
      '<script src="a.js"></script>',
      '<script></script>',
      '<script>never',
      '<script',
      '<p>no script</p>',
      '',
    ])
      expect(split(html)).toEqual({ page: html, files: {} });
  });

  it('moves only text of the page, and refers to every file', () => {
    const piece = fc.constantFrom(
      '<script>',
      '</script>',
      '<script src="x">',
      'x',
      '"',
      '<',
      '>',
      '</script',
      ' ',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const { html, files } = splitPage(pieces.join(''), 'p');
        for (const [name, text] of files) {
          expect(html).toContain(`src="${name}"></script>`);
          expect(pieces.join('')).toContain(text);
        }
        if (files.size === 0) expect(html).toBe(pieces.join(''));
      }),
    );
  });
});
