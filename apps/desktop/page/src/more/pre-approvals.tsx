import { visible } from '@svc/text';
import { Button, ErrorMessage, Form, Loaded, moment, Rows, Select } from '@svc/ui';
import { useState } from 'react';
import type { LastingPermission, PreApproval } from '../../../src/wire/views.ts';
import { Section } from '../parts/parts.tsx';
import { hashOf } from '../routes.ts';
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

function Permission({ permission, where }: { permission: LastingPermission; where: string }) {
  const { of, app, tool, since, usedAt, changed } = permission;
  const revoke = useDesktopMutation('permissions.revoke');
  const what = of.kind === 'files' ? 'Files of a project' : visible(tool ?? 'A tool');
  return (
    <li>
      <div>
        <strong>{what}</strong>{' '}
        <span className="soft">{visible(app ?? 'allowed by an earlier version')}</span>{' '}
        {changed ? <span className="badge warn">Changed: asks again</span> : null}
        <p className="soft">
          {where}
          {since === null ? null : <>, since {moment(since)}</>}
          {usedAt === null ? null : <>, last used {moment(usedAt)}</>}
        </p>
        <ErrorMessage error={revoke.error} />
      </div>
      <Button
        label="Revoke"
        aria-label={`Revoke ${what}, ${where}`}
        runs={revoke}
        onClick={() => revoke.mutate(of)}
      />
    </li>
  );
}

/** What the user allowed for longer than one call, each with its end; and tools that agents may call without a question. */
export function PreApprovals() {
  const allowed = useDesktopQuery('permissions.list', {});
  const agents = useDesktopQuery('agents.list', {}).data?.agents.filter(isHere) ?? [];
  const client = useDesktopQuery('client.show', {});
  return (
    <Section title="Allowed without asking">
      <p className="soft">
        What you allowed for longer than one call. A tool asks again when its app changes it. Folders that
        agents may pass files from are listed under{' '}
        <a href={hashOf('settings', 'projects')}>Projects and folders</a>.
      </p>
      <Loaded query={client}>
        {({ projects }) => {
          const whereOf = ({ of, chat, project }: LastingPermission): string => {
            const inProject = visible(projects.find(({ id }) => id === project)?.name ?? 'a project');
            if (of.kind === 'chat') return `Conversation “${visible(chat || 'Untitled')}”, ${inProject}`;
            return of.kind === 'agent'
              ? `${agents.find(({ id }) => id === of.agent)?.name ?? of.agent}, ${inProject}`
              : inProject;
          };
          return (
            <>
              <Loaded query={allowed}>
                {({ permissions }) => (
                  <Rows of={permissions} none="Nothing is allowed without asking.">
                    {(one) => (
                      <Permission key={JSON.stringify(one.of)} permission={one} where={whereOf(one)} />
                    )}
                  </Rows>
                )}
              </Loaded>
              <h3>Allow a tool for an agent</h3>
              <p className="soft">
                For agents that run unattended: a tool is allowed for one agent in one project. Tools that
                take files always ask.
              </p>
              <Add agents={agents} projects={projects} />
            </>
          );
        }}
      </Loaded>
    </Section>
  );
}
