import { cleanLine, cleanText, cleanValue } from '@svc/text';
import { isObject } from './is-object.ts';
import { LIMITS } from './limits.ts';
import type { ServedTool } from './records/served-tools.ts';
import { REMOTE_TOOL_NAME, toolHintsOf } from './vocabulary.ts';

/** A schema of any type and no words, for one that is missing, no object, or too large. */
const ANY_OBJECT = { type: 'object' } as const;

/** Whether a value has more levels. Without recursion: a server may nest thousands of them. */
function isDeeper(value: unknown, max: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > max) return true;
    level = level.flatMap((part) => (typeof part === 'object' && part !== null ? Object.values(part) : []));
  }
  return false;
}

/** A schema, without hidden characters; null when it is too large or too deep to be kept. */
function schemaOf(schema: unknown): ServedTool['inputSchema'] | null {
  if (!isObject(schema) || isDeeper(schema, LIMITS.served.depth)) return null;
  // A text that goes on for megabytes costs its parameter no name and no type.
  const json = JSON.stringify(schema, (key, part: unknown) =>
    key === 'description' && typeof part === 'string' ? wordsOf(part) : part,
  );
  if (json.length > LIMITS.served.schema) return null;
  // Parsed from text, so that a key `__proto__` is dropped.
  const plain: unknown = JSON.parse(json, (key, part) => (key === '__proto__' ? undefined : part));
  return cleanValue(plain) as ServedTool['inputSchema'];
}

const lineOf = (text: unknown, max: number): string => (typeof text === 'string' ? cleanLine(text, max) : '');

const wordsOf = (text: unknown): string =>
  typeof text === 'string' ? String(cleanValue(text, { maxText: LIMITS.served.description })) : '';

const isLong = (text: unknown): boolean =>
  typeof text === 'string' && cleanText(text).length > LIMITS.served.description;

/** Whether a description in a schema is longer than what is kept of it. */
function hasLongWords(schema: unknown): boolean {
  let found = false;
  JSON.stringify(schema, (key, part: unknown) => {
    found ||= key === 'description' && isLong(part);
    return part;
  });
  return found;
}

/** Whether a text, as it is kept, is the beginning of a longer one. */
const isCut = (text: unknown): boolean =>
  typeof text === 'string' && text.length >= LIMITS.served.description - 1 && text.endsWith('…');

/** Whether a tool, as it is kept, has a text that was cut. */
export function hasCutWords({
  description,
  inputSchema,
}: Pick<ServedTool, 'description' | 'inputSchema'>): boolean {
  let found = isCut(description);
  JSON.stringify(inputSchema, (key, part: unknown) => {
    found ||= key === 'description' && isCut(part);
    return part;
  });
  return found;
}

const SCHEMAS = { inputSchema: 'input', outputSchema: 'output' } as const;

/** What `servedToolOf` does not keep whole of a tool, in words. */
export function cutsOf(listed: Readonly<Record<string, unknown>>): string[] {
  const schemas = Object.entries(SCHEMAS).flatMap(([field, name]) => {
    const schema = listed[field];
    if (schema === undefined) return [];
    if (schemaOf(schema) === null) return [`its ${name} schema, which is left out`];
    return hasLongWords(schema) ? [`texts of its ${name} schema`] : [];
  });
  return [...(isLong(listed.description) ? ['its description'] : []), ...schemas];
}

/** Defines only the fields that have a value. */
const present = <T extends object>(fields: T): T =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== '')) as T;

/**
 * Reads one tool of a `tools/list` response: the known fields, without hidden characters, of bounded size and depth. Stores record what it
 * returns, and clients pin it, so that the two compare equal while a server says the same to both.
 */
export function servedToolOf(name: string, listed: Readonly<Record<string, unknown>>): ServedTool {
  const annotations = isObject(listed.annotations) ? listed.annotations : {};
  const hints = toolHintsOf(annotations);
  return {
    name,
    ...present({
      title: lineOf(listed.title ?? annotations.title, LIMITS.tool.name),
      description: wordsOf(listed.description),
      outputSchema:
        listed.outputSchema === undefined ? undefined : (schemaOf(listed.outputSchema) ?? ANY_OBJECT),
      annotations: Object.keys(hints).length === 0 ? undefined : hints,
    }),
    inputSchema: schemaOf(listed.inputSchema) ?? ANY_OBJECT,
  };
}

/**
 * Reads the `tools/list` response of a server, which is not trusted: only fields that are known, without hidden characters, of bounded
 * size and depth. A tool with a name that MCP does not allow, and a repeated one, is dropped; so are those beyond the limits.
 * @returns the tools sorted by name, and how many were dropped
 */
export function servedToolsOf(listed: readonly unknown[]): { tools: ServedTool[]; dropped: number } {
  const tools = new Map<string, ServedTool>();
  let size = 0;
  for (const tool of listed) {
    if (tools.size >= LIMITS.served.tools || size > LIMITS.served.bytes) break;
    const name = isObject(tool) ? tool.name : undefined;
    if (!isObject(tool) || typeof name !== 'string' || !REMOTE_TOOL_NAME.test(name) || tools.has(name))
      continue;
    const read = servedToolOf(name, tool);
    size += JSON.stringify(read).length;
    if (size <= LIMITS.served.bytes) tools.set(name, read);
  }
  return {
    tools: [...tools.values()].sort((a, b) => (a.name < b.name ? -1 : 1)),
    dropped: listed.length - tools.size,
  };
}
