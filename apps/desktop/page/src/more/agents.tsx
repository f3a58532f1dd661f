import { visible } from '@svc/text';
import { Button, Copyable, count, Dialog, DialogButtons, Facts, Loaded, Rows } from '@svc/ui';
import { useState } from 'react';
import type { AgentView } from '../../../src/wire/views.ts';
import { type DiffLine, lineDiff } from '../parts/line-diff.ts';
import { Heading, Section } from '../parts/parts.tsx';
import { hashOf } from '../routes.ts';
import { useDesktopMutation, useDesktopQuery } from '../wire/use-desktop.ts';
import { AgentSessions } from './agent-sessions.tsx';
import { Bundles } from './bundles.tsx';
import { Monogram } from './monogram.tsx';

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
  const { name, file, state, installed: isInstalled } = agent;
  const act = state === 'connected' ? 'Disconnect' : 'Connect';
  return (
    <li className="agent">
      <Monogram name={name} />
      <div>
        <strong>{name}</strong>{' '}
        <span className={state === 'connected' ? 'badge good' : 'badge'}>{STATE[state]}</span>
        <p className="soft">{visible(file)}</p>
      </div>
      {state === 'unreadable' ? null : (
        <Button
          label={act}
          aria-label={`${act} ${name}`}
          className={state === 'connected' || !isInstalled ? undefined : 'main'}
          onClick={() => preview(state === 'connected')}
        />
      )}
    </li>
  );
}

/** Whether an agent was found on this computer, or is connected. */
export const isHere = ({ installed, state }: AgentView): boolean => installed || state !== 'not-connected';

type ListProps = {
  agents: readonly AgentView[];
  preview(shown: { agent: AgentView; remove: boolean }): void;
};

function AgentRows({ agents, preview }: ListProps) {
  return (
    <Rows of={agents}>
      {(agent) => <Agent key={agent.id} agent={agent} preview={(remove) => preview({ agent, remove })} />}
    </Rows>
  );
}

/** The agents of this computer, each with its button; where none was found, all that svc can connect. */
function Here({ agents, address, preview }: ListProps & { address: string }) {
  const [here, others] = [agents.filter(isHere), agents.filter((agent) => !isHere(agent))];
  const isNone = here.length === 0;
  return (
    <Section title="Coding agents on this computer">
      {isNone ? (
        <p>No coding agent was found here. Connect yours: it has the tools of your apps at its next start.</p>
      ) : (
        <AgentRows agents={here} preview={preview} />
      )}
      <details open={isNone}>
        <summary>{isNone ? 'Agents that svc can connect' : 'Agents not found here'}</summary>
        <AgentRows agents={others} preview={preview} />
        <p className="soft">
          For any other program, the command "svc connect --print" shows what to add to its configuration.
        </p>
      </details>
      <Facts facts={[['Gateway URL', <Copyable key="address" name="Gateway URL" text={address} />]]} />
    </Section>
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
      <Loaded query={agents}>
        {({ agents: all, address }) => (
          <>
            <Here agents={all} address={address} preview={setShown} />
            <AgentSessions />
            <Bundles address={address} />
          </>
        )}
      </Loaded>
      {shown ? <Preview {...shown} close={() => setShown(null)} /> : null}
    </>
  );
}
