import { DEEP, numbersFrom } from '@svc/testkit';
import type { Page } from 'playwright-core';
import { describe, expect, it as plainTest } from 'vitest';
import { bounded } from '../../../../page/src/chat/rich/bounded.ts';
import { NEEDS_BROWSER } from '../../support/browser.ts';
import type { openFakeDesktop } from '../../support/fake-desktop.ts';
import { pageTest as it } from '../../support/page-test.ts';
import { CHAT, message, text } from '../../support/sample-chats.ts';

type Node = { type: string; value?: string; children?: Node[] };

describe('the depth of what is drawn', () => {
  plainTest('is bounded, and keeps the text in its order', () => {
    let deep: Node = { type: 'text', value: 'innermost' };
    for (let n = 0; n < 200_000; n += 1)
      deep = { type: 'element', children: [{ type: 'text', value: n < 3 ? `${n}` : '' }, deep] };
    const root: Node = { type: 'root', children: [deep, { type: 'text', value: 'after' }] };
    bounded()(root);
    let depth = 0;
    let said = '';
    const walk = (node: Node, level: number): void => {
      depth = Math.max(depth, level);
      said += node.value ?? '';
      for (const child of node.children ?? []) walk(child, level + 1);
    };
    walk(root, 0);
    expect(depth).toBeLessThan(70);
    expect(said).toBe('210innermostafter');
  });
});

/** Code of three languages whose highlighting nests once for each of these. */
const NESTED = [
  `\`\`\`js\n${'${`'.repeat(2_000)}`,
  `\`\`\`ruby\n${'"#{'.repeat(3_000)}`,
  `\`\`\`bash\n${'"$('.repeat(3_000)}`,
];

const PIECES = [
  ...[
    'a ',
    'word ',
    '*',
    '**',
    '_',
    '~~',
    '`',
    '``',
    '[',
    '](',
    '![',
    ']',
    '<',
    '<a>',
    '</',
    '<!--',
    '&amp;',
    '&#x202e;',
  ],
  ...[
    '> ',
    '- ',
    '1. ',
    '# ',
    '| ',
    '|-|-|\n',
    '- [ ] ',
    '  ',
    '    ',
    '\t',
    '\n',
    '\n\n',
    '---\n',
    '[^a]',
    '[^a]: ',
    '[a]: x\n',
  ],
  ...[
    '$',
    '$$',
    '\\(',
    '\\[',
    '\\frac{',
    '\\sqrt{',
    '^{',
    '_{',
    '}',
    '\\left(',
    '\\begin{matrix}',
    '\\text{',
    '\\def\\a{\\a\\a}',
  ],
  ...[
    '```js\n',
    '```ruby\n',
    '```bash\n',
    '```html\n',
    '```json\n',
    '```css\n',
    '```php\n',
    '```\n',
    '~~~\n',
    '${`',
    '"#{',
    '"$(',
    '{',
    '(',
    '"',
    "'",
  ],
  ...['https://a.example/ ', 'a@b.example ', '\u202e', '\u0000', '\ud800', '😀', 'é', 'שלום ', '\\', '\\*'],
];

/** An answer of at most 20 kB: pieces, each alone, many times, or between others. */
function answerOf(random: () => number): string {
  const below = (end: number) => Math.floor(random() * end);
  const size = 1 + below(20_000) ** (1 - random() / 2);
  let said = '';
  while (said.length < size) {
    const piece = PIECES[below(PIECES.length)] ?? '';
    said += below(4) === 0 ? piece.repeat(1 + below(below(2) === 0 ? 20 : 3_000)) : piece;
  }
  const whole = said.slice(0, size);
  // Mutated: a part is moved.
  const [from, to] = [below(whole.length), below(whole.length)];
  return below(2) === 0 ? whole : whole.slice(from) + whole.slice(to, from) + whole.slice(0, to);
}

/** What a part of an answer may stand in. */
const WITHIN: readonly ((inner: string) => string)[] = [
  (inner) => inner.replaceAll(/^/gm, '> '),
  (inner) => `- ${inner.replaceAll('\n', '\n  ')}`,
  (inner) => `1. ${inner.replaceAll('\n', '\n   ')}`,
  (inner) => `- [ ] ${inner.replaceAll('\n', '\n  ')}\n\n  and`,
  (inner) => `**${inner}**`,
  (inner) => `_${inner}_`,
  (inner) => `~~${inner}~~`,
  (inner) => `[${inner}](https://a.example)`,
  (inner) => `![${inner}](a.png "${inner.slice(0, 20)}")`,
  (inner) => `<div><b title="x">${inner}</b></div>`,
  (inner) => `<details><summary>s</summary>\n\n${inner}\n\n</details>`,
  (inner) => `| a | b |\n|-|-|\n| ${inner.replaceAll('\n', ' ')} | x |`,
  (inner) => `[^${inner.length}]\n\n[^${inner.length}]: ${inner.replaceAll('\n', '\n    ')}`,
  (inner) => `$\\frac{${inner}}{2}$`,
  (inner) => `$$\n\\sqrt{\\left(${inner}\\right)}\n$$`,
  (inner) => `\\begin{matrix}${inner} & x \\\\ y\\end{matrix}`,
  (inner) => `\`\`\`js\n\${\`${inner}\`}\n\`\`\``,
  (inner) => `{"a": [${inner}]}`,
  (inner) => `# ${inner}\n\n${inner}`,
];

/** An answer of at most 20 kB whose parts stand within each other: the same ones many times, or others. */
function nestedOf(random: () => number): string {
  const below = (end: number) => Math.floor(random() * end);
  let said = PIECES[below(PIECES.length)] ?? '';
  let within = WITHIN[0];
  for (let level = below(500); level > 0; level -= 1) {
    if (below(8) === 0 || level % 100 === 0) within = WITHIN[below(WITHIN.length)];
    const larger = within?.(said) ?? said;
    if (larger.length > 20_000) return said;
    said = larger;
  }
  return said;
}

