import { ErrorMessage, Loaded } from '@svc/ui';
import { type FormEvent, useState } from 'react';
import type { PreApproval } from '../../../src/wire/views.ts';
import { Section } from '../parts/parts.tsx';
import { visible } from '../parts/visible.ts';
import { useDesktopMutation, useDesktopQuery } from '../wire/use-desktop.ts';

type Option = { value: string; text: string };

function Choose({ label, name, options }: { label: string; name: string; options: readonly Option[] }) {
  return (
    <label className="field">
      {label}
      <select name={name} required>
        {options.map(({ value, text }) => (
          <option key={value} value={value}>
            {visible(text)}
          </option>
        ))}
      </select>
    </label>
  );
}

type Named = { id: string; name: string };

/** Adds a tool that an agent may call in a project without a question. */
function Add({
  agents,
  projects,
}: {
  agents: readonly (Named & { id: PreApproval['agent'] })[];
  projects: readonly Named[];
}) {
  const [project, setProject] = useState(projects[0]?.id ?? '');
  const asking = useDesktopQuery('agents.askingTools', { project });
  const add = useDesktopMutation('agents.preApprove');
  const tools = asking.data?.tools ?? [];
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const agent = agents.find(({ id }) => id === data.get('agent'));
    const tool = tools[Number(data.get('tool'))];
    if (agent && tool) add.mutate({ agent: agent.id, project, appId: tool.appId, tool: tool.tool });
  };
  const asOption = ({ id, name }: Named): Option => ({ value: id, text: name });
  const toolOptions = tools.map(({ app, name }, i) => ({ value: String(i), text: `${name} in ${app}` }));
  return (
    <form className="fields" onSubmit={submit}>
      <label className="field">
        Project
        <select value={project} onChange={(event) => setProject(event.currentTarget.value)}>
          {projects.map(({ id, name }) => (
            <option key={id} value={id}>
              {visible(name)}
            </option>
          ))}
        </select>
      </label>
      <Choose label="Agent" name="agent" options={agents.map(asOption)} />
      {tools.length === 0 ? (
        <p className="soft">
          No installed app has a tool in this project that asks first and takes no files.
        </p>
      ) : (
        <>
          <Choose label="Tool" name="tool" options={toolOptions} />
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
  const agents = useDesktopQuery('agents.list', {}).data?.agents ?? [];
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
