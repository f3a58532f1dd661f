import { isObject } from '@svc/contracts/is-object';

/** A connector to add: a server by its address, or a program. */
export type Adding =
  | { url: string; headers?: Record<string, string> }
  | { command: string; args: string[]; folder?: string; variables?: string[]; name?: string };

/** An entry of an `mcpServers` object, as other clients write it. */
export type PastedServer = {
  name: string;
  /** What is taken of the entry; null if it is no server that can be added. */
  adding: Adding | null;
  /** What is left out, and why, in sentences. */
  left: readonly string[];
};

const textsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];

const recordIn = (value: unknown): [string, unknown][] => (isObject(value) ? Object.entries(value) : []);

/** Where the values of other clients are filled in by them: `${env:TOKEN}`, `${input:token}`, `$TOKEN`. */
const PLACEHOLDER = /\$\{|^\$\w+$/;

const ADDRESSES = ['url', 'serverUrl', 'httpUrl'] as const;

/** Fields that say what the entry says anyway. */
const KNOWN: ReadonlySet<string> = new Set([
  ...ADDRESSES,
  'headers',
  'command',
  'args',
  'env',
  'cwd',
  'name',
]);
const TRANSPORTS: ReadonlySet<unknown> = new Set(['http', 'streamable-http', 'streamableHttp', 'stdio']);

/** The fields that only the other client knows. */
function otherFields(entry: Record<string, unknown>): string[] {
  const others = Object.keys(entry).filter(
    (field) =>
      !KNOWN.has(field) && !((field === 'type' || field === 'transport') && TRANSPORTS.has(entry[field])),
  );
  return others.length === 0 ? [] : [`${others.join(', ')}: a setting of the other client.`];
}

function headersOf(entry: Record<string, unknown>): { taken: [string, string][]; left: string[] } {
  const all = recordIn(entry.headers);
  const isTaken = (value: unknown): value is string => typeof value === 'string' && !PLACEHOLDER.test(value);
  const taken = all.flatMap(([name, value]): [string, string][] => (isTaken(value) ? [[name, value]] : []));
  const left = all.flatMap(([name, value]) =>
    isTaken(value)
      ? []
      : [`Header ${name}: the other client fills in its value. Add this server above, with the header.`],
  );
  return { taken, left };
}

function serverOf(name: string, entry: unknown): PastedServer {
  if (!isObject(entry)) return { name, adding: null, left: ['It is no object.'] };
  const others = otherFields(entry);
  const address = ADDRESSES.map((field) => entry[field]).find((value) => typeof value === 'string');
  if (address !== undefined) {
    const url = URL.parse(String(address));
    if (url === null) return { name, adding: null, left: ['Its url is no address.'] };
    const { taken, left } = headersOf(entry);
    return {
      name,
      adding: { url: url.href, ...(taken.length > 0 && { headers: Object.fromEntries(taken) }) },
      left: [...left, ...others],
    };
  }
  if (typeof entry.command !== 'string')
    return { name, adding: null, left: ['It has no url and no command.'] };
  const variables = recordIn(entry.env).map(([variable]) => variable);
  const values = `Values of ${variables.join(', ')}: the card shows what runs, and values may change that. Start svc desktop with these variables set.`;
  return {
    name,
    adding: {
      ...{ command: entry.command, args: textsIn(entry.args), name },
      ...(typeof entry.cwd === 'string' && { folder: entry.cwd }),
      ...(variables.length > 0 && { variables }),
    },
    left: [...(variables.length > 0 ? [values] : []), ...others],
  };
}

/**
 * Reads servers that were pasted as JSON: `{ "mcpServers": { … } }` of Claude Desktop, Cursor and others, `{ "servers": { … } }` of VS Code,
 * `{ "context_servers": { … } }` of Zed, or the inner object alone.
 * @returns null if the text is no such JSON
 */
export function readServers(text: string): PastedServer[] | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isObject(value)) return null;
  const servers = [value.mcpServers, value.servers, value.context_servers].find(isObject) ?? value;
  return Object.entries(servers).map(([name, entry]) => serverOf(name, entry));
}
