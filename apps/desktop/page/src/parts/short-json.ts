/** Levels that are indented. Deeper ones stay on their line: indentation makes deep JSON hundreds of times as long as its value. */
const INDENTED = 10;

/** Deepest level that is written. The desktop reads none that is deeper. */
const MAX_LEVELS = 256;

/**
 * A JSON value as indented JSON, up to a length: no more of the value is read, however large or deep it is.
 * @param max the longest text, in characters; what is cut ends with `…`
 */
export function shortJson(value: unknown, max = Number.POSITIVE_INFINITY): string {
  let text = '';
  const isFull = () => text.length > max;
  const add = (more: string) => {
    if (!isFull()) text += more.slice(0, max + 1 - text.length);
  };
  const lineAt = (level: number) => (level <= INDENTED ? `\n${'  '.repeat(level)}` : '');
  const writeParent = (parent: object, level: number): void => {
    const [begin, end] = Array.isArray(parent) ? '[]' : '{}';
    let between = '';
    add(begin ?? '');
    for (const key in parent) {
      if (isFull()) return;
      add(`${between}${lineAt(level + 1)}`);
      if (begin === '{') add(`${JSON.stringify(key.slice(0, max))}: `);
      write((parent as Record<string, unknown>)[key], level + 1);
      between = ',';
    }
    add(`${between === '' ? '' : lineAt(level)}${end}`);
  };
  const write = (one: unknown, level: number): void => {
    if (typeof one === 'string') add(JSON.stringify(one.slice(0, max)));
    else if (typeof one !== 'object' || one === null) add(JSON.stringify(one) ?? 'null');
    else if (level >= MAX_LEVELS) add('"…"');
    else writeParent(one, level);
  };
  write(value, 0);
  return isFull() ? `${text.slice(0, max)}…` : text;
}
