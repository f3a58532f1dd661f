import { visible } from './visible.ts';

/** A text of an app, of which what stands between backticks is code. */
export const WithCode = ({ text }: { text: string }) =>
  visible(text)
    .split('`')
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no names and do not move
    .map((part, n) => (n % 2 === 1 ? <code key={n}>{part}</code> : part));
