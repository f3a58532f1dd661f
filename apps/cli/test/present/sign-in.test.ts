import { stripVTControlCharacters } from 'node:util';
import { expect, it } from 'vitest';
import { signInText } from '../../src/present/sign-in.ts';
import { signInOf } from '../../src/sign-in/request.ts';
import { memoryTerminal } from '../support/command-context.ts';
import { START } from '../support/device-store.ts';

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
