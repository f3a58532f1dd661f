import type { CallProgress } from '@svc/runtime';
import { useState } from 'react';
import type { CallView } from '../../../src/wire/views.ts';
import { ErrorMessage, Section } from '../parts/parts.tsx';
import { Tree } from '../parts/tree.tsx';
import { visible } from '../parts/visible.ts';
import { WORDS } from '../words.ts';
import { ResultFile } from './result-file.tsx';
import type { RunState } from './use-run.ts';

const MESSAGES = WORDS.tools;

function Progress({ progress }: { progress: CallProgress | null }) {
  const { total, message } = progress ?? {};
  return (
    <div role="status">
      <progress
        aria-label={MESSAGES.running}
        {...(progress && total ? { value: progress.progress, max: total } : {})}
      />
      {message === undefined ? null : <p className="soft">{visible(message)}</p>}
    </div>
  );
}

/** What a tool answered as data: as a tree, or as the JSON that it is. */
function Structured({ value }: { value: Readonly<Record<string, unknown>> }) {
  const [asJson, setAsJson] = useState(false);
  return (
    <>
      <h3>{MESSAGES.structured}</h3>
      <button type="button" onClick={() => setAsJson(!asJson)}>
        {asJson ? MESSAGES.asTree : MESSAGES.asJson}
      </button>
      {asJson ? (
        <pre className="result">{visible(JSON.stringify(value, null, 2))}</pre>
      ) : (
        <Tree value={value} />
      )}
    </>
  );
}

function Answered({ appId, call }: { appId: string; call: Extract<CallView, { outcome: 'answered' }> }) {
  const { parts, structured, isError } = call;
  return (
    <>
      {isError ? <p className="fault">{MESSAGES.error}</p> : null}
      {parts.map((part, i) =>
        part.type === 'text' ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts of an answer have an order, and nothing else
          <pre key={i} className="result">
            {visible(part.text)}
          </pre>
        ) : (
          <ResultFile key={part.file.id} appId={appId} file={part.file} />
        ),
      )}
      {structured ? <Structured value={structured} /> : null}
      {parts.length === 0 && !structured ? <p className="soft">{MESSAGES.empty}</p> : null}
    </>
  );
}

/** How a run stands, and what came of it. */
export function RunResult({ appId, state }: { appId: string; state: RunState }) {
  if (state.at === 'rest') return null;
  return (
    <Section title={MESSAGES.result}>
      {state.at === 'running' ? <Progress progress={state.progress} /> : null}
      {state.at === 'failed' ? <ErrorMessage error={state.error} /> : null}
      {state.at === 'ended' && state.call.outcome === 'answered' ? (
        <Answered appId={appId} call={state.call} />
      ) : null}
      {state.at === 'ended' && state.call.outcome === 'refused' ? (
        <p role="alert" className="fault">
          {state.call.code === 'declined' ? (
            MESSAGES.declined
          ) : (
            <>
              {MESSAGES.refused} {visible(state.call.message)} <code>{state.call.code}</code>
            </>
          )}
        </p>
      ) : null}
    </Section>
  );
}
