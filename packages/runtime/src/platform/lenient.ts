import { isObject } from '@svc/contracts/is-object';

type Path = readonly (string | number)[];

/** A schema (https://standardschema.dev), such as those of zod and of the MCP library. */
export type LenientSchema = {
  readonly '~standard': {
    validate(value: unknown): unknown;
  };
};

type Issue = { readonly path?: readonly unknown[] | undefined };

/** Maximum rounds of repairs of one value: each round repairs all faults that the schema reports at once. */
const MAX_ROUNDS = 40;

const stepOf = (step: unknown): string | number => {
  const key = isObject(step) && 'key' in step ? step.key : step;
  return typeof key === 'number' ? key : String(key);
};

/** The paths of the faults that a schema finds; null when it finds none. */
function faultsOf(schema: LenientSchema, value: unknown): Path[] | null {
  const { issues } = schema['~standard'].validate(value) as { issues?: readonly Issue[] };
  return issues ? issues.map(({ path = [] }) => path.map(stepOf)) : null;
}

/** A copy of a value with another part at a path; undefined removes a field or an element. */
function withPart(value: unknown, [step, ...rest]: Path, part: unknown): unknown {
  if (step === undefined) return part;
  if (Array.isArray(value)) {
    const index = Number(step);
    if (rest.length === 0 && part === undefined) return value.filter((_, at) => at !== index);
    return value.map((element: unknown, at) => (at === index ? withPart(element, rest, part) : element));
  }
  const fields = isObject(value) ? value : {};
  const { [String(step)]: old, ...others } = fields;
  const next = withPart(old, rest, part);
  return next === undefined ? others : { ...others, [String(step)]: next };
}

/** Later elements of a list first: removing an element changes the index of those after it. */
const byIndexDescending = (a: Path, b: Path): number => {
  const at = a.findIndex((step, index) => step !== b[index]);
  const [left, right] = [a[at], b[at]];
  return typeof left === 'number' && typeof right === 'number' ? right - left : 0;
};

export type LenientOptions = {
  /** Values that are tried in the place of a required part. Default: none, and the object around it is removed. */
  fillers?: readonly unknown[];
  /** Names of fields that are not filled, for safety or because the object around them is useless without them. */
  essential?: readonly string[];
};

/** A repaired value, and the paths of the parts that were removed or replaced; or the path of the part that cannot be. */
export type Repaired = { value: unknown; lost: readonly string[] } | { fault: string };

const nameOf = (path: Path): string => path.join('.');

/** Repairs of one value: how often each part was replaced, and the values to try. */
type State = { value: unknown; tried: Map<string, number>; triesOf(path: Path): readonly unknown[] };

/** Replaces the part at a path; when nothing is left to try, that around it. @returns its path; null for the whole value */
function replacePart(state: State, path: Path): string | null {
  const { tried, triesOf } = state;
  const attemptOf = (at: Path): number => tried.get(nameOf(at)) ?? 0;
  let at = path;
  while (at.length > 0 && attemptOf(at) >= triesOf(at).length) at = at.slice(0, -1);
  if (at.length === 0) return null;
  const attempt = attemptOf(at);
  // An element that is removed leaves its index to the next one.
  if (typeof at.at(-1) !== 'number') tried.set(nameOf(at), attempt + 1);
  state.value = withPart(state.value, at, triesOf(at)[attempt]);
  return nameOf(at);
}

/**
 * Reads a value of another program part by part: removes or replaces the parts that its schema refuses, and keeps the rest. A value
 * that is well formed is returned as it is.
 */
export function readLeniently(
  schema: LenientSchema,
  value: unknown,
  { fillers = [], essential = [] }: LenientOptions = {},
): Repaired {
  const state: State = {
    value,
    tried: new Map(),
    // A part is removed first, in case it is optional; an element of a list is removed.
    triesOf(path) {
      const isFilled = typeof path.at(-1) === 'string' && !essential.includes(String(path.at(-1)));
      return isFilled ? [undefined, ...fillers] : [undefined];
    },
  };
  const lost = new Set<string>();
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const faults = faultsOf(schema, state.value);
    if (!faults) return { value: state.value, lost: [...lost] };
    for (const path of faults.toSorted(byIndexDescending)) {
      const replaced = replacePart(state, path);
      if (replaced === null) return { fault: nameOf(path) };
      lost.add(replaced);
    }
  }
  return { fault: nameOf(faultsOf(schema, state.value)?.[0] ?? []) };
}
