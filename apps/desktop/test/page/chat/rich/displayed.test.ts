import { expect, it } from 'vitest';
import { fenceFormulas } from '../../../../page/src/chat/rich/displayed.ts';

it.each([
  ['\\[\nx\n=\ny\n\\]', '```math\nx\n=\ny\n```'],
  ['- \\[ x \\]\n- b', '- ```math\n   x \n  ```\n- b'],
  ['> $$\n> - y\n> $$', '> ```math\n> - y\n> ```'],
  ['$$x$$.', '```math\nx.\n```'],
  ['\\[\na \\\\[2pt]\nb\n\\], where', '```math\na \\\\[2pt]\nb\n```\n, where'],
  ['\\[\na ```\n\\]', '````math\na ```\n````'],
  ['| $5 | $|x|$ | \\(\\|y\\|\\) |', '| $5 | $\\vert{}x\\vert{}$ | \\(\\Vert{}y\\Vert{}\\) |'],
])('writes the displayed formula of %j as a fence', (text, fenced) => {
  expect(fenceFormulas(text)).toBe(fenced);
});

it.each([
  'It costs $$ and more.',
  '$$x$$ and words',
  '$$\n\n$$',
  '\\[ never closed\n\n\\[ again',
  '$$ beside text\n\n$$',
  '```\n\\[\nx\n\\]\n```',
  '    \\[ code \\]',
  '| $5 | $6 |',
])('leaves %j as it is', (text) => {
  expect(fenceFormulas(text)).toBe(text);
});
