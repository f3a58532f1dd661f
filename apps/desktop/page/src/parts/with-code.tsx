import { visible } from '@svc/text';

/** A text of an app. Parts between backticks are shown as code. */
export const WithCode = ({ text }: { text: string }) =>
  visible(text)
    .split('`')
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no ids and do not move
    .map((part, n) => (n % 2 === 1 ? <code key={n}>{part}</code> : part));
