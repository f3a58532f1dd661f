import { isObject } from '@svc/contracts/is-object';
import { visible } from '@svc/text';
import { useState } from 'react';
import { Section } from '../parts/parts.tsx';
import { Added, type Adding, isLocal, useAdd } from './add-connector.tsx';

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

/** What is taken of an entry. No value of a header is shown. */
const takenText = (adding: Adding): string =>
  'url' in adding
    ? [adding.url, ...Object.keys(adding.headers ?? {}).map((name) => `header ${name}`)].join(', ')
    : [adding.command, ...adding.args].join(' ');

function Server({ server, isAllowed }: { server: PastedServer; isAllowed: boolean }) {
  const add = useAdd();
  const { name, adding, left } = server;
  const isOff = adding !== null && isLocal(adding) && !isAllowed;
  return (
    <li>
      <div>
        <strong>{visible(name)}</strong>{' '}
        {adding ? <code>{visible(takenText(adding))}</code> : <span className="fault">cannot be added</span>}
        {left.length > 0 ? (
          <ul className="mild" aria-label={`Left out of ${visible(name)}`}>
            {left.map((what) => (
              <li key={what}>{visible(what)}</li>
            ))}
          </ul>
        ) : null}
        {isOff ? (
          <p className="mild">
            Programs on this computer and servers on your network are not allowed yet. Allow them below.
          </p>
        ) : null}
        <Added add={add} />
      </div>
      {adding ? (
        <button
          type="button"
          aria-label={`Add ${visible(name)}`}
          disabled={isOff || add.isPending || add.isSuccess}
          onClick={() => add.mutate(adding)}
        >
          {add.isSuccess ? 'Added' : add.isPending ? 'Adding…' : 'Add'}
        </button>
      ) : null}
    </li>
  );
}

/** Adds the servers of a configuration of another client, each with a button of its own. */
export function PasteServers({ isAllowed }: { isAllowed: boolean }) {
  const [text, setText] = useState('');
  const servers = text.trim() === '' ? [] : readServers(text);
  return (
    <Section title="Add from another client">
      <label className="field">
        Its mcpServers JSON
        <textarea
          className="code"
          rows={4}
          spellCheck={false}
          autoComplete="off"
          placeholder={'{ "mcpServers": { "notes": { "url": "https://mcp.example.com" } } }'}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      </label>
      {servers === null ? <p className="fault">This is not the JSON of MCP servers.</p> : null}
      {servers?.length === 0 && text.trim() !== '' ? (
        <p className="fault">There is no server in it.</p>
      ) : null}
      <ul className="rows">
        {(servers ?? []).map((server) => (
          <Server key={JSON.stringify(server)} server={server} isAllowed={isAllowed} />
        ))}
      </ul>
    </Section>
  );
}
