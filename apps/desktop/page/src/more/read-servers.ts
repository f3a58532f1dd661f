import { isObject } from '@svc/contracts/is-object';
/** A server of an `mcpServers` object, as other clients write it. */
export type PastedServer = {
  name: string;
  request:
    | { kind: 'remote'; url: string }
    | { kind: 'local-address'; url: string }
    | { kind: 'program'; command: string; args: string[]; variables: string[] };
  /** What of the entry is not taken over: values of variables, and headers, which are secrets in plain text. */
  left: ('values' | 'headers')[];
};

const textsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];

const keysOf = (value: unknown): string[] => (isObject(value) ? Object.keys(value) : []);

/** Whether an address is of this computer or the local network, which the desktop checks again. */
const isLocal = ({ protocol, hostname }: URL): boolean =>
  protocol === 'http:' || /^(?:localhost|127\.|10\.|192\.168\.|\[)|\.local$/.test(hostname);

function serverOf(name: string, entry: unknown): PastedServer | null {
  if (!isObject(entry)) return null;
  const address = entry.url ?? entry.serverUrl ?? entry.httpUrl;
  const url = typeof address === 'string' ? URL.parse(address) : null;
  if (url) {
    const left: PastedServer['left'] = keysOf(entry.headers).length > 0 ? ['headers'] : [];
    return { name, request: { kind: isLocal(url) ? 'local-address' : 'remote', url: url.href }, left };
  }
  if (typeof entry.command !== 'string') return null;
  const variables = keysOf(entry.env);
  return {
    name,
    request: { kind: 'program', command: entry.command, args: textsIn(entry.args), variables },
    left: variables.length > 0 ? ['values'] : [],
  };
}

/**
 * Reads servers that were pasted as JSON: `{ "mcpServers": { … } }` of Claude Desktop, Cursor and others, `{ "servers": { … } }` of VS Code,
 * or the inner object alone.
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
  const servers = [value.mcpServers, value.servers, value].find(isObject) ?? {};
  return Object.entries(servers).flatMap(([name, entry]) => serverOf(name, entry) ?? []);
}
