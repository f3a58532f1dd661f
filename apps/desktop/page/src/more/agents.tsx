import { visible } from '@svc/text';
import { Button, count, Dialog, DialogButtons, Facts, Icon, Loaded, Rows } from '@svc/ui';
import { useState } from 'react';
import type { AgentView } from '../../../src/wire/views.ts';
import { type DiffLine, lineDiff } from '../parts/line-diff.ts';
import { Heading, Section } from '../parts/parts.tsx';
import { hashOf } from '../routes.ts';
import { useDesktopMutation, useDesktopQuery } from '../wire/use-desktop.ts';
import { AgentSessions } from './agent-sessions.tsx';
import { Bundles } from './bundles.tsx';

const STATE = {
  connected: 'set up',
  'not-connected': 'not set up',
  unreadable: 'configuration cannot be read',
} satisfies Record<AgentView['state'], string>;

const SIGNS = { same: ' ', added: '+', removed: '−' } as const;

function Line({ line }: { line: DiffLine }) {
  if (line.kind === 'hidden')
    return <div className="hidden-lines">{count(line.lines, 'unchanged line')}</div>;
  return (
    <div className={line.kind}>
      <span aria-hidden="true">{SIGNS[line.kind]} </span>
      {line.kind === 'same' ? null : <span className="unseen">{line.kind} </span>}
      {visible(line.text)}
    </div>
  );
}

/** Shows the change to an agent's configuration before it is written. */
function Preview({ agent, remove, close }: { agent: AgentView; remove: boolean; close(): void }) {
  const preview = useDesktopQuery('agents.preview', { agent: agent.id, remove });
  const apply = useDesktopMutation('agents.apply');
  const lines = preview.data ? lineDiff(preview.data.before, preview.data.after) : [];
  const write = () => apply.mutate({ agent: agent.id, remove }, { onSuccess: close });
  const buttons = (
    <DialogButtons
      yes="Write changes"
      why={!preview.data || apply.isPending ? '' : lines.length === 0 ? 'There is nothing to write.' : null}
      act={write}
      leave={close}
    />
  );
  return (
    <Dialog
      title={`${remove ? 'Disconnect' : 'Connect'} ${agent.name}`}
      leave={close}
      buttons={buttons}
      error={apply.error}
    >
      <Loaded query={preview}>
        {({ file, before }) => (
          <>
            <p>
              {lines.length === 0
                ? 'No changes.'
                : before === ''
                  ? `${visible(file)} will be created`
                  : `Changes to ${visible(file)}`}
            </p>
            {lines.length === 0 ? null : (
              // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable areas must be reachable by keyboard
              <section className="diff" tabIndex={0} aria-label={`Changes to ${file}`}>
                {lines.map((line) => (
                  <Line key={`${line.kind} ${line.line}`} line={line} />
                ))}
              </section>
            )}
          </>
        )}
      </Loaded>
    </Dialog>
  );
}

function Agent({ agent, preview }: { agent: AgentView; preview(remove: boolean): void }) {
  const { name, file, state } = agent;
  return (
    <li className="agent">
      <Icon name="bot" />
      <div>
        <strong>{name}</strong>{' '}
        <span className={state === 'connected' ? 'badge good' : 'badge'}>{STATE[state]}</span>
        <p className="soft">{visible(file)}</p>
      </div>
      {state === 'unreadable' ? null : (
        <Button
          label={`${state === 'connected' ? 'Disconnect' : 'Connect'} ${name}`}
          onClick={() => preview(state === 'connected')}
        />
      )}
    </li>
  );
}

/** Whether an agent was found on this computer, or is connected. */
export const isHere = ({ installed, state }: AgentView): boolean => installed || state !== 'not-connected';

function AgentRows({
  agents,
  preview,
}: {
  agents: readonly AgentView[];
  preview(shown: { agent: AgentView; remove: boolean }): void;
}) {
  return (
    <Rows of={agents}>
      {(agent) => <Agent key={agent.id} agent={agent} preview={(remove) => preview({ agent, remove })} />}
    </Rows>
  );
}

/** Coding agents that can use the tools of the apps. */
export function Agents() {
  const agents = useDesktopQuery('agents.list', {});
  const [shown, setShown] = useState<{ agent: AgentView; remove: boolean } | null>(null);
  return (
    <>
      <Heading>Agents</Heading>
      <p className="soft">
        Let coding agents on this computer use the tools of your apps. You review each change to their
        configuration before it is written. <a href={hashOf('settings', 'approvals')}>Approval settings</a>
      </p>
      <AgentSessions />
      <Loaded query={agents}>
        {({ agents: all, address }) => (
          <>
            <Bundles address={address} />
            <Section title="Coding agents on this computer">
              <Facts facts={[['Gateway URL', <code key="address">{address}</code>]]} />
              <AgentRows agents={all.filter(isHere)} preview={setShown} />
              <details>
                <summary>Agents not found here</summary>
                <AgentRows agents={all.filter((agent) => !isHere(agent))} preview={setShown} />
                <p className="soft">
                  For any other program, the command "svc connect --print" shows what to add to its
                  configuration.
                </p>
              </details>
            </Section>
          </>
        )}
      </Loaded>
      {shown ? <Preview {...shown} close={() => setShown(null)} /> : null}
    </>
  );
}
