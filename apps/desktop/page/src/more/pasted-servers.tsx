import { visible } from '@svc/text';
import { useState } from 'react';
import { Section } from '../parts/parts.tsx';
import { Added, isLocal, useAdd } from './add-connector.tsx';
import { type Adding, type PastedServer, readServers } from './read-servers.ts';

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
