import type { Root } from 'hast';
import { unified } from 'unified';
import { bounded } from './bounded.ts';
import type { Drawing } from './draw-apart.ts';
import type { Rich } from './keep-text.ts';
import { treeOf } from './tree.ts';

/** Scripts of their own, loaded with the first text that needs them. */
const LOADERS = {
  code: () => import('./code.ts'),
  math: () => import('./math.ts'),
} satisfies Record<Rich, () => Promise<unknown>>;

const loaded = new Map<Rich, () => unknown>();

const report = (drawing: Drawing): void => self.postMessage(drawing);

/** The elements of a text in full: with highlighted code, and drawn formulas. */
async function drawn(text: string): Promise<Root | null> {
  try {
    const { root, needed } = treeOf(text);
    for (const rich of needed) {
      if (loaded.has(rich)) continue;
      report({ state: 'loads' });
      loaded.set(rich, (await LOADERS[rich]()).plugin);
      report({ state: 'draws' });
    }
    const processor = unified();
    for (const rich of needed) processor.use(loaded.get(rich) as never);
    return processor.use(bounded as never).runSync(root as never) as unknown as Root;
  } catch {
    // Parsers call themselves for each level of a text, and may run out of stack.
    return null;
  }
}

let last: Promise<void> = Promise.resolve();

/** Draws texts in their order, so that the page knows which one takes long. */
self.onmessage = ({ data }: MessageEvent<string>) => {
  last = last.then(async () => {
    report({ state: 'draws' });
    report({ state: 'drawn', root: await drawn(data) });
  });
};
