import { useState } from 'react';
import { Heading, When } from '../parts/parts.tsx';
import { visible } from '../parts/visible.ts';
import type { LogLine } from '../wire/live.ts';
import { useLiveState } from '../wire/use-desktop.ts';
import { WORDS } from '../words.ts';

const SAY = WORDS.activity;

function Line({ line }: { line: LogLine }) {
  const { at, appId, tool, asker, ms, outcome, detail } = line;
  return (
    <li>
      <div>
        <code>{visible(appId)}</code> <strong>{visible(tool)}</strong>{' '}
        <span className={outcome === 'answered' ? 'badge good' : 'badge'}>{visible(outcome)}</span>
        <p className="soft">
          <When at={at} />
          {`; ${SAY.asker.toLowerCase()} ${visible(asker)}`}
          {ms === null ? '' : `; ${Math.round(ms)} ms`}
        </p>
        {detail === '' ? null : (
          <details>
            <summary>{SAY.detail}</summary>
            <pre className="result">{visible(detail)}</pre>
          </details>
        )}
      </div>
    </li>
  );
}

/** Calls as they happen, by whoever makes them. */
export function Activity() {
  const { log } = useLiveState();
  const [app, setApp] = useState('');
  const apps = [...new Set(log.map(({ appId }) => appId))].sort();
  const shown = log.filter(({ appId }) => app === '' || appId === app);
  return (
    <>
      <Heading>{WORDS.pages.activity}</Heading>
      <p className="soft">{SAY.lead}</p>
      {apps.length > 1 ? (
        <label className="field">
          {SAY.filter}
          <select value={app} onChange={(event) => setApp(event.target.value)}>
            <option value="">{SAY.everything}</option>
            {apps.map((appId) => (
              <option key={appId} value={appId}>
                {visible(appId)}
              </option>
            ))}
          </select>
        </label>
      ) : null}
      {log.length === 0 ? <p>{SAY.none}</p> : null}
      <ul className="rows">
        {shown.map((line) => (
          <Line key={line.id} line={line} />
        ))}
      </ul>
    </>
  );
}
