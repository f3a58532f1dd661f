import { useEffect, useState } from 'react';
import type { Options } from 'react-markdown';

type Plugins = {
  remark: NonNullable<Options['remarkPlugins']>;
  rehype: NonNullable<Options['rehypePlugins']>;
};

/** Scripts of their own, loaded with the first text that needs them. */
const LOADERS = {
  code: () => import('./rich/code.ts'),
  math: () => import('./rich/math.ts'),
} as const;

type Name = keyof typeof LOADERS;

const loaded: Partial<Record<Name | 'both', Plugins>> = {};

/** What distinguishes a formula from prices in one line. */
const isFormula = (text: string): boolean =>
  text !== '' && text.trim() === text && !text.includes('\n') && /[\\^_={]/.test(text);

/** Whether a text has mathematics: `$$`, or a formula between two `$`. */
const hasMath = (text: string): boolean =>
  text.includes('$$') ||
  text.split('$').some((part, at, all) => at % 2 === 1 && at < all.length - 1 && isFormula(part));

/** Whether a text has a fence that names its language. */
const hasCode = (text: string): boolean => text.split('\n').some((line) => /^ {0,3}(?:```|~~~)\w/.test(line));

/** A formula that is alone on its line is displayed, as `$$` on lines of their own say it. */
function displayed(line: string): string {
  const text = line.trim();
  const isAlone = text.length > 4 && text.startsWith('$$') && text.endsWith('$$');
  return isAlone ? `$$\n${text.slice(2, -2)}\n$$` : line;
}

/** Models write `\(…\)` and `\[…\]` as often as dollars, and Markdown would drop the backslashes. */
const withDollars = (block: string): string =>
  block
    .replaceAll(/\\[[\]]/g, '$$$$')
    .replaceAll(/\\[()]/g, '$$')
    .split('\n')
    .map(displayed)
    .join('\n');

/** Escapes the dollars that belong to no formula, such as prices. */
function escapePrices(text: string): string {
  const [first = '', ...pieces] = text.split('$');
  let result = first;
  for (let at = 0; at < pieces.length; at += 1) {
    const piece = pieces[at] ?? '';
    const next = pieces[at + 1];
    if (next !== undefined && isFormula(piece)) {
      result += `$${piece}$${next}`;
      at += 1;
    } else result += `${result.endsWith('\\') ? '' : '\\'}$${piece}`;
  }
  return result;
}

const outsideOfDisplays = (block: string): string =>
  block
    .split('$$')
    .map((part, at) => (at % 2 === 1 ? part : escapePrices(part)))
    .join('$$');

/** Blocks of Markdown with their mathematics between dollars. Blocks with code are left alone, and all if there is no mathematics. */
export function withMath(blocks: readonly string[]): readonly string[] {
  const isCode = (block: string) => block.includes('`');
  const written = blocks.map((block) => (isCode(block) ? block : withDollars(block)));
  if (!written.some(hasMath)) return blocks;
  return written.map((block) => (isCode(block) ? block : outsideOfDisplays(block)));
}

const NONE: Plugins = { remark: [], rehype: [] };

/** The plugins that a text needs, as far as they are loaded. */
export function useRich(text: string): Plugins {
  const [, setLoaded] = useState(0);
  const needed = ([hasCode(text) && 'code', hasMath(text) && 'math'] as const).filter(
    (name) => name !== false,
  );
  const names = needed.join();
  const missing = needed.filter((name) => loaded[name] === undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the names say what is missing
  useEffect(() => {
    for (const name of missing) {
      LOADERS[name]().then(
        ({ plugins }) => {
          loaded[name] = plugins;
          setLoaded((n) => n + 1);
        },
        // Without the script the text stays as it is.
        () => undefined,
      );
    }
  }, [names]);
  const own = needed.flatMap((name) => loaded[name] ?? []);
  const [first] = own;
  if (own.length < 2) return first ?? NONE;
  loaded.both ??= {
    remark: own.flatMap(({ remark }) => remark),
    rehype: own.flatMap(({ rehype }) => rehype),
  };
  return loaded.both;
}
