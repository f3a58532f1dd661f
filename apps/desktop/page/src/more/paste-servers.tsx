import { visible } from '@svc/text';
import { ErrorMessage } from '@svc/ui';
import { useState } from 'react';
import { Section } from '../parts/parts.tsx';
import { useDesktopClient, useRefresh } from '../wire/use-desktop.ts';
import { type PastedServer, readServers } from './read-servers.ts';

const STATES = { new: 'Add', adding: 'Adding…', added: 'Added' };

const LEFT = {
  values:
    'The values of its environment variables are not taken over. Start svc desktop with these variables set.',
  headers:
    'Its headers are not taken over. The server is added without them, and asks to sign in if it needs to.',
};

/** Adds one pasted server. A program and a local address are asked on a card first. */
function useAdd() {
  const desktop = useDesktopClient();
  return ({ name, request }: PastedServer) => {
    if (request.kind === 'remote') return desktop.request('connectors.add', { url: request.url });
    if (request.kind === 'local-address') return desktop.request('connectors.addLocal', { url: request.url });
    const { command, args, variables } = request;
    return desktop.request('connectors.addLocal', {
      ...{ command, args, name },
      ...(variables.length > 0 && { variables }),
    });
  };
}

function Server({ server, isAllowed }: { server: PastedServer; isAllowed: boolean }) {
  const add = useAdd();
  const refresh = useRefresh();
  const [state, setState] = useState<'new' | 'adding' | 'added'>('new');
  const [error, setError] = useState<Error | null>(null);
  const { name, request, left } = server;
  const isOff = request.kind !== 'remote' && !isAllowed;
  const submit = async () => {
    setState('adding');
    setError(null);
    try {
      await add(server);
      setState('added');
      await refresh();
    } catch (cause) {
      setState('new');
      setError(cause as Error);
    }
  };
  return (
    <li>
      <div>
        <strong>{visible(name)}</strong>{' '}
        <code>
          {visible(request.kind === 'program' ? [request.command, ...request.args].join(' ') : request.url)}
        </code>
        {left.map((what) => (
          <p key={what} className="mild">
            {LEFT[what]}
          </p>
        ))}
        {isOff ? (
          <p className="mild">
            Programs on this computer and servers on your network are not allowed yet. Allow them below.
          </p>
        ) : null}
        <ErrorMessage error={error} />
      </div>
      <button
        type="button"
        aria-label={`Add ${visible(name)}`}
        disabled={isOff || state !== 'new'}
        onClick={() => void submit()}
      >
        {STATES[state]}
      </button>
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
          placeholder={'{ "mcpServers": { "notes": { "url": "https://mcp.example.com" } } }'}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      </label>
      {servers === null ? <p className="fault">This is not the JSON of MCP servers.</p> : null}
      <ul className="rows">
        {(servers ?? []).map((server) => (
          <Server key={server.name} server={server} isAllowed={isAllowed} />
        ))}
      </ul>
    </Section>
  );
}
