import { visible } from '@svc/text';
import { Button, ErrorMessage, Form, Loaded, Rows, Select } from '@svc/ui';
import { useState } from 'react';
import type { PreApproval } from '../../../src/wire/views.ts';
import { Section } from '../parts/parts.tsx';
import { useDesktopMutation, useDesktopQuery } from '../wire/use-desktop.ts';
import { isHere } from './agents.tsx';

type Named = { id: string; name: string };

const namesOf = (all: readonly Named[]) => all.map(({ id, name }) => [id, visible(name)] as const);

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
  const submit = () => {
    if (forAgent && tool) add.mutate({ agent: forAgent.id, project, appId: tool.appId, tool: tool.tool });
  };
  return (
    <Form
      action="Allow without asking"
      tone="plain"
      busy={add.isPending || key === undefined}
      submit={submit}
      error={add.error}
    >
      <Select label="Project" value={project} of={namesOf(projects)} choose={setProject} />
      <Select label="Agent" value={forAgent?.id ?? ''} of={namesOf(agents)} choose={setAgent} />
      {key === undefined ? (
        <p className="soft">
          No installed app has a tool in this project that asks first and takes no files.
        </p>
      ) : (
        <Select
          label="Tool"
          value={key}
          of={Array.from(tools, ([one, { app, name }]) => [one, visible(`${name} in ${app}`)] as const)}
          choose={setChosen}
        />
      )}
    </Form>
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
                <Rows of={tools}>
                  {({ changed, ...one }) => (
                    <li key={JSON.stringify(one)}>
                      <div>
                        <strong>{visible(one.tool)}</strong>{' '}
                        <span className="soft">{visible(one.appId)}</span>{' '}
                        {changed ? <span className="badge warn">Changed: asks again</span> : null}
                        <p className="soft">
                          {nameOf(agents, one.agent)}, {visible(nameOf(projects, one.project))}
                        </p>
                      </div>
                      <Button
                        label="Revoke"
                        aria-label={`Revoke ${visible(one.tool)}`}
                        runs={revoke}
                        onClick={() => revoke.mutate(one)}
                      />
                    </li>
                  )}
                </Rows>
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
