import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { encode } from 'uqr';
import { describe, expect, it } from 'vitest';
import { qrCode, signInText } from '../../src/commands/login.ts';
import type { Terminal } from '../../src/io/terminal.ts';
import { signInOf } from '../../src/sign-in/request.ts';
import { memoryKeyring, memoryTerminal, testCli } from '../support/command-context.ts';
import { deviceStore, OLD_TOKEN, ok, PENDING, refusal, START, TOKEN } from '../support/device-store.ts';

type Script = Parameters<typeof deviceStore>[0];
type Given = NonNullable<Parameters<typeof testCli>[1]>;

/** A developer with a store that follows the script. */
async function developer(script: Script = {}, given: Given = {}, env = {}) {
  const store = await deviceStore(script);
  const cli = await testCli({ SVC_STORE: store.url, ...env }, given);
  const file = path.join(cli.env.XDG_CONFIG_HOME ?? '', 'svc', 'credentials.json');
  return { ...cli, store, file, kept: () => readFile(file, 'utf8').catch(() => null) };
}

/** Browsers that record the pages to open. */
function browser(works = true) {
  const opened: string[] = [];
  const openPage = async (address: string) => {
    opened.push(address);
    return works;
  };
  return { opened, openPage };
}

const urls = (seen: readonly { method: string; url: string }[]) =>
  seen.map(({ method, url }) => `${method} ${url.replace('/api/developer', '')}`);

