import { visible } from '@svc/text';
import { ErrorMessage, Loaded } from '@svc/ui';
import { type FormEvent, useState } from 'react';
import type { PreApproval } from '../../../src/wire/views.ts';
import { Section } from '../parts/parts.tsx';
import { useDesktopMutation, useDesktopQuery } from '../wire/use-desktop.ts';
import { Choice } from './agent-settings.tsx';
import { isHere } from './agents.tsx';

type Named = { id: string; name: string };

const namesOf = (all: readonly Named[]): Record<string, string> =>
  Object.fromEntries(all.map(({ id, name }) => [id, visible(name)]));

/** Adds a tool that an agent may call in a project without a question. */
function Add({
  agents,
  projects,
}: {
  agents: readonly (Named & { id: PreApproval['agent'] })[];
  projects: readonly Named[];
}) {
  const [project, setProject] = useState(projects[0]?.id ?? '');
  const [agent, setAgent] = useState<string>();
  const [chosen, setChosen] = useState<string>();
  const { data } = useDesktopQuery('agents.askingTools', { project });
  const add = useDesktopMutation('agents.preApprove');
  const tools = new Map(data?.tools.map((tool) => [JSON.stringify([tool.appId, tool.tool]), tool]));
  const forAgent = agents.find(({ id }) => id === agent) ?? agents[0];
  const key = chosen !== undefined && tools.has(chosen) ? chosen : [...tools.keys()][0];
  const tool = key === undefined ? undefined : tools.get(key);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (forAgent && tool) add.mutate({ agent: forAgent.id, project, appId: tool.appId, tool: tool.tool });
  };
  return (
    <form className="fields" onSubmit={submit}>
      <Choice label="Project" value={project} words={namesOf(projects)} choose={setProject} />
      <Choice label="Agent" value={forAgent?.id ?? ''} words={namesOf(agents)} choose={setAgent} />
      {key === undefined ? (
        <p className="soft">
          No installed app has a tool in this project that asks first and takes no files.
        </p>
      ) : (
        <>
          <Choice
            label="Tool"
            value={key}
            words={Object.fromEntries(
              Array.from(tools, ([one, { app, name }]) => [one, visible(`${name} in ${app}`)]),
            )}
            choose={setChosen}
          />
          <div className="buttons">
            <button type="submit" disabled={add.isPending}>
              Allow without asking
            </button>
          </div>
        </>
      )}
      <ErrorMessage error={add.error} />
    </form>
  );
}

/** Tools that agents may call without a question, for runs without a user: listed, added, revoked. */
export function PreApprovals() {
  const approved = useDesktopQuery('agents.preApproved', {});
  const agents = useDesktopQuery('agents.list', {}).data?.agents.filter(isHere) ?? [];
  const client = useDesktopQuery('client.show', {});
  const revoke = useDesktopMutation('agents.revokePreApproval');
  const nameOf = (all: readonly Named[], id: string) => all.find((one) => one.id === id)?.name ?? id;
  return (
    <Section title="Allowed without asking">
      <p className="soft">
        For agents that run unattended. A tool is allowed for one agent in one project. Tools that take files
        always ask, and a tool asks again when its app changes it.
      </p>
      <Loaded query={client}>
        {({ projects }) => (
          <>
            <Loaded query={approved}>
              {({ tools }) => (
                <ul className="rows">
                  {tools.map(({ changed, ...one }) => (
                    <li key={JSON.stringify(one)}>
                      <div>
                        <strong>{visible(one.tool)}</strong>{' '}
                        <span className="soft">{visible(one.appId)}</span>{' '}
                        {changed ? <span className="badge warn">Changed: asks again</span> : null}
                        <p className="soft">
                          {nameOf(agents, one.agent)}, {visible(nameOf(projects, one.project))}
                        </p>
                      </div>
                      <button
                        type="button"
                        aria-label={`Revoke ${visible(one.tool)}`}
                        disabled={revoke.isPending}
                        onClick={() => revoke.mutate(one)}
                      >
                        Revoke
                      </button>
                    </li>
                  ))}
                </ul>
              )}
            </Loaded>
            <ErrorMessage error={revoke.error} />
            <Add agents={agents} projects={projects} />
          </>
        )}
      </Loaded>
    </Section>
  );
}
