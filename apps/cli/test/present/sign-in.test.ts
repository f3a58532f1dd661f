import { stripVTControlCharacters } from 'node:util';
import { expect, it } from 'vitest';
import { signInText } from '../../src/present/sign-in.ts';
import { signInOf } from '../../src/sign-in/request.ts';
import { memoryTerminal } from '../support/command-context.ts';
import { START } from '../support/device-store.ts';

const request = signInOf({ ...START, verifyUrl: 'https://store.example/device' }, 'https://store.example');
const elsewhere = signInOf({ ...START, verifyUrl: 'https://evil.example/' }, 'https://store.example');

const WORDS = (box: string) => `Open this page in a browser, on whatever device:

    https://store.example/device

and enter this code:

${box}
The code is filled in at:

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

it('does so in ASCII alone', () => {
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

it('has a code to scan on a screen, and no line wider than a narrow one', () => {
  const { terminal } = memoryTerminal(true, 40, { isScreen: true });
  const lines = stripVTControlCharacters(signInText(terminal, request)).split('\n');
  expect(lines.filter((line) => line.includes('▀')).length).toBeGreaterThan(15);
  const tooWide = lines.filter((line) => line.length > 48 && !line.includes('https://'));
  expect(tooWide).toEqual([]);
});

it('leads nobody to a page that is not the store’s own', () => {
  const { terminal } = memoryTerminal(true, 120, { isScreen: true });
  const text = signInText(terminal, elsewhere);
  expect(text).toContain('https://evil.example/');
  expect(text).not.toContain('?code=');
  expect(text).not.toContain('▀');
});
