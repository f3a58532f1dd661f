import type { ElicitRequestFormParams } from '@modelcontextprotocol/client';
import { isObject } from '@svc/contracts/is-object';
import { cleanLine, cleanText } from '@svc/text';
import type { FieldValue, QuestionField } from './card.ts';

/** Maximum fields of a question, options of a field, and characters of a name, a title, a description and a message. */
const MAX_FIELDS = 30;
const MAX_OPTIONS = 200;
const MAX_NAME = 100;
const MAX_TITLE = 200;
const MAX_DESCRIPTION = 1_000;
const MAX_MESSAGE = 4_000;
/** Maximum characters of a text that the user enters. */
const MAX_TEXT = 100_000;

/** The form has more than can be shown, or a field that cannot. */
export class UnshowableError extends Error {}

type Json = Readonly<Record<string, unknown>>;

/** The message of a server, on several lines. */
export const messageOf = (text: string): string => cleanText(text).slice(0, MAX_MESSAGE);

const lineOf = (value: unknown, maxLength: number): string =>
  typeof value === 'string' ? cleanLine(value.slice(0, 8 * maxLength), maxLength) : '';

const numberOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;

/** The options of a choice: `enum` with or without `enumNames`, or `oneOf` and `anyOf` with titles (MCP, "EnumSchema"). */
function optionsOf(schema: Json): QuestionField['options'] | null {
  const titled = [schema.oneOf, schema.anyOf].find(Array.isArray);
  const values = titled
    ? titled
        .map((option) => (isObject(option) ? option : {}))
        .map(({ const: value, title }) => [value, title])
    : Array.isArray(schema.enum)
      ? schema.enum.map((value, at) => [
          value,
          Array.isArray(schema.enumNames) ? schema.enumNames[at] : value,
        ])
      : null;
  if (values === null) return null;
  if (values.length > MAX_OPTIONS) throw new UnshowableError('A field has too many options.');
  return values.map(([value, title]) => {
    if (typeof value !== 'string' || value.length > MAX_DESCRIPTION)
      throw new UnshowableError('An option has no short text as its value.');
    return { value, title: lineOf(title, MAX_TITLE) || lineOf(value, MAX_TITLE) };
  });
}

const FORMATS = ['email', 'uri', 'date', 'date-time'] as const;

type Typed = Pick<QuestionField, 'type' | 'isList' | 'options' | 'format' | 'min' | 'max'>;

function typed(schema: Json): Typed {
  const plain = { options: [], format: null, min: null, max: null };
  const options = optionsOf(schema);
  if (options) return { ...plain, type: 'choice', options };
  const bounds = (min: unknown, max: unknown) => ({ min: numberOf(min), max: numberOf(max) });
  switch (schema.type) {
    case 'array': {
      const several = isObject(schema.items) ? optionsOf(schema.items) : null;
      if (!several) throw new UnshowableError('A list has no options.');
      if (several.length === 0) return { ...plain, type: 'string', isList: true };
      return { ...plain, type: 'choices', options: several, ...bounds(schema.minItems, schema.maxItems) };
    }
    case 'boolean':
      return { ...plain, type: 'boolean' };
    case 'number':
    case 'integer':
      return { ...plain, type: schema.type, ...bounds(schema.minimum, schema.maximum) };
    case 'string': {
      const format = FORMATS.find((name) => name === schema.format) ?? null;
      return { ...plain, type: 'string', format, ...bounds(schema.minLength, schema.maxLength) };
    }
    default:
      throw new UnshowableError('A field has a type that forms do not have.');
  }
}

function fieldOf(name: string, schema: Json, required: boolean): QuestionField {
  // The name is sent back as it is: one that cannot be shown cannot be answered.
  if (name.length > MAX_NAME || cleanLine(name, MAX_NAME) !== name)
    throw new UnshowableError('A field has a name that cannot be shown.');
  const field = {
    name,
    title: lineOf(schema.title, MAX_TITLE) || name,
    description: lineOf(schema.description, MAX_DESCRIPTION),
    required,
    ...typed(schema),
    initial: null,
  };
  if (field.isList) field.description = `${field.description} One value per line.`.trim();
  const initial = (
    field.isList && Array.isArray(schema.default) ? schema.default.join('\n') : schema.default
  ) as FieldValue;
  return { ...field, initial: isValueOf(initial, field) ? initial : null };
}

/**
 * The fields of a form.
 * @throws UnshowableError
 */
export function fieldsOf({
  properties,
  required = [],
}: ElicitRequestFormParams['requestedSchema']): QuestionField[] {
  const entries = Object.entries(properties);
  if (entries.length > MAX_FIELDS) throw new UnshowableError(`A form has at most ${MAX_FIELDS} fields.`);
  return entries.map(([name, schema]) => fieldOf(name, schema as Json, required.includes(name)));
}

const isWithin = (size: number, { min, max }: QuestionField): boolean =>
  (min === null || size >= min) && (max === null || size <= max);

const FORMAT_RULES: Readonly<Record<(typeof FORMATS)[number], (text: string) => boolean>> = {
  email: (text) => /^[^\s@]+@[^\s@]+$/.test(text),
  uri: (text) => URL.canParse(text),
  date: (text) => /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)),
  'date-time': (text) => /^\d{4}-\d{2}-\d{2}T/.test(text) && !Number.isNaN(Date.parse(text)),
};

/** Whether a value is one of a field. Empty texts and missing values are not. */
function isValueOf(value: unknown, field: QuestionField): value is FieldValue {
  const { type, options, format } = field;
  const isOption = (one: unknown) => options.some((option) => option.value === one);
  switch (type) {
    case 'boolean':
      return typeof value === 'boolean';
    case 'choice':
      return isOption(value);
    case 'choices':
      return Array.isArray(value) && value.every(isOption) && isWithin(value.length, field);
    case 'string':
      if (typeof value !== 'string' || value.length > MAX_TEXT) return false;
      // JSON Schema counts code points, not UTF-16 units.
      return isWithin([...value].length, field) && (format === null || FORMAT_RULES[format](value));
    default:
      if (typeof value !== 'number' || !Number.isFinite(value)) return false;
      return isWithin(value, field) && (type === 'number' || Number.isSafeInteger(value));
  }
}

/** The values of a list, one on each line. */
const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** The content for the server: values of known fields only; null when one is invalid or a required one is missing. */
export function contentFor(
  fields: readonly QuestionField[],
  given: Readonly<Record<string, unknown>>,
): Record<string, string | number | boolean | string[]> | null {
  const content: [string, string | number | boolean | string[]][] = [];
  for (const field of fields) {
    const value = Object.hasOwn(given, field.name) ? given[field.name] : undefined;
    if (value === undefined && !field.required) continue;
    if (!isValueOf(value, field)) return null;
    const list = field.isList ? linesOf(String(value)) : value;
    content.push([field.name, Array.isArray(list) ? [...list] : (list as string | number | boolean)]);
  }
  return Object.fromEntries(content);
}
