import type { Review } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { visible } from '@svc/text';
import { Button } from '@svc/ui';
import { useEffect, useRef, useState } from 'react';
import { Card } from '../../account/parts.tsx';

/** Requests of a panel that are listed. */
const LISTED = 50;

const REFUSED = {
  code: -32_000,
  message: 'This is a review: nothing is called.',
  data: { code: 'declined' },
};

type Message = {
  jsonrpc?: unknown;
  id?: string | number;
  method?: unknown;
  params?: { name?: unknown; arguments?: { method?: unknown; params?: { name?: unknown } } };
};

type Panel = Review['manifest']['panels'][number];

/** What the panel receives about the client that shows it: no accounts, no tools, no files. */
const contextOf = ({ appId, version, manifest }: Review, { id, title }: Panel) => ({
  protocolVersion: '2026-01-26',
  hostInfo: { name: 'svc review', version: '1' },
  hostCapabilities: { accounts: { tokens: false } },
  hostContext: {
    theme: window.matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light',
    locale: navigator.language,
    app: { id: appId, name: manifest.name, version },
    panel: { id, title, view: null, views: [] },
    settings: {},
  },
});

/**
 * A panel that runs in a frame without an origin. It is a host of MCP Apps (revision 2026-01-26) that answers `initialize`, and refuses and
 * lists every other request.
 */
function RunningPanel({ review, panel }: { review: Review; panel: Panel }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [asked, setAsked] = useState<readonly string[]>([]);
  useEffect(() => {
    const answer = ({ source, data }: MessageEvent<Message | null>) => {
      const window = frame.current?.contentWindow;
      if (!window || source !== window || data?.jsonrpc !== '2.0' || data.id === undefined) return;
      const { id, method, params } = data;
      const reply = (result: object) => window.postMessage({ jsonrpc: '2.0', id, result }, '*');
      if (method !== 'tools/call') return reply(contextOf(review, panel));
      const { method: inner, params: given } = params?.arguments ?? {};
      if (inner === 'ui/initialize')
        return reply({ structuredContent: { result: contextOf(review, panel) } });
      const name = given?.name === undefined ? '' : ` ${String(given.name)}`;
      setAsked((before) => [...before, `${String(inner)}${name}`.slice(0, 200)].slice(-LISTED));
      reply({ structuredContent: { error: REFUSED } });
    };
    addEventListener('message', answer);
    return () => removeEventListener('message', answer);
  }, [review, panel]);
  const { appId, version } = review;
  const { path } = apiRequest('GET /api/moderation/apps/:appId/versions/:version/panels/:panel', {
    params: { appId, version, panel: panel.id },
  });
  return (
    <>
      <iframe
        ref={frame}
        className="review-panel"
        title={visible(panel.title)}
        src={path}
        sandbox="allow-scripts allow-forms"
        allow=""
        referrerPolicy="no-referrer"
      />
      <p className="soft">
        {asked.length === 0 ? 'It has asked for nothing yet.' : 'It asked for, and was refused:'}
      </p>
      <ul className="plain">
        {asked.map((text, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list only grows
          <li key={i}>
            <code>{visible(text)}</code>
          </li>
        ))}
      </ul>
    </>
  );
}

/** The panels of the version, each of which runs at a press. */
export function Panels({ review }: { review: Review }) {
  const [running, setRunning] = useState<string | null>(null);
  const { panels } = review.manifest;
  if (panels.length === 0) return null;
  const panel = panels.find(({ id }) => id === running);
  return (
    <Card title="Panels">
      <p className="soft">
        A panel runs here in a frame without an origin: it has no session, no account and no tool, and
        connects to no host, so its publisher does not learn of the review.
      </p>
      <div className="buttons">
        {panels.map(({ id, title }) => (
          <Button
            key={id}
            label={`${id === running ? 'Stop' : 'Run'} ${visible(title)}`}
            onClick={() => setRunning(id === running ? null : id)}
          />
        ))}
      </div>
      {panel ? <RunningPanel key={panel.id} review={review} panel={panel} /> : null}
    </Card>
  );
}