/** An ordinary answer of 20 kB, each of whose blocks is another one in each answer: what has not changed is not drawn again. */
const ordinaryOf = (n: number): string =>
  `## Step ${n}\n\nRead the *label*, then \`open\` it ${n} times:\n\n- one of **${n}**\n- the other\n\n| a | b |\n|-|-|\n| 1 | ${n} |\n\n`
    .repeat(200)
    .slice(0, 20_000);

/**
 * Most that an answer may cost, in ordinary answers of 20 kB. One of those takes some 80 ms on a busy machine, and nearly all hostile ones
 * less than two of them; a single paragraph of 20,000 letters from other fonts takes Chromium four to five to lay out.
 */
const MAX_COST = 6;

/** How often an answer that costs more is shown again: what it costs is the least that it ever cost. */
const AGAIN = 4;

type Desk = Awaited<ReturnType<typeof openFakeDesktop>>;

/** Shows answers in a conversation. @returns what the page needs for one, in milliseconds of its processor time */
async function shower(desk: Desk, page: Page) {
  const session = await page.context().newCDPSession(page);
  // The time of the thread: that in which other programs have the processor does not count.
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const used = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1_000;
  };
  let rev = 0;
  let before = await used();
  return async (answer: string): Promise<number> => {
    rev += 1;
    const end = `end-${rev}.`;
    const shown = message(2, 'assistant', [text(`${answer}\n\n${end}`)]);
    desk.tell({ type: 'chat-message', chat: 'c1', rev, message: shown });
    const state = await page.evaluate(async (words) => {
      const said = () => document.querySelector('.message.assistant')?.textContent ?? words;
      while (!said().includes(words)) await new Promise(requestAnimationFrame);
      return {
        undrawn: document.querySelectorAll('.not-drawn, .error-state').length,
        answers: document.querySelectorAll('.message.assistant').length,
        composers: document.querySelectorAll('.composer textarea').length,
      };
    }, end);
    const blank = { undrawn: 0, answers: 1, composers: 1 };
    expect([state, answer.slice(0, 200)]).toEqual([blank, answer.slice(0, 200)]);
    const now = await used();
    const cost = now - before;
    before = now;
    return cost;
  };
}

/** Shows answers one after the other, with ordinary ones between them. @returns the costs of both, and those that cost too much */
async function showAll(desk: Desk, page: Page, answers: readonly string[]) {
  const show = await shower(desk, page);
  const ordinary: number[] = [];
  const costs: number[] = [];
  // The first ones are slower: their code is not compiled.
  for (const n of [1, 2, 3]) await show(ordinaryOf(n));
  for (const [at, answer] of answers.entries()) {
    if (at % 25 === 0) ordinary.push(await show(ordinaryOf(at + 4)));
    costs.push(await show(answer));
  }
  const usual = ordinary.toSorted((a, b) => a - b)[Math.floor(ordinary.length / 2)] ?? 0;
  const heavy: string[] = [];
  for (const [at, answer] of answers.entries()) {
    let cost = costs[at] ?? 0;
    for (let n = 0; n < AGAIN && cost > MAX_COST * usual; n += 1)
      cost = Math.min(cost, await show(`${'\n'.repeat(n + 1)}${answer}`));
    costs[at] = cost;
    if (cost > MAX_COST * usual) heavy.push(`${cost} ms: ${answer.slice(0, 300)}`);
  }
  return { usual, most: Math.max(...costs), heavy };
}

describe('hostile answers, in a real browser', NEEDS_BROWSER, () => {
  it('never take the page away: templates within templates, and fifty that are generated', async ({
    desk,
    page,
    visit,
  }) => {
    const messages = [message(1, 'user', [text('Go')]), message(2, 'assistant', [text('first')])];
    desk.answers['chats.open'] = () => ({ chat: CHAT, messages, more: false, rev: 0 });
    await visit('chat/c1', 'Chat');
    await page.getByText('first').waitFor();
    const random = numbersFrom(7);
    const show = await shower(desk, page);
    const generators = [answerOf, nestedOf];
    for (const answer of [
      ...NESTED,
      ...Array.from({ length: 25 }, () => generators)
        .flat()
        .map((one) => one(random)),
    ])
      await show(answer);
    await page.getByLabel('Message', { exact: true }).fill('still here');
  });

  const GENERATORS = [
    ...Array.from({ length: 40 }, (_, part) => ['generated and mutated', 100 + part, answerOf] as const),
    ...Array.from({ length: 10 }, (_, part) => ['nested', 200 + part, nestedOf] as const),
  ];

  it.for(GENERATORS)(
    'never take the page away, and cost no more than six ordinary ones: 500 that are %s, of %i',
    DEEP,
    async ([kind, seed, generated], { desk, page, visit }) => {
      const messages = [message(1, 'user', [text('Go')]), message(2, 'assistant', [text('first')])];
      desk.answers['chats.open'] = () => ({ chat: CHAT, messages, more: false, rev: 0 });
      await visit('chat/c1', 'Chat');
      await page.getByText('first').waitFor();
      const random = numbersFrom(seed);
      const answers = Array.from({ length: 500 }, () => generated(random));
      const { usual, most, heavy } = await showAll(desk, page, [...NESTED, ...answers]);
      const [of, by] = [usual, most].map(Math.round);
      process.stdout.write(
        `${answers.length} answers, ${kind}, none blank; an ordinary one ${of} ms, the longest ${by} ms\n`,
      );
      expect(heavy).toEqual([]);
    },
  );
});
