/** A change at a location in a document: put a value, or remove the value. */
export type Change = { readonly put: unknown } | { readonly remove: true };

/** A JSON object or array. */
type Container = Record<string, unknown> | unknown[];

const isContainer = (value: unknown): value is Container => typeof value === 'object' && value !== null;

/** The steps of a JSON Pointer (RFC 6901); undefined when it is not one. */
export function stepsOf(pointer: string): string[] | undefined {
  if (pointer === '') return [];
  if (!pointer.startsWith('/')) return undefined;
  return pointer
    .slice(1)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The value at a path; undefined when there is none. Only own properties are followed. */
export function valueAt(value: unknown, steps: readonly string[]): unknown {
  let here = value;
  for (const step of steps) {
    if (!isContainer(here) || !Object.hasOwn(here, step)) return undefined;
    here = (here as Record<string, unknown>)[step];
  }
  return here;
}

/**
 * Returns a copy of the document with one value changed.
 * @param steps path to the value; only the last step may name a field that does not exist
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

/** Uses `Object.fromEntries`, which defines properties: an assignment to `__proto__` would set the prototype. */
function replaced(container: Container, step: string, value: unknown): Container {
  if (Array.isArray(container)) return container.with(Number(step), value);
  const fields = Object.entries(container);
  if (!Object.hasOwn(container, step)) return Object.fromEntries([...fields, [step, value]]);
  return Object.fromEntries(fields.map(([key, old]) => [key, key === step ? value : old]));
}
