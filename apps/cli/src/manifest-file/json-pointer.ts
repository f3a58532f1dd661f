/** What to do at a place of a document: put this there, or take away what stands there. */
export type Change = { readonly put: unknown } | { readonly remove: true };

/** A value as JSON has it: an object or a list holds more of them. */
type Container = Record<string, unknown> | unknown[];

const isContainer = (value: unknown): value is Container => typeof value === 'object' && value !== null;

/** The steps of a JSON Pointer (RFC 6901); undefined for what is none. */
export function stepsOf(pointer: string): string[] | undefined {
  if (pointer === '') return [];
  if (!pointer.startsWith('/')) return undefined;
  return pointer
    .slice(1)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** What stands where the steps lead; undefined when nothing does. Only a value's own fields count. */
export function valueAt(value: unknown, steps: readonly string[]): unknown {
  let here = value;
  for (const step of steps) {
    if (!isContainer(here) || !Object.hasOwn(here, step)) return undefined;
    here = (here as Record<string, unknown>)[step];
  }
  return here;
}

/**
 * The same document with one place changed; the one given stays as it is.
 * @param steps to a place in a value that is there, though the last one may lead to a field that is not
 */
export function withChange(document: unknown, steps: readonly string[], change: Change): unknown {
  const [step, ...rest] = steps;
  if (step === undefined) throw new TypeError('the document as a whole cannot be changed');
  if (!isContainer(document)) throw new TypeError(`nothing can be put at ${JSON.stringify(step)}`);
  if (rest.length > 0) return replaced(document, step, withChange(valueAt(document, [step]), rest, change));
  if ('put' in change) return replaced(document, step, change.put);
  if (Array.isArray(document)) return document.toSpliced(Number(step), 1);
  return Object.fromEntries(Object.entries(document).filter(([key]) => key !== step));
}

/** `Object.fromEntries` defines fields, where an assignment would take the key `__proto__` for the prototype. */
function replaced(container: Container, step: string, value: unknown): Container {
  if (Array.isArray(container)) return container.with(Number(step), value);
  const fields = Object.entries(container);
  if (!Object.hasOwn(container, step)) return Object.fromEntries([...fields, [step, value]]);
  return Object.fromEntries(fields.map(([key, old]) => [key, key === step ? value : old]));
}