describe('svc login', () => {
  it('shows the code, polls, saves the token and shows the account', async () => {
    const { run, store, file, kept } = await developer({ polls: [PENDING, ok({ token: TOKEN })] });
    const { code, out, err } = await run('login');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain('│   B C D F - G H J K   │');
    expect(out).toContain(`${store.url}/device?code=BCDF-GHJK`);
    expect(out).toContain(`logged in  ${store.url}\n`);
    expect(out).toContain('Anna (anna@example.org)');
    expect(out).toContain('publish updates, yank versions');
    expect(out).toContain(`saved in    ${file}`);
    expect(urls(store.seen)).toEqual([
      'POST /device/start',
      'POST /device/poll',
      'POST /device/poll',
      'GET /whoami',
    ]);
    expect(store.seen.map(({ authorization }) => authorization)).toEqual([
      undefined,
      undefined,
      undefined,
      `Bearer ${TOKEN}`,
    ]);
    expect(JSON.parse(String(store.seen[0]?.body))).toEqual({ client: 'svc on laptop' });
    expect(await kept()).toContain(TOKEN);
  });

  it('saves the token in the system keyring, and says so', async () => {
    const { keyring, secrets } = memoryKeyring();
    const { run, store, kept } = await developer({}, { keyring });
    expect((await run('login')).out).toContain('saved in    the system keyring');
    expect([...secrets]).toEqual([[store.url, TOKEN]]);
    expect(await kept()).not.toContain('svcd_');
  });

  it('requests only the given scopes and publisher', async () => {
    const { run, store } = await developer();
    await run('login', '--publisher', 'example', '--scope', 'status', 'yank', '--scope', 'publish:new');
    expect(JSON.parse(String(store.seen[0]?.body))).toEqual({
      client: 'svc on laptop',
      publisher: 'example',
      scopes: ['status', 'yank', 'publish:new'],
    });
  });

  it.each([
    { args: ['--scope', 'everything'], says: '--scope must be one or more of: publish:new' },
    { args: ['--publisher', 'Not A Slug'], says: '--publisher must be' },
    { args: ['--store', 'http://store.example'], says: 'Use https' },
    { args: ['--store', 'javascript:1'], says: '--store must be' },
    { args: ['--token', TOKEN], says: 'unknown option' },
  ])('reports $args as a usage error, and sends nothing', async ({ args, says }) => {
    const { run, store } = await developer();
    const { code, out, err } = await run('login', ...args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(says);
    expect(err).not.toContain(TOKEN);
    expect(store.seen).toEqual([]);
  });

  it.each([
    { polls: [refusal(403, 'access_denied')], says: 'was denied' },
    { polls: [refusal(410, 'expired')], says: 'has expired' },
    { polls: [PENDING], says: 'has expired' },
    { polls: [ok({ token: 'hunter2' })], says: 'sent an invalid token' },
  ])('keeps nothing when it $says', async ({ polls, says }) => {
    const { run, kept } = await developer({ polls });
    const { code, err } = await run('login');
    expect(code).toBe(1);
    expect(err).toContain(says);
    expect(err).not.toContain('hunter2');
    expect(await kept()).toBeNull();
  });

  it('stays logged in when the account cannot be read', async () => {
    const { run, kept } = await developer({ who: refusal(500, 'internal') });
    const { code, out, err } = await run('login');
    expect(code).toBe(0);
    expect(out).toContain('saved in  ');
    expect(err).toBe('Could not read your account from the store: No: internal.\n');
    expect(await kept()).toContain(TOKEN);
  });
});

describe('svc login with an old token', () => {
  const twice = async (script: Script = {}) => {
    const given = await developer({
      polls: [ok({ token: OLD_TOKEN }), ok({ token: TOKEN })],
      ...script,
    });
    await given.run('login');
    const before = given.store.seen.length;
    return { ...given, second: await given.run('login'), asked: given.store.seen.slice(before) };
  };

  it('says so, saves the new token, then revokes the old one', async () => {
    const { second, asked, kept } = await twice();
    expect(second.err).toContain('already logged in');
    expect(urls(asked)).toEqual(['POST /device/start', 'POST /device/poll', 'DELETE /token', 'GET /whoami']);
    expect(asked[2]?.authorization).toBe(`Bearer ${OLD_TOKEN}`);
    expect(await kept()).toContain(TOKEN);
    expect(await kept()).not.toContain(OLD_TOKEN);
  });

  it('reports when the old token could not be revoked, and continues', async () => {
    const { second, kept } = await twice({ revoke: refusal(503, 'unavailable') });
    expect(second.code).toBe(0);
    expect(second.err).toContain('The old token could not be revoked');
    expect(await kept()).toContain(TOKEN);
  });

  it('starts no sign-in when a new token could not be saved', async () => {
    const { run, store, file } = await developer();
    await run('login');
    const before = store.seen.length;
    await writeFile(file, 'damaged');
    const { code, out, err } = await run('login');
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain('corrupt');
    expect(store.seen).toHaveLength(before);
  });

  it('revokes a new token that it cannot save', async () => {
    let spoil = async () => {};
    const { run, store, file } = await developer({ onRequest: (url) => url.endsWith('/poll') && spoil() });
    await run('login');
    spoil = () => writeFile(file, 'damaged meanwhile');
    const before = store.seen.length;
    const { code, err } = await run('login');
    expect(code).toBe(1);
    expect(err).toContain('corrupt');
    expect(urls(store.seen.slice(before)).at(-1)).toBe('DELETE /token');
    expect(store.seen.at(-1)?.authorization).toBe(`Bearer ${TOKEN}`);
  });

  it('warns that SVC_TOKEN takes precedence', async () => {
    const { run } = await developer({}, {}, { SVC_TOKEN: OLD_TOKEN });
    expect((await run('login')).err).toContain('SVC_TOKEN is set');
  });
});

describe('the page of a sign-in', () => {
  it('opens in the browser of the user', async () => {
    const { opened, openPage } = browser();
    const { run, store } = await developer({}, { openPage });
    expect((await run('login')).out).toContain('Opening the page in your browser');
    expect(opened).toEqual([`${store.url}/device?code=BCDF-GHJK`]);
  });

  it('does not open with --no-browser', async () => {
    const { opened, openPage } = browser();
    const { run } = await developer({}, { openPage });
    expect(await run('login', '--no-browser')).toMatchObject({ code: 0 });
    expect(opened).toEqual([]);
  });

  it('is not announced when no browser can be started', async () => {
    const { run } = await developer({}, browser(false));
    const { code, out } = await run('login');
    expect(code).toBe(0);
    expect(out).not.toContain('The page opens');
  });

  it('is shown but not opened when it is not on the host of the store', async () => {
    const { opened, openPage } = browser();
    const verifyUrl = 'https://store.example/device';
    const { run } = await developer({ start: { verifyUrl } }, { openPage });
    const { code, out, err } = await run('login');
    expect({ code, opened }).toEqual({ code: 0, opened: [] });
    expect(out).toContain(verifyUrl);
    expect(err).toContain('not on the host of the store');
  });

  it.each([
    { verifyUrl: 'javascript:alert(document.cookie)' },
    { verifyUrl: 'file:///etc/passwd' },
    { verifyUrl: 'https://store.example@evil.example/' },
    { verifyUrl: '--version' },
    { userCode: '\u001b]0;owned\u0007\u001b[2JBCDF-GHJK' },
    { userCode: 'BCDF-GHJK\nlogged in  https://store.example' },
    { deviceCode: '' },
    { interval: 'soon' },
    { expiresIn: 1e99 },
  ])('is neither shown nor opened when the store answers with %o', async (start) => {
    const { opened, openPage } = browser();
    const { run, store } = await developer({ start }, { openPage });
    const { code, out, err } = await run('login');
    expect({ code, out, opened }).toEqual({ code: 1, out: '', opened: [] });
    expect(err).toMatch(/^svc: [^\n\p{C}]+\n$/u);
    expect(urls(store.seen)).toEqual(['POST /device/start']);
  });

  it.each([0, -1, 1_000_000])(
    'neither floods nor waits for ever with an interval of %i s',
    async (interval) => {
      const { run, store } = await developer({ start: { interval }, polls: [PENDING] });
      expect((await run('login')).err).toContain('has expired');
      const polls = urls(store.seen).filter((url) => url.endsWith('/poll'));
      expect(polls.length).toBe(interval > 0 ? START.expiresIn / 60 : START.expiresIn);
    },
  );
});

describe('svc login that is interrupted', () => {
  /** Ctrl-C, pressed at the n-th request to the store. */
  const pressedAt = async (call: number, script: Script) => {
    const controller = new AbortController();
    let calls = 0;
    const onRequest = () => {
      calls += 1;
      if (calls === call) controller.abort();
    };
    const given = await developer({ ...script, onRequest }, { interrupted: () => controller.signal });
    return { ...given, ended: await given.run('login') };
  };

  it('stops polling, and saves nothing', async () => {
    const { ended, store, kept } = await pressedAt(3, { polls: [PENDING] });
    expect(ended).toMatchObject({ code: 130, err: 'svc: Cancelled; no token was saved.\n' });
    expect(urls(store.seen)).toEqual(['POST /device/start', 'POST /device/poll', 'POST /device/poll']);
    expect(await kept()).toBeNull();
  });

  it('revokes a token that arrives too late', async () => {
    const { ended, store, kept } = await pressedAt(2, { polls: [ok({ token: TOKEN })] });
    expect(ended).toMatchObject({ code: 130, err: 'svc: Cancelled; no token was saved.\n' });
    expect(urls(store.seen).at(-1)).toBe('DELETE /token');
    expect(store.seen.at(-1)?.authorization).toBe(`Bearer ${TOKEN}`);
    expect(await kept()).toBeNull();
  });
});

it('never shows a token', async () => {
  const evil = { code: 'internal', message: `you sent ${TOKEN}`, requestId: TOKEN };
  const { run } = await developer({ who: { status: 500, body: evil } });
  const login = await run('login');
  const whoami = await run('whoami');
  const logout = await run('logout');
  const shown = JSON.stringify([login, whoami, logout]);
  expect(shown).toContain('[token]');
  expect(shown).not.toContain(TOKEN.slice(5));
});

describe('sign in', () => {
  const request = signInOf({ ...START, verifyUrl: 'https://store.example/device' }, 'https://store.example');
  const elsewhere = signInOf({ ...START, verifyUrl: 'https://evil.example/' }, 'https://store.example');

  const WORDS = (box: string) => `Open this page in a browser, on any device:

    https://store.example/device

and enter this code:

${box}
Or open this link, which contains the code:

    https://store.example/device?code=BCDF-GHJK

The code expires in 10 minutes.
`;

  it('shows the code in a box, letter by letter', () => {
    const { terminal } = memoryTerminal();
    expect(signInText(terminal, request)).toBe(
      WORDS(`    ╭───────────────────────╮
    │                       │
    │   B C D F - G H J K   │
    │                       │
    ╰───────────────────────╯
`),
    );
  });

  it('draws the box in ASCII without Unicode support', () => {
    const { terminal } = memoryTerminal(false, 40, { unicode: false });
    expect(signInText(terminal, request)).toBe(
      WORDS(`    +-----------------------+
    |                       |
    |   B C D F - G H J K   |
    |                       |
    +-----------------------+
`),
    );
  });

  it('shows a QR code that fits a narrow terminal', () => {
    const { terminal } = memoryTerminal(true, 40, { isScreen: true });
    const lines = stripVTControlCharacters(signInText(terminal, request)).split('\n');
    expect(lines.filter((line) => line.includes('▀')).length).toBeGreaterThan(15);
    const tooWide = lines.filter((line) => line.length > 48 && !line.includes('https://'));
    expect(tooWide).toEqual([]);
  });

  it('shows no link and no QR code for a page of another host', () => {
    const { terminal } = memoryTerminal(true, 120, { isScreen: true });
    const text = signInText(terminal, elsewhere);
    expect(text).toContain('https://evil.example/');
    expect(text).not.toContain('?code=');
    expect(text).not.toContain('▀');
  });

  const TEXT = 'https://store.example/device?code=BCDF-GHJK';

  const draw = (look: Partial<Terminal> = {}, columns = 80) =>
    qrCode(memoryTerminal(true, columns, { isScreen: true, ...look }).terminal, TEXT);

  /** The pixels of the drawing: whether each half of each cell is black. */
  function seen(drawn: string): boolean[][] {
    const CELL = /38;5;(\d+);48;5;(\d+)m▀/g;
    return drawn
      .trimEnd()
      .split('\n')
      .flatMap((line) => {
        const cells = [...line.matchAll(CELL)].map(([, upper, lower]) => [upper === '16', lower === '16']);
        return [cells.map(([upper]) => upper === true), cells.map(([, lower]) => lower === true)];
      });
  }

  it('draws the code in black on white in every theme, with a border of four light modules', () => {
    const rows = seen(draw());
    const { data } = encode(TEXT, { ecc: 'L', border: 4 });
    expect(rows.slice(0, data.length)).toEqual(data);
    expect(rows.slice(0, 4).flat()).not.toContain(true);
    expect(rows.flatMap((row) => row.slice(0, 4))).not.toContain(true);
    expect(rows.flat()).toContain(true);
  });

  it('resets the colours at the end of every line', () => {
    for (const line of draw().trimEnd().split('\n')) expect(line.endsWith('\u001b[0m')).toBe(true);
  });

  it('is empty when the terminal is too narrow', () => {
    const width = seen(draw())[0]?.length ?? 0;
    expect(draw({}, width)).not.toBe('');
    expect(draw({}, width - 1)).toBe('');
  });

  it.each([{ isScreen: false }, { colour: false }, { unicode: false }])(
    'is empty on a terminal that cannot show it: %o',
    (look) => {
      expect(draw(look)).toBe('');
    },
  );
});
