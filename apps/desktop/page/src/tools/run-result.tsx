import type { CallProgress } from '@svc/runtime';
import { visible } from '@svc/text';
import { ErrorMessage, Fault } from '@svc/ui';
import type { CallView } from '../../../src/wire/views.ts';
import { Section } from '../parts/parts.tsx';
import { Answer } from './answer.tsx';
import { ResultFile } from './result-file.tsx';
import type { RunState } from './use-run.ts';

/** How far a running tool is, in its own words. */
export function Progress({ progress }: { progress: CallProgress | null }) {
  const { total, message } = progress ?? {};
  return (
    <div role="status">
      <progress
        aria-label="Running…"
        {...(progress && total ? { value: progress.progress, max: total } : {})}
      />
      {message === undefined ? null : <p className="soft">{visible(message)}</p>}
    </div>
  );
}

function AnsweredCall({ appId, call }: { appId: string; call: Extract<CallView, { outcome: 'answered' }> }) {
  const parts = call.parts.map((part) =>
    part.type === 'text'
      ? part
      : { type: 'file' as const, id: part.file.id, shown: <ResultFile appId={appId} file={part.file} /> },
  );
  return <Answer parts={parts} structured={call.structured} isError={call.isError} />;
}

export function RunResult({ appId, state }: { appId: string; state: RunState }) {
  return (
    <Section title="Result">
      {state.at === 'idle' ? <p className="soft">What the tool returns is shown here.</p> : null}
      {state.at === 'running' ? <Progress progress={state.progress} /> : null}
      {state.at === 'failed' ? <ErrorMessage error={state.error} /> : null}
      {state.at === 'ended' && state.call.outcome === 'answered' ? (
        <AnsweredCall appId={appId} call={state.call} />
      ) : null}
      {state.at === 'ended' && state.call.outcome === 'refused' ? (
        <Fault>
          {state.call.code === 'declined' ? (
            'The tool did not run: the call was declined.'
          ) : (
            <>
              The tool did not run. {visible(state.call.message)} <code>{state.call.code}</code>
            </>
          )}
        </Fault>
      ) : null}
    </Section>
  );
}
