import { isObject } from '@svc/contracts/is-object';
import { count } from '@svc/ui/text';

type Json = Readonly<Record<string, unknown>>;

/** One argument of a tool, as a field of a form. */
export type ToolField = {
  name: string;
  label: string;
  hint: string;
  required: boolean;
  /** Types without a field of their own are entered as JSON. */
  kind: 'string' | 'number' | 'integer' | 'boolean' | 'choice' | 'json';
  /** Options of a `choice`, as JSON texts. */
  options: readonly string[];
  /** What people read for each option. Default: its value. */
  titles?: readonly string[];
  /** Required type of the JSON: `array` or `object`; empty for any. */
  shape: string;
  min: number | null;
  max: number | null;
  /** Initial text of the field. */
  initial: string;
};

/** The text of each field. Booleans are `true`, `false`, or empty. */
export type FieldTexts = Readonly<Record<string, string>>;

/** Result of a form: arguments to send, or error messages by field. */
export type Filled = { arguments: Record<string, unknown> } | { faults: Readonly<Record<string, string>> };

/** Most fields of a form. The arguments of a larger schema are entered as one JSON object. */
const MAX_FIELDS = 60;

/** Name of the field that holds all arguments as one JSON object. */
export const WHOLE = '';

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const numberOf = (value: unknown): number | null => (typeof value === 'number' ? value : null);

/** The types except `null`: a nullable argument can simply be left out. */
function typesOf({ type }: Json): string[] {
  const types = Array.isArray(type) ? type : [type];
  return types.filter((name): name is string => typeof name === 'string' && name !== 'null');
}

function optionsOf(schema: Json): string[] | null {
  if ('const' in schema) return [JSON.stringify(schema.const)];
  if (!Array.isArray(schema.enum) || schema.enum.length === 0) return null;
  return [...new Set(schema.enum.map((value) => JSON.stringify(value)))];
}

const PLAIN = new Set(['string', 'number', 'integer', 'boolean']);

function kindOf(schema: Json): ToolField['kind'] {
  if (optionsOf(schema)) return 'choice';
  const [type, ...others] = typesOf(schema);
  return type !== undefined && others.length === 0 && PLAIN.has(type) ? (type as ToolField['kind']) : 'json';
}

function initialOf(schema: Json, kind: ToolField['kind']): string {
  if (!('default' in schema)) return '';
  return kind === 'string'
    ? textOf(schema.default)
    : (JSON.stringify(schema.default, null, kind === 'json' ? 2 : 0) ?? '');
}

function fieldOf(name: string, declared: unknown, required: boolean): ToolField {
  const schema = isObject(declared) ? declared : {};
  const kind = kindOf(schema);
  const [type = ''] = typesOf(schema);
  const bounds = kind === 'string' ? ['minLength', 'maxLength'] : ['minimum', 'maximum'];
  return {
    name,
    label: textOf(schema.title) || name,
    hint: textOf(schema.description),
    required,
    kind,
    options: optionsOf(schema) ?? [],
    shape: kind === 'json' && ['array', 'object'].includes(type) ? type : '',
    min: numberOf(schema[bounds[0] ?? '']),
    max: numberOf(schema[bounds[1] ?? '']),
    initial: initialOf(schema, kind),
  };
}

/** The only field of a tool whose arguments are unknown: all of them, as JSON. */
export const wholeField = (): ToolField => ({
  ...fieldOf(WHOLE, { type: 'object', default: {} }, true),
  label: 'Arguments as a JSON object',
});

/**
 * The fields for the arguments of a tool, required ones first.
 * @param schema JSON Schema of the arguments from the app's server, which is untrusted
 */
export function fieldsOf(schema: Json): ToolField[] {
  const { properties, required } = schema;
  const names = isObject(properties) ? Object.keys(properties) : [];
  const isOpen = names.length === 0 && schema.additionalProperties !== false && !isObject(properties);
  if (isOpen || names.length > MAX_FIELDS) return [wholeField()];
  const requiredNames = new Set(Array.isArray(required) ? required : []);
  const fields = names.map((name) => fieldOf(name, (properties as Json)[name], requiredNames.has(name)));
  return fields.toSorted((a, b) => Number(b.required) - Number(a.required));
}

class InputError extends Error {}

function checkBounds(value: number, { min, max }: ToolField, show: (n: number) => string = String) {
  if (min !== null && value < min) throw new InputError(`At least ${show(min)}.`);
  if (max !== null && value > max) throw new InputError(`At most ${show(max)}.`);
}

function numberFrom(text: string, field: ToolField): number {
  const value = Number(text);
  if (!Number.isFinite(value)) throw new InputError('Enter a number, such as 2.5.');
  if (field.kind === 'integer' && !Number.isSafeInteger(value)) throw new InputError('Enter a whole number.');
  checkBounds(value, field);
  return value;
}

function jsonFrom(text: string, { shape }: ToolField): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new InputError(`Not valid JSON: ${error instanceof Error ? error.message : ''}`);
  }
  const isShape = shape === 'array' ? Array.isArray(value) : isObject(value);
  if (shape !== '' && !isShape) throw new InputError(`Enter a JSON ${shape}.`);
  return value;
}

function stringFrom(text: string, field: ToolField): string {
  // JSON Schema counts code points, not UTF-16 units.
  checkBounds([...text].length, field, (n: number) => count(n, 'character'));
  return text;
}

function valueFrom(text: string, field: ToolField): unknown {
  if (field.kind === 'string') return stringFrom(text, field);
  if (field.kind === 'number' || field.kind === 'integer') return numberFrom(text.trim(), field);
  return jsonFrom(text, field);
}

const isEmpty = (text: string, { kind }: ToolField): boolean =>
  (kind === 'string' ? text : text.trim()) === '';

/** Parses a form into arguments. Empty fields are left out; an empty required field is an error. */
export function fill(fields: readonly ToolField[], texts: FieldTexts): Filled {
  const faults: [string, string][] = [];
  const filled = fields.flatMap((field): [string, unknown][] => {
    const text = (Object.hasOwn(texts, field.name) && texts[field.name]) || '';
    if (isEmpty(text, field)) {
      if (field.required) faults.push([field.name, 'This field is required.']);
      return [];
    }
    try {
      return [[field.name, valueFrom(text, field)]];
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      faults.push([field.name, error.message]);
      return [];
    }
  });
  // `fromEntries` creates own properties, also for a field named `__proto__`.
  if (faults.length > 0) return { faults: Object.fromEntries(faults) };
  const [first] = filled;
  const isWhole = fields[0]?.name === WHOLE && fields.length === 1;
  return { arguments: isWhole ? (first?.[1] as Record<string, unknown>) : Object.fromEntries(filled) };
}
