import type { Root } from 'hast';
import { unified } from 'unified';
import { bounded } from './bounded.ts';
import type { Rich } from './keep-text.ts';
import { treeOf } from './tree.ts';

/** Scripts of their own, loaded with the first text that needs them. */
const LOADERS = {
  code: () => import('./code.ts'),
  math: () => import('./math.ts'),
} satisfies Record<Rich, () => Promise<unknown>>;

/** The elements of a text in full: with highlighted code, and drawn formulas. */
async function drawn(text: string): Promise<Root | null> {
  try {
    const { root, needed } = treeOf(text);
    const processor = unified();
    for (const rich of needed) processor.use((await LOADERS[rich]()).plugin as never);
    return processor.use(bounded as never).runSync(root as never) as unknown as Root;
  } catch {
    // Parsers call themselves for each level of a text, and may run out of stack.
    return null;
  }
}

self.onmessage = async ({ data }: MessageEvent<string>) => self.postMessage(await drawn(data));
